#include "cmd/run_option.h"

#include "probe/ending.h"
#include "sink/sink.h"

/* More is a slip; the kernel's own bound, which is lower, is told later. */
#define HZ_MOST 1e6

#define AT(member) offsetof(struct run_option, member)

/* A choice counts from 1 in the order of its words. */
_Static_assert(WRITE_IN == 1 && WRITE_DIFF == 5 && WRITE_ALL == 6, "--side is enum write_side");
_Static_assert(WEIGHT_SAMPLES == 1 && WEIGHT_TIME == 2, "--weight is enum write_weight");
_Static_assert(EXIT_WISH_AUTO == 1 && EXIT_WISH_BRACKET == 4, "--exit is enum exit_wish");

const struct run_option run_option_defaults = {
	.hz = 99,
	.interval = NSEC_PER_SEC,
	.budget = 0.02,
};

static const struct option_spec target_specs[] = {
	{ OPTION_NUMBERS, 'p', "pid", "PID[,PID]", "these processes and their children",
	  AT(pids), 1, INT32_MAX },
	{ OPTION_TEXT, 'n', "name", "GLOB", "every process of that name", AT(name) },
	{ OPTION_FLAG, 'a', "all-processes", NULL, "every process of the machine",
	  AT(all_processes) },
	{ OPTION_NUMBERS, 't', "tid", "TID[,TID]", "only these threads", AT(tids), 1,
	  INT32_MAX },
	{ OPTION_TEXT, 0, "thread", "GLOB", "only threads of that name", AT(thread) },
};
const struct option_group group_target = OPTION_GROUP("Target", target_specs);

static const struct option_spec samples_specs[] = {
	{ OPTION_UNSIGNED, 'F', "hz", "HZ", "samples a second of each running thread (99)",
	  AT(hz), 1, HZ_MOST },
	{ OPTION_TEXTS, 'e', "event", "EVENT", "what takes a sample: cpu, offcpu, wall (cpu)",
	  AT(events) },
	{ OPTION_FLAG, 'U', "user", NULL, "only the user half of stacks", AT(user_only) },
	{ OPTION_FLAG, 'K', "kernel", NULL, "only the kernel half of stacks", AT(kernel_only) },
};
const struct option_group group_samples = OPTION_GROUP("Samples", samples_specs);

static const struct option_spec events_specs[] = {
	{ OPTION_TEXTS, 'e', "event", "EVENT",
	  "only samples of cpu, offcpu, or one kind of waiting: lock, disk", AT(events) },
};
const struct option_group group_events = OPTION_GROUP("Samples", events_specs);

static const struct option_spec spans_specs[] = {
	{ OPTION_TEXTS, 's', "span", "PLACE", "every call of PLACE is a span; may be repeated",
	  AT(spans) },
	/* known, so that it can be said that they are not in this version */
	{ OPTION_TEXTS, 'C', "capture", "EXPR,...", NULL, AT(captures) },
	{ OPTION_TEXT, 'w', "where", "EXPR", NULL, AT(where) },
	{ OPTION_CHOICE, 0, "exit", EXIT_WISHES,
	  "how the end of a call is seen (auto: at its exits, or by a hook where cheaper and unseen)",
	  AT(exit) },
};
const struct option_group group_spans = OPTION_GROUP("Spans", spans_specs);

static const struct option_spec split_specs[] = {
	{ OPTION_TEXT, 0, "split", "EXPR",
	  "compare the calls for which EXPR is true with the rest", AT(split) },
};
const struct option_group group_split = OPTION_GROUP("Split", split_specs);

static const struct option_spec time_specs[] = {
	{ OPTION_DURATION, 'd', "duration", "TIME",
	  "stop after TIME: 10 (seconds), 500ms, 2min", AT(duration), NSEC_PER_MSEC },
	{ OPTION_DURATION, 'i', "interval", "TIME", "time between two refreshes (1)",
	  AT(interval), 10 * NSEC_PER_MSEC },
};
const struct option_group group_time = OPTION_GROUP("Time", time_specs);
const struct option_group group_duration = { "Time", time_specs, 1 };

static const struct option_spec window_specs[] = {
	{ OPTION_DURATION, 0, "last", "TIME", "look at the last TIME only", AT(last), 1 },
	{ OPTION_DURATION, 0, "ewma", "TIME", "let weights decay, to a half in TIME", AT(ewma),
	  1 },
	{ OPTION_FLAG, 0, "all", NULL, "look at all time (the default)", AT(all_time) },
};
const struct option_group group_window = OPTION_GROUP("Window", window_specs);

static const struct option_spec output_specs[] = {
	{ OPTION_TEXT, 'o', "output", "FILE",
	  "write FILE; its suffix says how; - is standard output", AT(output) },
	{ OPTION_TEXT, 0, "format", "NAME", "how to write, whatever the suffix", AT(format) },
	{ OPTION_CHOICE, 0, "side", "in|rest|open|out|diff|all",
	  "which part of the split to write (diff for text and svg, else in)", AT(side) },
	{ OPTION_CHOICE, 0, "weight", "samples|time", "what a stack weighs", AT(weight) },
};
const struct option_group group_output = OPTION_GROUP("Output", output_specs);

static const struct option_spec json_specs[] = {
	{ OPTION_FLAG, 0, "json", NULL, "answer in JSON", AT(json) },
};
const struct option_group group_json = OPTION_GROUP("Answer", json_specs);

static const struct option_spec care_specs[] = {
	{ OPTION_SHARE, 0, "budget", "SHARE",
	  "say so when all probes cost more, of one core (2%)", AT(budget), 0, 64 },
	{ OPTION_FLAG, 0, "dry-run", NULL,
	  "say what would be attached, at what price; do nothing", AT(dry_run) },
	{ OPTION_FLAG, 0, "yes", NULL,
	  "accept a dear probe: over 10 us a call, or over 1,000 functions", AT(yes) },
};
const struct option_group group_care = OPTION_GROUP("Care", care_specs);

static const struct option_spec always_specs[] = {
	{ OPTION_STOP, 'h', "help", NULL, "show this", AT(help) },
	{ OPTION_STOP, 0, "version", NULL, "show the version", AT(version) },
	{ OPTION_COUNT, 'v', "verbose", NULL, "say more", AT(verbose) },
	{ OPTION_FLAG, 'q', "quiet", NULL, "say nothing but errors and losses", AT(quiet) },
};
const struct option_group group_always = OPTION_GROUP("Always", always_specs);

struct target_query target_query_of(const struct run_option *o)
{
	return (struct target_query){
		.pids = o->pids.at,
		.nr_pids = o->pids.count,
		.tids = o->tids.at,
		.nr_tids = o->tids.count,
		.name = o->name,
		.all = o->all_processes,
		.thread = o->thread,
	};
}
