#include "session/session.h"

#include "base/guard.h"
#include "base/log.h"
#include "base/notice.h"
#include "proc/thread.h"
#include "session/files.h"
#include "session/follow.h"
#include "session/launch.h"
#include "session/permit.h"
#include "source/calibrate.h"
#include "source/live.h"
#include "wire/sample_cause.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int find_target(struct session *s, struct error *err)
{
	struct target_query query = s->option.query;
	int code;

	if (!s->option.program)
		return target_find(&query, &s->target, err);
	code = launch_open(s->option.program, &s->child, err);
	if (code)
		return code;
	s->held = true;
	if (s->option.nr_places) {
		code = launch_load(s->child, err);
		s->held = code == 0;
	}
	if (code)
		return code;
	query = (struct target_query){ .pids = &s->child,
				       .nr_pids = 1,
				       .thread = s->option.query.thread };
	return target_find(&query, &s->target, err);
}

static int open_all(struct session *s, struct error *err)
{
	const struct session_option *option = &s->option;
	int code;

	code = process_numbers_check(err);
	if (code == 0)
		code = files_allow_many(err);
	if (code)
		return code;
	s->images = images_new();
	s->watch.images = s->images;
	code = find_target(s, err);
	if (code)
		return code;
	if (s->target.all && option->nr_places)
		return error_set(err, EINVAL,
				 "a span needs a process: give -p PID or -n NAME with -s, "
				 "not -a");
	return watch_find(&s->watch, &s->target, option->places, option->nr_places,
			  option->exit, err);
}

int session_open(struct session *s, const struct session_option *option, struct error *err)
{
	int code;

	*s = (struct session){ .option = *option, .opened = clock_now() };
	notice_begin("looking at the target");
	code = open_all(s, err);
	notice_end();
	return code;
}

void session_observe(struct session *s, struct session_observer observer)
{
	array_push(&s->observers, observer);
}

static void fail(struct session *s, int code)
{
	s->failed = code;
	loop_stop(&s->loop, ENDED_BY_USER);
}

static void tell_poll(void *context)
{
	const struct session *s = context;

	for (uint32_t i = 0; i < s->observers.count; i++)
		if (s->observers.at[i].on_poll)
			s->observers.at[i].on_poll(s->observers.at[i].context, context);
}

static void on_poll(void *context)
{
	struct session *s = context;

	follow_new_code(s);
	permit_pending(s);
	source_poll(s->source);
	follow_born(s);
	feed_pass(&s->feed);
	tell_poll(s);
}

/* To name what is new may take half a second the first time: none of it shortly before the
 * end, which would be late, and where all of it comes. */
#define NAMING_TIME NSEC_PER_SEC
/* So long symbols that are being read are waited for: in a tick, and at the end. */
#define TICK_PATIENCE (100 * NSEC_PER_MSEC)
#define END_PATIENCE (10 * NSEC_PER_SEC)
/* So much CPU time lines may take by then, in which nobody hears a signal. */
#define END_LINES NSEC_PER_SEC

static void on_tick(void *context)
{
	struct session *s = context;
	nsec left = loop_left(&s->loop);

	if (left == 0)
		return;
	s->heard = 0;
	follow_unheard(s);
	follow_new_code(s);
	permit_pending(s);
	source_tick(s->source);
	follow_born(s);
	if (left >= NAMING_TIME)
		feed_name(&s->feed, TICK_PATIENCE);
	feed_flush(&s->feed);
	if (s->feed.failed && !s->failed) {
		s->error = s->feed.error;
		fail(s, s->feed.failed);
	}
	for (uint32_t i = 0; i < s->observers.count; i++)
		if (s->observers.at[i].on_tick)
			s->observers.at[i].on_tick(s->observers.at[i].context, s);
}

static const char *kernel_symbol(void *context, uint64_t address)
{
	struct session *s = context;

	return source_kernel_symbol(s->source, address);
}

/* Threads that --thread or -t take, of those that run now. */
static int add_threads(struct session *s, uint32_t pid, struct error *err)
{
	struct thread_list threads = { 0 };
	int code = thread_list_read(pid, &threads, err);

	for (uint32_t i = 0; code == 0 && i < threads.count; i++) {
		if (!target_takes_thread(&s->target, threads.at[i].tid, threads.at[i].comm))
			continue;
		s->threads++;
		code = source_add_thread(s->source, threads.at[i].tid, err);
	}
	array_done(&threads);
	return code;
}

