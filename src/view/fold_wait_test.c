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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_has_a_name_and_who_has_it),
		cmocka_unit_test(numbers_are_those_of_the_process),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("fold_wait", tests, NULL, NULL);
}
