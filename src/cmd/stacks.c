/*
 * stacks - every thread once: where it is, and what it waits for.
 */
#include "base/log.h"
#include "cmd/attach_option.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "sink/roll_text.h"
#include "wire/sample_cause.h"

/* Long enough for threads that run to meet a tick of each CPU they may be on, and for those
 * that are between running and waiting to be one of the two. */
#define LOOK_NSEC (60 * NSEC_PER_MSEC)
#define LOOK_HZ 199

static int answer(struct session *s, const struct run_option *o, struct error *err)
{
	struct naming naming = namer_naming(s->feed.namer);
	const struct query query = { .thread = o->thread };
	AUTO_TEXT struct text bytes = { 0 };
	struct output output;
	struct roll *roll;
	int code = output_choose(o, false, &output, err);

	if (code)
		return code;
	roll = roll_call(s->feed.store, &query, &naming);
	if (o->tids.count) /* the others were not asked for */
		roll_drop_unseen(roll);
	if (o->json)
		roll_json(roll, &bytes);
	else
		roll_text(roll, &output.option, &bytes);
	roll_free(roll);
	return output_bytes(&output, &bytes, err);
}

static int look(struct session *s, const struct run_option *o, struct error *err)
{
	int code = session_arm(s, err);

	if (code)
		return code;
	if (s->target.refused)
		log_warn("%u process%s may not be looked at: %s", s->target.refused,
			 s->target.refused == 1 ? "" : "es", s->target.denied.text);
	if (session_run(s) == ENDED_BY_TARGET)
		log_say("the target ended");
	if (s->failed) {
		*err = s->error;
		return s->failed;
	}
	return answer(s, o, err);
}

static int run(void *options, const struct option_rest *rest)
{
	const struct run_option *o = options;
	struct session session = { 0 };
	struct attach_option attach;
	struct error err = { "" };
	int code = attach_option_make(&attach, o, rest, true, &err);

	attach.session.hz = LOOK_HZ;
	attach.session.causes = CAUSES_WALL;
	attach.session.seen = true;
	attach.session.duration = LOOK_NSEC;
	attach.session.names = true;
	if (code == 0)
		code = session_open(&session, &attach.session, &err);
	if (code == 0)
		code = look(&session, o, &err);
	return attach_end(&attach, &session, code, &err);
}

const struct command command_stacks = {
	.name = "stacks",
	.summary = "every thread once: where it is, and what it waits for",
	.usage = "TARGET [--json]",
	.about = "Looks at the target for a moment, without stopping it: threads with the same "
		 "stack are told of together, innermost function first, and how long ago those "
		 "that wait ran last.",
	.groups = { &group_target, &group_json },
	.examples = {
		{ "sonde stacks -p 4242", "it hangs: where?" },
		{ "sonde stacks -p 4242 --thread 'io-*'", "only threads of that name" },
		{ "sonde stacks -p 4242 --json | jq '.threads[].wait.kind'", "for scripts" },
	},
	.run = run,
};
