/*
 * run_option - the options that commands share, in groups.
 *
 * A command lists the groups it takes; what a group does not set keeps its
 * default.  A command with options of its own embeds struct run_option as the
 * first member of its own struct, so that all offsets hold.
 */
#ifndef SONDE_CMD_RUN_OPTION_H
#define SONDE_CMD_RUN_OPTION_H

#include "base/clock.h"
#include "base/option.h"
#include "proc/target.h"

struct run_option {
	/* target; rest.program is `-- CMD ARGS` */
	struct option_numbers pids;
	struct option_numbers tids;
	const char *name;   /* glob, NULL = not given */
	const char *thread; /* glob over thread names, NULL = every thread */
	bool all_processes;

	/* samples */
	uint64_t hz; /* >= 1; the kernel's own limit is checked when it is opened */
	struct option_texts events; /* empty = cpu */
	bool user_only, kernel_only;

	/* spans */
	struct option_texts spans;
	struct option_texts captures; /* each EXPR,... as written */
	const char *where;	      /* NULL = every call */
	const char *split;	      /* NULL = none */
	unsigned exit;		      /* enum exit_wish */

	/* time, 0 = not given */
	nsec duration;
	nsec interval; /* default 1 s */
	nsec last;
	nsec ewma;
	bool all_time;

	/* output */
	const char *output; /* NULL = the command's own; "-" = standard output */
	const char *format; /* name of a sink, NULL = by suffix */
	bool json;
	unsigned side;	 /* enum write_side, 0 = WRITE_DEFAULT */
	unsigned weight; /* enum write_weight, 0 = WEIGHT_DEFAULT */

	/* care */
	double budget; /* share of one core; default 0.02 */
	bool dry_run;
	bool yes;

	/* everywhere; main has acted on them before a command runs */
	bool help, version, quiet;
	unsigned verbose;
};

extern const struct run_option run_option_defaults;

/* What -p, -n, -t, -a and --thread ask for. */
struct target_query target_query_of(const struct run_option *o);

extern const struct option_group group_target;	 /* -p -n -a -t --thread */
extern const struct option_group group_samples;	 /* -F -e -U -K */
extern const struct option_group group_events;	 /* -e, of samples that were taken */
extern const struct option_group group_spans;	 /* -s -C -w --exit */
extern const struct option_group group_split;	 /* --split */
extern const struct option_group group_time;	 /* -d -i */
extern const struct option_group group_duration; /* -d */
extern const struct option_group group_window;	 /* --last --ewma --all */
extern const struct option_group group_output;	 /* -o --format --side --weight */
extern const struct option_group group_json;	 /* --json */
extern const struct option_group group_care;	 /* --budget --dry-run --yes */
extern const struct option_group group_always;	 /* -h --version -v -q */

#endif
