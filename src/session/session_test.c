/*
 * session_test - a run from its beginning to its end, on a source that is none.
 */
#include "session/session.h"

#include "session/ask.h"
#include "source/fake.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define TICK (10 * NSEC_PER_MSEC)
#define TICKS 3

/* Of the target: its calls are looked up in this very program. */
__attribute__((noinline, used)) int session_test_call(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((noinline, used)) int session_test_other(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 2;
}

struct scene {
	struct fake fake;
	struct session session;
	struct session_option option;
	uint32_t pid, probe;
	struct error err;
	unsigned told[2]; /* how often each observer was */
	bool in_order;
};

static struct fake *opened; /* a source_open function has no other way to it */

static int open_fake(const struct source_option *option, source_event event, void *context,
		     struct source **ret, struct error *err)
{
	return fake_open(opened, option, event, context, ret, err);
}

static int begin(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	s->pid = pid;
	s->option = (struct session_option){
		.query = { .pids = &s->pid, .nr_pids = 1 },
		.hz = 99,
		.user = true,
		.accept_dear = true,
		.interval = TICK,
		.open = open_fake,
	};
	opened = &s->fake;
	s->fake.test = s;
	*state = s;
	return 0;
}

static void end_target(struct scene *s)
{
	if (!s->pid)
		return;
	kill((pid_t)s->pid, SIGKILL);
	waitpid((pid_t)s->pid, NULL, 0);
	s->pid = 0;
}

static int finish(void **state)
{
	struct scene *s = *state;

	end_target(s);
	fake_done(&s->fake);
	free(s);
	return 0;
}

/* Ends after a few ticks: nothing here depends on how long they take. */
static void stop_after_ticks(void *context, struct session *session)
{
	struct scene *s = context;

	s->told[1]++;
	s->in_order = s->told[0] == s->told[1];
	if (s->fake.ticks >= TICKS)
		loop_stop(&session->loop, ENDED_BY_USER);
}

static void count_tick(void *context, struct session *session)
{
	struct scene *s = context;

	(void)session;
	s->told[0]++;
}

static int arm(struct scene *s)
{
	int code = session_open(&s->session, &s->option, &s->err);

	if (code)
		return code;
	session_observe(&s->session,
			(struct session_observer){ .on_tick = count_tick, .context = s });
	session_observe(&s->session,
			(struct session_observer){ .on_tick = stop_after_ticks, .context = s });
	return session_arm(&s->session, &s->err);
}

static void it_is_armed_started_and_stopped(void **state)
{
	struct scene *s = *state;

	assert_int_equal(arm(s), 0);
	assert_string_equal(text_string(&s->fake.did), "open add_process");
	assert_int_equal(s->fake.option.hz, 99);
	assert_int_equal(session_run(&s->session), ENDED_BY_USER);
	assert_int_equal(s->session.failed, 0);
	session_close(&s->session);
	assert_string_equal(text_string(&s->fake.did),
			    "open add_process start tick stop close");
	assert_int_equal(s->fake.ticks, TICKS);
	assert_int_equal(s->fake.reason, ENDED_BY_USER);
}

static void observers_are_told_in_order(void **state)
{
	struct scene *s = *state;

	assert_int_equal(arm(s), 0);
	session_run(&s->session);
	session_close(&s->session);
	assert_int_equal(s->told[0], TICKS);
	assert_int_equal(s->told[1], TICKS);
	assert_true(s->in_order);
}

static void probes_are_there_before_it_starts(void **state)
{
	static const char *const places[] = { "session_test_call" };
	struct scene *s = *state;

	s->option.places = places;
	s->option.nr_places = 1;
	s->option.exit = EXIT_WISH_BRACKET;
	if (arm(s))
		fail_msg("%s", s->err.text);
	assert_string_equal(text_string(&s->fake.did), "open add_process watch");
	assert_true(s->fake.sites >= 1);
	assert_int_equal(s->fake.option.probes, 1);
	session_close(&s->session);
}

static void send_calls(struct fake *f)
{
	struct {
		struct event_calls calls;
		struct call_bucket bucket;
	} e = {
		.calls = {
			.head = { .kind = EVENT_CALLS, .size = sizeof(e), .time = clock_now() },
			.probe = 1,
			.entries = 7,
			.max = 2000,
			.nr_buckets = 1,
		},
		.bucket = { bucket_of(2000), 7 },
	};

	e.calls.ended[END_RETURN] = 7;
	e.calls.since = e.calls.head.time - NSEC_PER_MSEC;
	fake_send(f, &e.calls.head);
}

static void what_came_can_be_asked(void **state)
{
	static const char *const places[] = { "session_test_call" };
	struct scene *s = *state;
	const struct ask all = { NULL }, nonsense = { .split = "dur >" };
	struct picture *p = NULL;

	s->option.places = places;
	s->option.nr_places = 1;
	s->option.exit = EXIT_WISH_BRACKET;
	s->fake.on_tick = send_calls;
	assert_int_equal(arm(s), 0);
	session_run(&s->session);
	assert_int_equal(s->session.feed.calls, 7 * TICKS);
	assert_int_equal(ask_picture(&all, &s->session.feed, &p, &s->err), 0);
	assert_int_equal(p->spans.count, 1);
	assert_int_equal(p->spans.at[0].entries, 7 * TICKS);
	assert_string_equal(picture_text(p, p->spans.at[0].place), "session_test_call");
	picture_free(p);
	assert_int_equal(ask_check(&nonsense, &s->err), -EINVAL);
	session_close(&s->session);
}

static int watch(struct scene *s, const char *place)
{
	return session_watch(&s->session, place, EXIT_WISH_BRACKET, true, &s->probe, &s->err);
}

/* At the first tick it is watched, at the second no more. */
static void watch_in_ticks(struct fake *f)
{
	struct scene *s = f->test;
	struct session *session = &s->session;

	if (f->ticks == 1) {
		assert_int_equal(watch(s, "no_such_function"), -ENOENT);
		assert_int_equal(s->probe, 0);
		if (watch(s, "session_test_call"))
			fail_msg("%s", s->err.text);
		assert_int_equal(session_watch(session, "session_test_call", EXIT_WISH_BRACKET,
					       true, &(uint32_t){ 0 }, &s->err),
				 -EEXIST);
	} else if (f->ticks == 2) {
		assert_int_equal(session_unwatch(session, s->probe, &s->err), 0);
		assert_int_equal(session_unwatch(session, s->probe, &s->err), -ENOENT);
	}
}

static void a_place_can_be_watched_while_it_runs(void **state)
{
	const struct ask all = { NULL }, of_it = { .split = "session_test_call.dur > 1ms" };
	struct scene *s = *state;
	struct picture *p = NULL;

	s->option.more = 8;
	s->fake.on_tick = watch_in_ticks;
	assert_int_equal(arm(s), 0);
	session_run(&s->session);
	assert_int_equal(s->session.failed, 0);
	assert_string_equal(
		text_string(&s->fake.did),
		"open add_process start tick brackets watch count tick unwatch tick "
		"stop");
	assert_int_equal(s->session.watch.set.count, 0);
	assert_int_equal(ask_picture(&all, &s->session.feed, &p, &s->err), 0);
	assert_int_equal(p->spans.count, 1);
	assert_string_equal(picture_text(p, p->spans.at[0].place), "session_test_call");
	picture_free(p);
	assert_int_equal(ask_picture(&of_it, &s->session.feed, &p, &s->err), 0);
	assert_int_equal(p->split_span, 0);
	picture_free(p);
	session_close(&s->session);
}

static json_t *find(struct scene *s, const char *text)
{
	struct search search = { .text = text, .most = 9, .time = 60 * NSEC_PER_SEC };
	json_t *found = NULL;

	if (session_find(&s->session, &search, &found, &s->err))
		fail_msg("%s", s->err.text);
	return found;
}

static const char *string_in(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* A search looks for lines a little while only, and goes on at the next one. */
static json_t *find_with_line(struct scene *s, const char *text)
{
	json_t *found;

	for (int i = 0; i < 100; i++) {
		const char *file;

		found = find(s, text);
		file = string_in(json_array_get(json_object_get(found, "rows"), 0), "file");
		if (!file || *file)
			break;
		json_decref(found);
		found = NULL;
	}
	assert_non_null(found);
	return found;
}

/* Before and after a place is watched, and when what is mapped was looked at again. */
static void find_in_ticks(struct fake *f)
{
	struct scene *s = f->test;
	json_t *found, *rows, *row;

	if (f->ticks > 2)
		return;
	found = find_with_line(s, "session_test_c");
	rows = json_object_get(found, "rows");
	assert_int_equal(json_integer_value(json_object_get(found, "fit")), 1);
	assert_int_equal(json_array_size(rows), 1);
	row = json_array_get(rows, 0);
	assert_string_equal(string_in(row, "place"), "session_test_call");
	assert_string_equal(string_in(row, "name"), "session_test_call");
	assert_string_equal(string_in(row, "file"), "session_test.c");
	assert_true(json_is_true(json_object_get(row, "main")));
	assert_non_null(string_in(row, "price"));
	json_decref(found);
	found = find(s, "libc:getpid");
	row = json_array_get(json_object_get(found, "rows"), 0);
	assert_string_equal(string_in(row, "name"), "libc:getpid");
	assert_true(json_is_false(json_object_get(row, "main")));
	json_decref(found);
	if (f->ticks == 1)
		assert_int_equal(watch(s, "session_test_call"), 0);
	if (f->ticks == 2)
		finder_done(&s->session.finder);
}

static void what_could_be_watched_is_found(void **state)
{
	struct search wrong = { .text = "/(/", .most = 9, .time = NSEC_PER_SEC };
	struct scene *s = *state;
	json_t *found = NULL;

	s->option.more = 8;
	s->fake.on_tick = find_in_ticks;
	assert_int_equal(arm(s), 0);
	session_run(&s->session);
	assert_int_equal(session_find(&s->session, &wrong, &found, &s->err), -EINVAL);
	assert_null(found);
	session_close(&s->session);
}

static void watch_too_many(struct fake *f)
{
	struct scene *s = f->test;

	if (f->ticks != 1)
		return;
	assert_int_equal(watch(s, "session_test_call"), 0);
	assert_int_equal(watch(s, "session_test_other"), -E2BIG);
	assert_non_null(strstr(s->err.text, "1 place is watched"));
}

static void there_is_room_for_so_many(void **state)
{
	struct scene *s = *state;

	s->option.more = 1;
	s->fake.on_tick = watch_too_many;
	assert_int_equal(arm(s), 0);
	session_run(&s->session);
	session_close(&s->session);
}

/* What could not be attached leaves nothing behind, and the place can be tried again. */
static void watch_in_vain(struct fake *f)
{
	struct scene *s = f->test;
	struct session *session = &s->session;

	if (f->ticks > 2)
		return;
	f->refuses = f->ticks == 1 ? "watch" : NULL;
	assert_int_equal(watch(s, "session_test_call"), f->ticks == 1 ? -EIO : 0);
	assert_int_equal(session->watch.set.count, f->ticks == 1 ? 0 : 1);
}

static void what_cannot_be_attached_leaves_nothing(void **state)
{
	struct scene *s = *state;

	s->option.more = 8;
	s->fake.on_tick = watch_in_vain;
	assert_int_equal(arm(s), 0);
	session_run(&s->session);
	assert_string_equal(s->err.text, "the fake refuses to watch");
	assert_int_equal(s->session.failed, 0);
	session_close(&s->session);
}

static void what_does_not_open_is_said(void **state)
{
	struct scene *s = *state;

	s->fake.refuses = "open";
	assert_int_equal(arm(s), -EIO);
	assert_string_equal(s->err.text, "the fake refuses to open");
	session_close(&s->session);
	assert_string_equal(text_string(&s->fake.did), "open");
}

static void what_does_not_start_ends_the_run(void **state)
{
	struct scene *s = *state;

	s->fake.refuses = "start";
	assert_int_equal(arm(s), 0);
	session_run(&s->session);
	assert_int_equal(s->session.failed, -EIO);
	assert_string_equal(s->session.error.text, "the fake refuses to start");
	session_close(&s->session);
	assert_string_equal(text_string(&s->fake.did), "open add_process start stop close");
}

static void kill_target(struct fake *f)
{
	end_target(f->test);
}

static void the_end_of_the_target_ends_the_run(void **state)
{
	struct scene *s = *state;

	s->fake.on_start = kill_target;
	assert_int_equal(arm(s), 0);
	assert_int_equal(session_run(&s->session), ENDED_BY_TARGET);
	session_close(&s->session);
	assert_int_equal(s->fake.reason, ENDED_BY_TARGET);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)
	static const struct CMUnitTest tests[] = {
		TEST(it_is_armed_started_and_stopped),
		TEST(observers_are_told_in_order),
		TEST(probes_are_there_before_it_starts),
		TEST(what_came_can_be_asked),
		TEST(a_place_can_be_watched_while_it_runs),
		TEST(what_could_be_watched_is_found),
		TEST(there_is_room_for_so_many),
		TEST(what_cannot_be_attached_leaves_nothing),
		TEST(what_does_not_open_is_said),
		TEST(what_does_not_start_ends_the_run),
		TEST(the_end_of_the_target_ends_the_run),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
