/*
 * report - asks a recording.
 */
#include "base/log.h"
#include "cmd/attach_option.h"
#include "cmd/command.h"
#include "cmd/event_option.h"
#include "cmd/output.h"
#include "cmd/question.h"
#include "cmd/recording.h"

static int report(const struct run_option *o, const char *path, struct error *err)
{
	struct picture *p = NULL;
	struct output output;
	struct feed feed;
	struct ask ask;
	int code = output_choose(o, false, &output, err);

	if (code)
		return code;
	ask = question_of(o, output.sink);
	code = event_causes(&o->events, true, &ask.causes, err);
	if (code == 0)
		code = ask_check(&ask, err);
	if (code)
		return code;
	code = output_spares(&output, path, err);
	if (code)
		return code;
	code = recording_load(path, &feed, err);
	if (code == 0)
		code = recording_ask(&ask, &feed, &p, err);
	if (code == 0)
		code = output_picture(&output, p, err);
	picture_free(p);
	feed_done(&feed);
	return code;
}

static int run(void *options, const struct option_rest *rest)
{
	struct error err = { "" };
	int code = report(options, rest->words.at[0], &err);

	if (code == 0)
		return EXIT_DONE;
	log_error("%s", err.text);
	return attach_status(code);
}

const struct command command_report = {
	.name = "report",
	.summary = "ask a recording (text to the terminal, or -o FILE in any format)",
	.usage = "RECORDING [--split EXPR] [-o FILE]",
	.about = "Answers from a recording that sonde record made, here or on another machine. "
		 "Any split can be asked, whatever was asked when it was recorded.",
	.groups = { &group_events, &group_split, &group_window, &group_output, &group_json },
	.words_least = 1,
	.words_most = 1,
	.examples = {
		{ "sonde report slow.sonde", "what was recorded, and where the time went" },
		{ "sonde report slow.sonde --split 'dur > p95'",
		  "what calls slower than the 95th percentile do that the rest does not" },
		{ "sonde report slow.sonde --split 'dur > 5ms' -o slow.svg", "as a flame graph" },
		{ "sonde report slow.sonde -e offcpu -o waits.svg",
		  "where threads wait (recorded with -e wall)" },
		{ "sonde report slow.sonde --json | jq .spans", "for scripts" },
	},
	.run = run,
};
