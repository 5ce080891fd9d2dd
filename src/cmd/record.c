/*
 * record - samples a target for a while and keeps the events, or what they tell.
 */
#include "base/log.h"
#include "cmd/attach_option.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/question.h"
#include "cmd/record_file.h"
#include "sink/headline.h"
#include "sink/losses.h"

#include <errno.h>
#include <stdio.h>

#define BAR_WIDTH 32
#define POLLS_A_SHOW 4

/* Without -o: "COMM-PID.sonde", here. */
static char *default_path(const struct session *s)
{
	const struct process *p = s->target.processes.count ? &s->target.processes.at[0] : NULL;
	char *path = p ? mem_format("%s-%u.sonde", p->comm, p->pid) : mem_text("all.sonde");

	for (char *c = path; *c; c++) {
		if ((unsigned char)*c <= ' ' || *c == '/')
			*c = '_';
	}
	return path;
}

/* context: how often it was called. */
static void show_progress(void *context, struct session *s)
{
	unsigned *polls = context;
	double passed = (clock_now() - s->began) / 1e9;
	double share = s->option.duration ? passed * 1e9 / s->option.duration : 0;
	char bar[BAR_WIDTH * 3 + 1] = "", samples[TEXT_QUANTITY], calls[TEXT_QUANTITY];

	if ((*polls)++ % POLLS_A_SHOW)
		return;
	for (int i = 0; s->option.duration && i < BAR_WIDTH; i++)
		strcat(bar, i < share * BAR_WIDTH ? "█" : "░");
	log_progress(" %s  %.1f s   %s samples   %s calls", bar, passed,
		     text_count(samples, s->feed.samples), text_count(calls, s->feed.calls));
}

static void say_kept(const struct record_file *f, const struct picture *p)
{
	AUTO_TEXT struct text split = { 0 };
	char size[TEXT_QUANTITY];

	if (p)
		headline_ask(&split, p, "p95", false);
	log_say("wrote %s (%s); ask it: sonde report %s%s", f->file.path,
		text_size(size, stream_writer_bytes(f->writer)), f->file.path,
		text_string(&split));
}

/* What was lost is said last. */
static void say_end(struct session *s, const struct record_file *f, const struct run_option *o)
{
	AUTO_TEXT struct text line = { 0 };
	const struct ask whole = { NULL };
	struct picture *p = NULL;

	(void)ask_picture(&whole, &s->feed, &p, NULL);
	attach_say_price(s, p, o);
	if (f->writer && !s->failed)
		say_kept(f, p);
	if (p) {
		losses_of_all(p, &line);
		log_say("%s", text_string(&line));
	}
	picture_free(p);
}

/* A reader that goes has seen enough, which is no error. */
static int finish_recording(struct session *s, const struct record_file *f, struct error *err)
{
	if (!s->failed)
		s->failed = record_file_end(f, &s->error);
	if (s->failed == -EPIPE) {
		log_say("%s", s->error.text);
		return 0;
	}
	*err = s->error;
	return s->failed;
}

static int finish(struct session *s, const struct run_option *o, const struct output *output,
		  const struct record_file *f, struct error *err)
{
	struct picture *p = NULL;
	struct ask ask;
	int code;

	if (!output->sink)
		return finish_recording(s, f, err);
	if (s->failed) {
		*err = s->error;
		return s->failed;
	}
	ask = question_of(o, output->sink);
	code = ask_picture(&ask, &s->feed, &p, err);
	if (code == 0)
		code = output_picture(output, p, err);
	picture_free(p);
	return code;
}

static int run_session(struct session *s, const struct run_option *o,
		       const struct output *output, const struct record_file *f,
		       struct error *err)
{
	unsigned polls = 0;
	enum end_reason reason;
	int code;

	session_observe(s, (struct session_observer){ .on_poll = show_progress,
						      .context = &polls });
	reason = session_run(s);
	log_progress_done();
	if (reason == ENDED_BY_TARGET)
		log_say("the target ended");
	code = finish(s, o, output, f, err);
	say_end(s, f, o);
	return code;
}

static int record(struct session *s, const struct run_option *o, const struct output *output,
		  struct error *err)
{
	struct record_file file = { .file.fd = -1 };
	int code = 0;

	if (!output->sink && !o->dry_run) {
		AUTO_FREE char *path = o->output ? mem_text(o->output) : default_path(s);

		code = record_file_open(&file, path, o->output ? REPLACE_NAMED : REPLACE_CHOSEN,
					err);
	}
	s->writer = file.writer;
	s->option.names = output->sink;
	if (code == 0)
		code = session_arm(s, err);
	if (code == 0)
		code = record_file_keep(&file, err);
	if (code == 0) {
		attach_say(s);
		log_detail("ready %.0f ms after the start", (clock_now() - s->opened) / 1e6);
	}
	if (code == 0 && !o->dry_run)
		code = run_session(s, o, output, &file, err);
	record_file_done(&file);
	return code;
}

static int run(void *options, const struct option_rest *rest)
{
	const struct run_option *o = options;
	struct session session = { 0 };
	struct attach_option attach;
	const struct ask ask = question_of(o, NULL);
	struct output output;
	struct error err = { "" };
	int code;

	code = attach_option_make(&attach, o, rest, true, &err);
	if (code == 0)
		code = output_choose(o, true, &output, &err);
	if (code == 0 && !o->format && !o->output)
		output.sink = NULL; /* a recording is what this command makes */
	if (code == 0)
		code = ask_check(&ask, &err);
	if (code == 0 && o->split && !o->spans.count)
		code = error_set(&err, EINVAL,
				 "a split needs calls to split: say which function "
				 "with -s PLACE");
	if (code == 0)
		code = output.sink && output.path && strcmp(output.path, "-")
			       ? replace_try(output.path, &err)
			       : 0;
	if (code == 0)
		code = session_open(&session, &attach.session, &err);
	if (code == 0)
		code = record(&session, o, &output, &err);
	return attach_end(&attach, &session, code, &err);
}

const struct command command_record = {
	.name = "record",
	.summary = "sample a target for a while; write a recording, a profile or a picture",
	.usage = "TARGET [-s PLACE]... [-d TIME] [-o FILE]",
	.about = "Samples where the target spends its time and, with -s, watches every call of "
		 "PLACE. Without -o the recording is COMM-PID.sonde; it can be asked any "
		 "question later, on any machine (sonde report). Ends after -d, at Ctrl-C, or "
		 "with the target.",
	.groups = { &group_target, &group_samples, &group_spans, &group_split, &group_time,
		    &group_window, &group_output, &group_care },
	.takes_program = true,
	.examples = {
		{ "sonde record -p 4242 -s handle_request -d 10 -o slow.sonde",
		  "ten seconds, with every call of handle_request" },
		{ "sonde record -p 4242 -s handle_request --split 'dur > p95' -d 10 -o slow.svg",
		  "what the slow calls do that the others do not, as a flame graph" },
		{ "sonde record -o build.svg -- make -j2", "a command and its children" },
	},
	.run = run,
};
