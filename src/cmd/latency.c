/*
 * latency - how long the calls of a place take, while they are made.
 */
#include "base/log.h"
#include "base/terminal.h"
#include "cmd/attach_option.h"
#include "cmd/command.h"
#include "cmd/question.h"
#include "cmd/redraw.h"
#include "sink/latency_screen.h"
#include "sink/losses.h"

#include <errno.h>
#include <unistd.h>

struct screen {
	const struct run_option *option;
	struct redraw redraw;
	nsec drawn; /* until when what was drawn last is */
	struct error error;
};

/* For each of the spans, so that all of them can be drawn over; 0: any. */
static unsigned lines_for_each(const struct picture *p)
{
	unsigned lines = terminal_lines(STDOUT_FILENO);

	return lines > p->spans.count ? (lines - 1) / p->spans.count : 0;
}

/* What is new in a picture on its own. */
static struct latency_now look_at_now(const struct screen *screen, struct session *s,
				      const struct picture *all, uint32_t span)
{
	struct ask last = question_of(screen->option, NULL);
	struct latency_now now = { 0 };
	struct picture *p = NULL;

	last.last = all->to - (screen->drawn ? screen->drawn : all->from);
	if (!last.last)
		last.last = 1;
	if (ask_picture(&last, &s->feed, &p, NULL) == 0 && span < p->spans.count) {
		const struct picture_span *k = &p->spans.at[span];

		now = (struct latency_now){ k->rate, k->p50, k->p95, k->p99 };
	}
	picture_free(p);
	return now;
}

static void draw(struct screen *screen, struct session *s, const struct picture *p, bool final,
		 struct text *to)
{
	for (uint32_t i = 0; i < p->spans.count; i++) {
		struct latency_now now = { .rate = p->spans.at[i].rate };

		if (!final)
			now = look_at_now(screen, s, p, i);
		if (screen->option->json)
			latency_json(p, &p->spans.at[i], &now, final, to);
		else
			latency_draw(p, &p->spans.at[i], &now, redraw_columns(),
				     final ? 0 : lines_for_each(p), to);
	}
	screen->drawn = p->to;
}

static void show(struct screen *screen, struct session *s, bool final)
{
	const struct ask ask = question_of(screen->option, NULL);
	AUTO_TEXT struct text bytes = { 0 };
	struct picture *p = NULL;

	if (ask_picture(&ask, &s->feed, &p, &screen->error) == 0)
		draw(screen, s, p, final, &bytes);
	picture_free(p);
	redraw_put(&screen->redraw, &bytes, final);
}

static void on_tick(void *context, struct session *s)
{
	struct screen *screen = context;

	/* a pipe gets text once, at the end; a stream of objects is asked for by --json */
	if ((screen->redraw.terminal || screen->option->json) && redraw_ready(&screen->redraw))
		show(screen, s, false);
	if (screen->redraw.out.failed)
		loop_stop(&s->loop, ENDED_BY_USER);
}

static void say_end(struct session *s, const struct run_option *o)
{
	AUTO_TEXT struct text line = { 0 };
	struct picture *p = NULL;
	const struct ask whole = { NULL };

	if (ask_picture(&whole, &s->feed, &p, NULL) == 0) {
		attach_say_price(s, p, o);
		losses_of_calls(p, &line);
		log_say("%s", text_string(&line));
	}
	picture_free(p);
}

static int measure(struct session *s, const struct run_option *o, struct error *err)
{
	struct screen screen = { .option = o };
	enum end_reason reason;
	int code = session_arm(s, err);

	if (code)
		return code;
	attach_say(s);
	if (o->dry_run)
		return 0;
	session_observe(s, (struct session_observer){ .on_tick = on_tick, .context = &screen });
	redraw_open(&screen.redraw, o->json);
	reason = session_run(s);
	show(&screen, s, true);
	code = redraw_end(&screen.redraw);
	if (reason == ENDED_BY_TARGET)
		log_say("the target ended");
	say_end(s, o);
	if (s->failed)
		*err = s->error;
	else if (code)
		return error_set(err, -code, "cannot write the answer: %s", strerror(-code));
	return s->failed;
}

static int run(void *options, const struct option_rest *rest)
{
	const struct run_option *o = options;
	struct session session = { 0 };
	struct attach_option attach;
	struct error err = { "" };
	int code;

	code = attach_option_make(&attach, o, rest, false, &err);
	if (code == 0 && !attach.session.nr_places)
		code = error_set(&err, EINVAL,
				 "which function? say: sonde latency -p PID FUNCTION");
	if (code == 0)
		code = session_open(&session, &attach.session, &err);
	if (code == 0)
		code = measure(&session, o, &err);
	return attach_end(&attach, &session, code, &err);
}

const struct command command_latency = {
	.name = "latency",
	.summary = "how long calls of PLACE take: live histogram and percentiles",
	.usage = "TARGET PLACE...",
	.about = "Counts every call of PLACE in the kernel and shows the distribution of their "
		 "durations, until -d, Ctrl-C, or the end of the target. On a terminal the "
		 "picture is redrawn every -i; into a pipe it is written once, at the end; with "
		 "--json it is one object a refresh, the last with \"final\": true.",
	.groups = { &group_target, &group_spans, &group_time, &group_window, &group_json,
		    &group_care },
	.words_least = 0,
	.words_most = COMMAND_MANY_WORDS,
	.takes_program = true,
	.examples = {
		{ "sonde latency -p 4242 handle_request", "until Ctrl-C" },
		{ "sonde latency -p 4242 c:malloc -d 5 --json", "five seconds, for a script" },
	},
	.run = run,
};
