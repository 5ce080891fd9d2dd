/*
 * stacks - every thread once: where it is, and what it waits for.
 */
#include "base/log.h"
#include "cmd/attach_option.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/redraw.h"
#include "sink/roll_text.h"
#include "wire/sample_cause.h"

#include <errno.h>
#include <string.h>

/* Long enough for threads that run to meet a tick of each CPU they may be on, and for those
 * that are between running and waiting to be one of the two. */
#define LOOK_NSEC (60 * NSEC_PER_MSEC)
#define LOOK_HZ 199

/* While it is watched: a look tells of every thread, and there may be thousands. */
#define WATCH_HZ 25

struct stacks_option {
	struct run_option run;
	bool watch;
};

static const struct option_spec watch_specs[] = {
	{ OPTION_FLAG, 0, "watch", NULL, "go on, and show what has changed every -i",
	  offsetof(struct stacks_option, watch) },
};
static const struct option_group group_watch = OPTION_GROUP("Watch", watch_specs);

static void add_roll(struct session *s, const struct run_option *o,
		     const struct sink_option *option, nsec now, struct text *to)
{
	struct naming naming = namer_naming(s->feed.namer);
	const struct query query = { .thread = o->thread };
	struct roll *roll = roll_call(s->feed.store, &query, &naming, now);

	if (o->tids.count) /* the others were not asked for */
		roll_drop_unseen(roll);
	if (o->json)
		roll_json(roll, to);
	else
		roll_text(roll, option, to);
	roll_free(roll);
}

static int answer(struct session *s, const struct run_option *o, struct error *err)
{
	AUTO_TEXT struct text bytes = { 0 };
	struct output output;
	int code = output_choose(o, false, &output, err);

	if (code)
		return code;
	add_roll(s, o, &output.option, s->feed.store->newest, &bytes);
	return output_bytes(&output, &bytes, err);
}

struct watched {
	const struct run_option *option;
	struct redraw redraw;
	bool shown;
};

static void on_tick(void *context, struct session *s)
{
	struct watched *w = context;
	AUTO_TEXT struct text bytes = { 0 };
	struct error err;
	struct output output;

	if (redraw_ready(&w->redraw) && output_choose(w->option, false, &output, &err) == 0) {
		if (w->shown && !w->redraw.terminal && !w->option->json)
			text_add_char(&bytes, '\n');
		add_roll(s, w->option, &output.option, clock_now(), &bytes);
		redraw_put(&w->redraw, &bytes, false);
		w->shown = true;
	}
	if (w->redraw.out.failed)
		loop_stop(&s->loop, ENDED_BY_USER);
}

static int arm(struct session *s, struct error *err)
{
	int code = session_arm(s, err);

	if (code == 0 && s->target.refused)
		log_warn("%u process%s may not be looked at: %s", s->target.refused,
			 s->target.refused == 1 ? "" : "es", s->target.denied.text);
	return code;
}

static int go(struct session *s, struct error *err)
{
	if (session_run(s) == ENDED_BY_TARGET)
		log_say("the target ended");
	if (s->failed)
		*err = s->error;
	return s->failed;
}

static int look(struct session *s, const struct run_option *o, struct error *err)
{
	int code = arm(s, err);

	if (code == 0)
		code = go(s, err);
	return code ? code : answer(s, o, err);
}

static int watch(struct session *s, const struct run_option *o, struct error *err)
{
	struct watched watched = { .option = o };
	int code = arm(s, err), written;

	if (code)
		return code;
	session_observe(s,
			(struct session_observer){ .on_tick = on_tick, .context = &watched });
	redraw_open(&watched.redraw, o->json);
	code = go(s, err);
	written = redraw_end(&watched.redraw);
	if (code == 0 && written)
		code = error_set(err, -written, "cannot write the answer: %s",
				 strerror(-written));
	return code;
}

static int run(void *options, const struct option_rest *rest)
{
	const struct stacks_option *so = options;
	const struct run_option *o = &so->run;
	struct session session = { 0 };
	struct attach_option attach;
	struct error err = { "" };
	int code = attach_option_make(&attach, o, rest, true, &err);

	attach.session.hz = so->watch ? WATCH_HZ : LOOK_HZ;
	attach.session.causes = CAUSES_WALL;
	attach.session.seen = true;
	attach.session.names = true;
	if (!so->watch)
		attach.session.duration = LOOK_NSEC;
	if (code == 0 && o->duration && !so->watch)
		code = error_set(&err, EINVAL,
				 "-d says how long to --watch: without that "
				 "threads are looked at once");
	if (code == 0)
		code = session_open(&session, &attach.session, &err);
	if (code == 0)
		code = so->watch ? watch(&session, o, &err) : look(&session, o, &err);
	return attach_end(&attach, &session, code, &err);
}

const struct command command_stacks = {
	.name = "stacks",
	.summary = "every thread once: where it is, and what it waits for",
	.usage = "TARGET [--watch] [--json]",
	.about = "Looks at the target for a moment, without stopping it: threads with the same "
		 "stack are told of together, innermost function first, and how long ago those "
		 "that wait ran last. With --watch it goes on until -d, Ctrl-C, or the end of "
		 "the target.",
	.groups = { &group_target, &group_watch, &group_time, &group_json },
	.options_size = sizeof(struct stacks_option),
	.examples = {
		{ "sonde stacks -p 4242", "it hangs: where?" },
		{ "sonde stacks -p 4242 --thread 'io-*'", "only threads of that name" },
		{ "sonde stacks -p 4242 --watch", "and how that changes" },
		{ "sonde stacks -p 4242 --json | jq '.threads[].wait.kind'", "for scripts" },
	},
	.run = run,
};
