#include "view/lock_build.h"
#include "wire/sample_cause.h"

/* In a recording the lock is told of first. */
static void wait_for(struct store *st, nsec time, uint32_t tid, uint32_t at,
		     uint32_t number_of_owner)
{
	tell_mutex(st, time, tid, at, number_of_owner);
	wait_at(st, time, tid, in_log);
}

static struct picture *ask_locks(const struct store *st, enum fold_by by)
{
	struct query q = { .fold = by };
	struct picture *p = NULL;

	assert_int_equal(view_answer(st, &q, &lock_naming, &p, NULL), 0);
	return p;
}

static nsec time_at(const struct picture *p, const char *path)
{
	uint32_t at = node(p, path);

	return at == UINT32_MAX ? 0 : p->nodes.at[at].self_nsec[SIDE_OUT];
}

#define AT_LOCK "main/pthread_mutex_lock/"

static void a_lock_has_a_name_and_who_has_it(void **state)
{
	struct store *st = make_store(NULL);
	struct picture *p;
	uint32_t at;

	st->causes = CAUSES_WALL;
	wait_for(st, 1100 * MS, 7, 40, 8);
	wait_for(st, 1101 * MS, 7, 40, 8);
	wait_for(st, 1102 * MS, 7, 0, 8);    /* another lock */
	wait_for(st, 1103 * MS, 8, 40, 7);   /* the same, but who has it */
	wait_for(st, 1104 * MS, 8, 40, 99);  /* who is no thread of the process */
	wait_for(st, 1105 * MS, 8, 4000, 7); /* without a name */
	wait_at(st, 1106 * MS, 8, in_log);   /* the lock was not told of */
	assert_int_equal(st->locks.list.count, 5);
	for (enum fold_by by = FOLD_FUNCTION; by <= FOLD_ADDRESS; by++) {
		p = ask_locks(st, by);
		assert_int_equal(time_at(p, AT_LOCK "[waits: mutex table+40]/[held by io]"),
				 2 * MS);
		assert_int_equal(time_at(p, AT_LOCK "[waits: mutex table+40]/[held by worker]"),
				 MS);
		assert_int_equal(time_at(p, AT_LOCK "[waits: mutex table+40]"), MS);
		assert_int_equal(time_at(p, AT_LOCK "[waits: mutex table]/[held by io]"), MS);
		assert_int_equal(time_at(p, AT_LOCK "[waits: mutex]/[held by worker]"), MS);
		assert_int_equal(time_at(p, AT_LOCK "[waits: lock or condition]"), MS);
		at = node(p, AT_LOCK "[waits: mutex table]/[held by io]");
		assert_int_equal(p->frames.at[p->nodes.at[at].frame].kind, FRAME_WAIT);
		/* where in the kernel is left out */
		for (uint32_t i = 1; i < p->nodes.count; i++)
			assert_int_not_equal(p->frames.at[p->nodes.at[i].frame].kind,
					     FRAME_KERNEL);
		picture_free(p);
	}
	store_free(st);
}

/* A process that knows its threads by other numbers. */
static void numbers_are_those_of_the_process(void **state)
{
	struct store *st = make_store(NULL);
	struct picture *p;

	st->causes = CAUSES_WALL;
	build_thread(st, 1008, PID, "other");
	seen(st, 1100 * MS, 8, 0);
	seen(st, 1100 * MS, 1008, 0);
	wait_for(st, 1100 * MS, 7, 0, 1008);
	wait_for(st, 1101 * MS, 7, 0, 8); /* is no number there */
	p = ask_locks(st, FOLD_FUNCTION);
	assert_int_equal(time_at(p, AT_LOCK "[waits: mutex table]/[held by io]"), MS);
	assert_int_equal(time_at(p, AT_LOCK "[waits: mutex table]"), MS);
	picture_free(p);
	store_free(st);
}

static void still(struct store *st, nsec time, uint32_t tid, uint32_t looks)
{
	build_still(st, time, tid,
		    &(struct event_still){
			    .pid = PID, .weight = looks * MS, .looks = looks | STILL_ENDED });
}

#define HELD_BY_IO AT_LOCK "[waits: mutex table]/[held by io]"

