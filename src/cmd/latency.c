/*
 * latency - how long the calls of a place take, while they are made.
 */
#include "base/columns.h"
#include "base/log.h"
#include "base/outflow.h"
#include "base/terminal.h"
#include "cmd/attach_option.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/question.h"
#include "sink/latency_screen.h"
#include "sink/losses.h"

#include <errno.h>
#include <unistd.h>

#define WINDOW_LINES 24 /* where it is not known */

struct screen {
	const struct run_option *option;
	struct outflow out; /* a reader may stand still: what is measured goes on */
	bool terminal;
	unsigned lines; /* drawn last time, to be drawn over */
	nsec drawn;	/* until when what was drawn last is */
	struct error error;
};

static unsigned columns_here(void)
{
	unsigned columns = terminal_columns(STDOUT_FILENO);

	return columns ? columns : 80;
}

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
			latency_draw(p, &p->spans.at[i], &now, columns_here(),
				     final ? 0 : lines_for_each(p), to);
	}
	screen->drawn = p->to;
}

/* What will be drawn over must be no more than the window has. */
static void put(struct screen *screen, const struct text *bytes, bool final)
{
	AUTO_TEXT struct text clipped = { 0 }, ascii = { 0 }, drawn = { 0 };
	const char *out = text_string(bytes);
	unsigned window = terminal_lines(STDOUT_FILENO), lines = 0;

	if (screen->terminal && !final) {
		columns_clip(&clipped, out, columns_here(),
			     window > 2 ? window - 1 : WINDOW_LINES - 1);
		out = text_string(&clipped);
	}
	out = terminal_text(out, &ascii);
	if (screen->terminal && screen->lines)
		text_format(&drawn, "\033[%uA\033[J", screen->lines);
	text_add(&drawn, out);
	outflow_put(&screen->out, text_string(&drawn), drawn.size);
	for (; *out; out++)
		lines += *out == '\n';
	screen->lines = lines;
}

static void show(struct screen *screen, struct session *s, bool final)
{
	const struct ask ask = question_of(screen->option, NULL);
	AUTO_TEXT struct text bytes = { 0 };
	struct picture *p = NULL;

	if (ask_picture(&ask, &s->feed, &p, &screen->error) == 0)
		draw(screen, s, p, final, &bytes);
	picture_free(p);
	put(screen, &bytes, final);
}

static void on_tick(void *context, struct session *s)
{
	struct screen *screen = context;

	/* a pipe gets text once, at the end; a stream of objects is asked for by --json */
	if (screen->terminal || screen->option->json) {
		outflow_try(&screen->out);
		if (!outflow_waiting(&screen->out))
			show(screen, s, false);
	}
	if (screen->out.failed)
		loop_stop(&s->loop, ENDED_BY_USER);
}

static void say_end(struct session *s)
{
	AUTO_TEXT struct text line = { 0 };
	struct picture *p = NULL;
	const struct ask whole = { NULL };

	if (ask_picture(&whole, &s->feed, &p, NULL) == 0) {
		losses_of_calls(p, &line);
		log_say("%s", text_string(&line));
	}
	picture_free(p);
}

static int measure(struct session *s, const struct run_option *o, struct error *err)
{
	struct screen screen = {
		.option = o,
		.terminal = !o->json && terminal_has_codes(STDOUT_FILENO),
	};
	enum end_reason reason;
	int code = session_arm(s, err);

	if (code)
		return code;
	attach_say(s);
	if (o->dry_run)
		return 0;
	session_observe(s, (struct session_observer){ .on_tick = on_tick, .context = &screen });
	outflow_open(&screen.out, STDOUT_FILENO);
	reason = session_run(s);
	show(&screen, s, true);
	code = outflow_end(&screen.out);
	outflow_done(&screen.out);
	if (reason == ENDED_BY_TARGET)
		log_say("the target ended");
	say_end(s);
	if (s->failed)
		*err = s->error;
	else if (code && code != -EPIPE) /* else the reader has seen enough */
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
