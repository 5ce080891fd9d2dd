/*
 * record - samples a target for a while and keeps the events, or what they tell.
 */
#include "base/log.h"
#include "cmd/attach_option.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/question.h"
#include "sink/headline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define BAR_WIDTH 32
#define POLLS_A_SHOW 4

/* A file that is written in the course of the run. */
struct recording {
	char *path; /* owned */
	int fd;	    /* -1 = none */
	struct stream_writer *writer;
};

struct screen {
	const struct run_option *option;
	unsigned polls;
};

static int recording_open(struct recording *r, const char *path, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;

	r->path = mem_text(path);
	r->fd = standard ? dup(STDOUT_FILENO)
			 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (r->fd < 0)
		return error_set(err, errno, "cannot write '%s': %s", path, strerror(errno));
	if (!standard)
		output_give_to_caller(r->fd);
	return stream_writer_new(r->fd, path, &r->writer, err);
}

static void recording_done(struct recording *r)
{
	stream_writer_free(r->writer);
	if (r->fd >= 0)
		close(r->fd);
	free(r->path);
}

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

static void show_progress(struct session *s)
{
	struct screen *screen = s->screen;
	double passed = (clock_now() - s->began) / 1e9;
	double share = s->option.duration ? passed * 1e9 / s->option.duration : 0;
	char bar[BAR_WIDTH * 3 + 1] = "", samples[TEXT_QUANTITY], calls[TEXT_QUANTITY];

	if (screen->polls++ % POLLS_A_SHOW)
		return;
	for (int i = 0; s->option.duration && i < BAR_WIDTH; i++)
		strcat(bar, i < share * BAR_WIDTH ? "█" : "░");
	log_progress(" %s  %.1f s   %s samples   %s calls", bar, passed,
		     text_count(samples, s->feed.samples), text_count(calls, s->feed.calls));
}

/* --budget is watched, not enforced: what it came to is said. */
static void say_price(const struct session *s, const struct picture *p,
		      const struct run_option *o)
{
	double share = p ? p->losses.probe_nsec / (double)(clock_now() - s->began) : 0;

	if (share > o->budget)
		log_warn(
			"the probes took about %.1f %% of a core, more than the budget of %.1f %% "
			"(--budget): the target was slowed down by as much",
			100 * share, 100 * o->budget);
}

static void say_end(struct session *s, struct recording *r, enum end_reason reason,
		    const struct run_option *o)
{
	AUTO_TEXT struct text line = { 0 }, split = { 0 };
	struct run_option whole = run_option_defaults;
	struct picture *p = NULL;
	struct error err;
	char size[TEXT_QUANTITY];

	if (reason == ENDED_BY_TARGET)
		log_say("the target ended");
	if (question_ask(&whole, NULL, &s->feed, &p, &err) == 0) {
		question_losses(p, &line);
		log_say("%s", text_string(&line));
	}
	say_price(s, p, o);
	if (p)
		headline_ask(&split, p, "p95");
	picture_free(p);
	if (!r->writer)
		return;
	log_say("wrote %s (%s); ask it: sonde report %s%s", r->path,
		text_size(size, stream_writer_bytes(r->writer)), r->path, text_string(&split));
}

static int finish(struct session *s, const struct run_option *o, const struct output *output,
		  struct error *err)
{
	struct picture *p = NULL;
	int code;

	if (s->failed) {
		*err = s->error;
		return s->failed;
	}
	if (!output->sink)
		return 0;
	code = question_ask(o, output->sink, &s->feed, &p, err);
	if (code == 0)
		code = output_picture(output, p, err);
	picture_free(p);
	return code;
}

static int record(struct session *s, const struct run_option *o, const struct output *output,
		  struct error *err)
{
	struct recording recording = { .fd = -1 };
	struct screen screen = { .option = o };
	enum end_reason reason;
	int code = 0;

	if (!output->sink && !o->dry_run) {
		AUTO_FREE char *path = o->output ? mem_text(o->output) : default_path(s);

		code = recording_open(&recording, path, err);
	}
	s->writer = recording.writer;
	s->screen = &screen;
	s->on_poll = show_progress;
	if (code == 0)
		code = session_arm(s, err);
	if (code == 0) {
		attach_say(s);
		log_detail("ready %.0f ms after the start", (clock_now() - s->opened) / 1e6);
	}
	if (code == 0 && !o->dry_run) {
		reason = session_run(s);
		log_progress_done();
		say_end(s, &recording, reason, o);
		code = finish(s, o, output, err);
	}
	recording_done(&recording);
	return code;
}

/* Can the file be written at all?  Asked before ten seconds are spent on it. */
static int check_writable(const struct output *output, struct error *err)
{
	struct stat st;
	int fd;

	if (!output->sink || !output->path || strcmp(output->path, "-") == 0)
		return 0;
	if (stat(output->path, &st) == 0 && !S_ISREG(st.st_mode))
		return 0;
	fd = open(output->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return error_set(err, errno, "cannot write '%s': %s", output->path,
				 strerror(errno));
	close(fd);
	return 0;
}

static int run(void *options, const struct option_rest *rest)
{
	const struct run_option *o = options;
	struct session session = { 0 };
	struct attach_option attach;
	struct output output;
	struct error err = { "" };
	int code;

	code = attach_option_make(&attach, o, rest, true, &err);
	if (code == 0)
		code = output_choose(o, true, &output, &err);
	if (code == 0 && !o->format && !o->output)
		output.sink = NULL; /* a recording is what this command makes */
	if (code == 0)
		code = question_check(o, &err);
	if (code == 0 && o->split && !o->spans.count)
		code = error_set(&err, EINVAL,
				 "a split needs calls to split: say which function "
				 "with -s PLACE");
	if (code == 0)
		code = check_writable(&output, &err);
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