static void what_the_holder_does_is_below_it(void **state)
{
	struct store *st = make_store(NULL);
	struct picture *p;
	uint32_t at;

	st->causes = CAUSES_WALL;
	sample(st, 1099 * MS, 8, 0, &in_hot); /* before */
	wait_for(st, 1100 * MS, 7, 0, 8);
	sample(st, 1100 * MS + MS / 2, 8, 0, &in_parse);
	sample(st, 1101 * MS + 2 * MS / 3, 8, 0, &in_render);
	still(st, 1103 * MS, 7, 2);
	wait_for(st, 1104 * MS, 7, 0, 8); /* nothing is seen of it meanwhile */
	still(st, 1110 * MS, 7, 0);
	build_end(st, 1120 * MS);
	for (enum fold_by by = FOLD_FUNCTION; by <= FOLD_ADDRESS; by++) {
		p = ask_locks(st, by);
		at = node(p, HELD_BY_IO "/main [holder]/handle [holder]/parse [holder]");
		assert_int_equal(p->nodes.at[at].self_nsec[SIDE_OUT], 2 * MS);
		assert_int_equal(p->frames.at[p->nodes.at[at].frame].kind, FRAME_HOLDER);
		assert_int_equal(time_at(p, HELD_BY_IO
					 "/main [holder]/handle [holder]/render [holder]"),
				 MS);
		assert_int_equal(time_at(p, HELD_BY_IO), MS);
		assert_int_equal(node(p, HELD_BY_IO "/main [holder]/hot [holder]"), UINT32_MAX);
		/* what it has on its own account is no more than that */
		assert_int_equal(time_at(p, "main/handle/parse"), MS);
		assert_int_equal(time_at(p, "main/hot"), MS);
		picture_free(p);
	}
	store_free(st);
}

static void who_waits_for_whom_is_a_way_down(void **state)
{
	struct store *st = make_store(NULL);
	struct picture *p;

	st->causes = CAUSES_WALL;
	build_thread(st, 9, PID, "disk");
	wait_for(st, 1100 * MS, 8, 40, 9);
	wait_for(st, 1100 * MS, 7, 0, 8);
	sample(st, 1101 * MS, 9, 0, &in_hot);
	still(st, 1102 * MS, 7, 1);
	still(st, 1102 * MS, 8, 1);
	build_end(st, 1110 * MS);
	p = ask_locks(st, FOLD_FUNCTION);
	assert_int_equal(time_at(p, HELD_BY_IO "/main [holder]/pthread_mutex_lock [holder]/"
					       "[waits: mutex table+40] [holder]/"
					       "[held by disk] [holder]/main [holder]/"
					       "hot [holder]"),
			 2 * MS);
	assert_int_equal(time_at(p, AT_LOCK "[waits: mutex table+40]/[held by disk]/"
					    "main [holder]/hot [holder]"),
			 2 * MS);
	picture_free(p);
	store_free(st);
}

/* What lies there was taken for a mutex; the function that waits says that it is none, or that
 * another thread has it. */
static void a_guess_is_no_owner(void **state)
{
	struct store *st = make_store(NULL);
	struct query q = { .fold = FOLD_FUNCTION };
	struct picture *p = NULL;

	st->causes = CAUSES_WALL;
	wait_for(st, 1100 * MS, 7, 0, 8);
	sample(st, 1101 * MS, 8, 0, &in_hot);
	still(st, 1102 * MS, 7, 1);
	build_end(st, 1110 * MS);
	assert_int_not_equal(sample_at(&st->samples, 0)->held, 0);
	assert_int_equal(view_answer(st, &q, &naming, &p, NULL), 0);
	assert_int_equal(time_at(p, "main/log/[waits: lock or condition]"), 2 * MS);
	for (uint32_t i = 0; i < p->frames.count; i++)
		assert_int_not_equal(p->frames.at[i].kind, FRAME_HOLDER);
	picture_free(p);
	store_free(st);
}

/* Asked before it is known, and again. */
static void what_is_known_later_is_put_right(void **state)
{
	struct store *st = make_store(NULL);
	struct query q = { .fold = FOLD_FUNCTION };
	struct answers kept = { .asked = 0 };
	struct picture *p = NULL;

	st->causes = CAUSES_WALL;
	wait_for(st, 1100 * MS, 7, 0, 8);
	for (unsigned round = 0; round < 4; round++) {
		assert_int_equal(answers_ask(&kept, st, &q, &lock_naming, &p, NULL), 0);
		assert_int_equal(time_at(p, HELD_BY_IO), round < 2 ? (1 + round) * MS : 0);
		assert_int_equal(time_at(p, HELD_BY_IO "/main [holder]/hot [holder]"),
				 round < 2 ? 0 : 2 * MS);
		if (round == 0) {
			sample(st, 1101 * MS, 8, 0, &in_hot);
			still(st, 1102 * MS, 7, 1);
		} else if (round == 1) {
			sample(st, 1108 * MS, 8, 0, &in_parse);
		}
	}
	answers_done(&kept);
	store_free(st);
}

#define IN_POLL "main/hot/[waits: any of its files]"

/* One that waits for any of its files. */
static void polls(struct store *st, nsec time, uint32_t tid)
{
	static const uint64_t user[] = { BASE + (HOT << 8) + 0x20, BASE + 0x20, 0 };
	struct event_wait wait = { .pid = PID, .weight = MS, .cause = CAUSE_POLL };

	build_wait(st, time, tid, &wait, (struct build_stack){ reading, user });
}