/* Of many, some end before they are looked at: it is counted, and the others are watched. */
static bool may_miss(const struct session *s, const struct process *p)
{
	return s->target.many && !process_is_alive(p);
}

/* Before the programs are loaded: they need to know how much there is. */
static int describe_processes(struct session *s, struct error *err)
{
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < s->target.processes.count; i++) {
		const struct process *p = &s->target.processes.at[i];

		code = describe_process(&s->describe, p->pid, err);
		if (code && may_miss(s, p))
			code = 0;
	}
	return code;
}

/* Watched first: from then on its number is its own, and its end is seen. */
static int add_process(struct session *s, const struct process *p, bool by_thread,
		       struct error *err)
{
	int code = loop_add_process(&s->loop, p->pid, p->pid == s->child, err);

	if (code == 0 && !process_is_alive(p))
		code = error_set(err, ESRCH, "process %u (%s) has ended", p->pid, p->comm);
	if (code == 0)
		code = source_add_process(s->source, p->pid, err);
	if (code == 0 && by_thread)
		code = add_threads(s, p->pid, err);
	return code;
}

static int add_processes(struct session *s, bool by_thread, struct error *err)
{
	for (uint32_t i = s->target.processes.count; i-- > 0;) {
		const struct process p = s->target.processes.at[i];
		int code = add_process(s, &p, by_thread, err);

		if (code == -ESRCH && may_miss(s, &p))
			target_drop(&s->target, p.pid);
		else if (code)
			return code;
	}
	return s->target.all || s->target.processes.count
		       ? 0
		       : error_set(err, ESRCH, "all %u processes of the target have ended",
				   s->target.ended);
}

/* Samples that tell whether calls are over; nobody asked for them for their own sake. */
#define BRACKET_HZ 997

static void look_often(struct session_option *o)
{
	if (o->hz)
		return;
	o->hz = BRACKET_HZ;
	o->causes |= CAUSES_ON;
	o->user = true;
}

/* Before the end is recorded.  A signal ends it, a second one where the first ended the run. */
static void name_rest(void *context)
{
	struct session *s = context;
	int signals = s->loop.signals;
	nsec until = clock_now() + END_PATIENCE;
	bool all = feed_name(&s->feed, TICK_PATIENCE);

	while (!all && clock_now() < until && s->loop.signals == signals) {
		log_progress("reading the symbols of %s (Ctrl-C: go without)",
			     namer_awaited(s->feed.namer));
		all = feed_name(&s->feed, TICK_PATIENCE);
	}
	log_progress_done();
	if (!all) {
		namer_give_up(s->feed.namer);
		feed_name(&s->feed, 0);
	}
	feed_add_lines(&s->feed, END_LINES);
}

static bool puts_probes(const struct session *s)
{
	return !s->option.dry_run &&
	       (s->watch.set.count || s->watch.brackets || s->option.more);
}