/* "io" wakes it, in parse(). */
static void wakes(struct store *st, nsec time, uint32_t tid, enum wake_by by)
{
	static const uint64_t user[] = { BASE + (PARSE << 8) + 0x20, BASE + 0x20, 0 };

	build_wake(st, time, tid,
		   &(struct event_wake){ .name = "io", .pid = PID, .tid = 8, .by = by }, user);
}

static void who_ends_a_wait_is_below_it(void **state)
{
	struct store *st = make_store(NULL);
	struct picture *p;

	st->causes = CAUSES_WALL;
	polls(st, 1100 * MS, 7);
	still(st, 1103 * MS, 7, 2);
	polls(st, 1105 * MS, 7); /* by a thread, told before all of it is */
	build_still(st, 1106 * MS, 7,
		    &(struct event_still){ .pid = PID, .weight = MS, .looks = 1 });
	wakes(st, 1106 * MS, 7, WAKE_THREAD);
	still(st, 1109 * MS, 7, 2);
	polls(st, 1110 * MS, 7);
	wakes(st, 1111 * MS, 7, WAKE_TIMER);
	polls(st, 1120 * MS, 7);
	wakes(st, 1121 * MS, 7, NR_WAKE_BY + 1); /* told by a later sonde */
	wait_for(st, 1130 * MS, 7, 0, 8);
	wakes(st, 1131 * MS, 7, WAKE_THREAD);
	build_end(st, 1140 * MS);
	for (enum fold_by by = FOLD_FUNCTION; by <= FOLD_ADDRESS; by++) {
		p = ask_locks(st, by);
		assert_int_equal(time_at(p, IN_POLL), 3 * MS);
		assert_int_equal(time_at(p,
					 IN_POLL "/[woken by io]/main [waker]/parse [waker]"),
				 4 * MS);
		assert_int_equal(time_at(p, IN_POLL "/[timed out]"), MS);
		assert_int_equal(time_at(p, IN_POLL "/[woken by an interrupt]"), MS);
		/* it has the lock: that says more */
		assert_int_equal(time_at(p, HELD_BY_IO), MS);
		picture_free(p);
	}
	assert_int_equal(st->malformed, 0);
	wakes(st, 1150 * MS, 8, WAKE_THREAD);
	assert_int_equal(st->malformed, 1);
	store_free(st);
}

static void the_waker_is_known_later(void **state)
{
	struct store *st = make_store(NULL);
	struct query q = { .fold = FOLD_FUNCTION };
	struct answers kept = { .asked = 0 };
	struct picture *p = NULL;

	st->causes = CAUSES_WALL;
	for (unsigned i = 0; i < 3; i++) {
		polls(st, (1100 + 10 * i) * MS, 7);
		assert_int_equal(answers_ask(&kept, st, &q, &lock_naming, &p, NULL), 0);
		assert_int_equal(time_at(p, IN_POLL), MS);
		assert_int_equal(time_at(p,
					 IN_POLL "/[woken by io]/main [waker]/parse [waker]"),
				 i * MS);
		wakes(st, (1101 + 10 * i) * MS, 7, WAKE_THREAD);
	}
	assert_int_equal(answers_ask(&kept, st, &q, &lock_naming, &p, NULL), 0);
	assert_int_equal(time_at(p, IN_POLL), 0);
	assert_int_equal(time_at(p, IN_POLL "/[woken by io]/main [waker]/parse [waker]"),
			 3 * MS);
	answers_done(&kept);
	store_free(st);
}

/* Older samples of a wait are gone when it ends. */
static void a_wait_longer_than_memory_is_no_harm(void **state)
{
	struct store *st = make_store(&(struct store_limit){ .samples = 4 });

	st->causes = CAUSES_WALL;
	polls(st, 1100 * MS, 7);
	for (unsigned i = 1; i < 10; i++)
		build_still(st, (1100 + i) * MS, 7,
			    &(struct event_still){ .pid = PID, .weight = MS, .looks = 1 });
	wakes(st, 1110 * MS, 7, WAKE_THREAD);
	assert_int_equal(st->samples.count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sample_at(&st->samples, i)->held, 1);
	store_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_has_a_name_and_who_has_it),
		cmocka_unit_test(numbers_are_those_of_the_process),
		cmocka_unit_test(what_the_holder_does_is_below_it),
		cmocka_unit_test(who_waits_for_whom_is_a_way_down),
		cmocka_unit_test(a_guess_is_no_owner),
		cmocka_unit_test(what_is_known_later_is_put_right),
		cmocka_unit_test(who_ends_a_wait_is_below_it),
		cmocka_unit_test(the_waker_is_known_later),
		cmocka_unit_test(a_wait_longer_than_memory_is_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("fold_wait", tests, NULL, NULL);
}