static int arm(struct session *s, struct error *err)
{
	bool by_thread = s->target.thread || s->target.tids.count;
	struct source_option option;
	int code;

	if (s->watch.brackets)
		look_often(&s->option);
	option = (struct source_option){
		.hz = s->option.hz,
		.running = s->option.causes & CAUSES_ON,
		.waiting = s->option.causes & CAUSES_OFF,
		.seen = s->option.seen,
		.user = s->option.user,
		.kernel = s->option.kernel,
		.follow = !by_thread,
		.every = s->target.all,
		.by_thread = by_thread,
		.names = s->target.tids.count ? NULL : s->target.thread,
		.probes = s->watch.set.count,
		.more = s->option.more,
		.goroutines = s->watch.layouts.count > 0,
		.brackets = s->watch.brackets,
		.attach = s->watch.set.count || s->option.more ? kernel_attach_kind()
							       : ATTACH_SESSION,
	};
	s->watch.goroutines = option.goroutines || option.more;
	s->tables = tables_new(s->images);
	feed_init(&s->feed, s->images);
	s->feed.writer = s->writer;
	s->feed.live = true;
	s->feed.names = s->writer || s->option.names;
	s->feed.on_end = name_rest;
	s->feed.context = s;
	describe_init(&s->describe, s->images, follow_described, follow_image, s);
	s->described = true;
	loop_init(&s->loop, s);
	s->looped = true;
	s->loop.on_poll = on_poll;
	s->loop.on_tick = on_tick;
	s->loop.keep = s->target.all;
	follow_maps(s);
	describe_machine(&s->describe, s->option.hz, s->option.causes, s->option.command);
	code = describe_processes(s, err);
	if (code)
		return code;
	option.tables = s->tables;
	if (!watch_fits(&s->watch, option.attach, err))
		return -EPERM;
	if (puts_probes(s))
		guard_begin();
	code = (s->option.open ? s->option.open : live_open)(&option, follow_event, s,
							     &s->source, err);
	if (code == 0)
		namer_ask_kernel(s->feed.namer, kernel_symbol, s);
	if (code == 0 && !s->option.accept_dear && !s->option.dry_run)
		code = watch_price(&s->watch, 0, s->source, err);
	if (code == 0)
		code = add_processes(s, by_thread, err);
	if (code == 0 && !s->option.dry_run)
		code = watch_arm(&s->watch, s->source, err);
	if (code == 0 && by_thread && !s->threads && !s->child) /* a command's come later */
		code = error_set(err, ESRCH, "no thread of the target is named '%s'",
				 s->target.thread ? s->target.thread : "");
	if (code == 0)
		watch_tell(&s->watch, 0, s->source, &s->describe, &s->feed);
	if (code == 0)
		permit_pending(s);
	return code;
}

int session_arm(struct session *s, struct error *err)
{
	int code;

	notice_begin("attaching");
	code = arm(s, err);
	notice_end();
	return code;
}

/* That we were asked to end, now or later.  There is no moment between the two at which a
 * signal would end us alone. */
static void tell_child(struct session *s)
{
	launch_hand_on(s->child);
	if (!s->loop.signal)
		return;
	if (!s->loop.by_terminal)
		kill(s->child, s->loop.signal);
	loop_deaf(&s->loop);
}

enum end_reason session_run(struct session *s)
{
	enum end_reason reason = ENDED_BY_USER;

	s->began = clock_now();
	s->failed = source_start(s->source, &s->error);
	if (!s->failed && s->held) {
		loop_hear(&s->loop); /* nothing ends it with us any more */
		s->failed = launch_go(s->child, &s->error);
	}
	if (s->held && !s->failed)
		follow_command(s);
	s->held = s->held && s->failed;
	if (!s->failed)
		reason = loop_run(&s->loop, s->option.duration, s->option.interval);
	source_stop(s->source, reason, loop_child_status(&s->loop));
	feed_flush(&s->feed);
	if (s->feed.failed && !s->failed) {
		s->error = s->feed.error;
		s->failed = s->feed.failed;
	}
	/* all that was gathered is written, or can be asked */
	if (loop_child_runs(&s->loop))
		tell_child(s);
	else
		loop_deaf(&s->loop);
	return reason;
}

void session_linger(struct session *s)
{
	s->feed.live = false;
	s->loop.keep = true;
	s->loop.on_poll = tell_poll;
	s->loop.on_tick = NULL;
	loop_run(&s->loop, 0, s->option.interval);
	loop_deaf(&s->loop);
}

int session_child_status(const struct session *s)
{
	int status = loop_child_status(&s->loop);

	if (loop_child_runs(&s->loop)) {
		if (!s->loop.signal)
			log_say("the command runs on, and is waited for");
		status = launch_wait(s->child);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void session_close(struct session *s)
{
	if (s->held)
		launch_abandon(s->child);
	source_close(s->source);
	guard_end();
	if (s->looped)
		loop_done(&s->loop);
	mapwatch_close(&s->mapwatch);
	if (s->described) {
		describe_done(&s->describe);
		feed_done(&s->feed);
	}
	tables_free(s->tables);
	finder_done(&s->finder);
	watch_done(&s->watch);
	target_done(&s->target);
	array_done(&s->observers);
	array_done(&s->born);
	array_done(&s->young);
	array_done(&s->unjudged);
	images_free(s->images);
}
