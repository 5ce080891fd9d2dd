#include "view/roll.h"

#include "view/lock_build.h"

static const uint64_t elsewhere[] = { BASE + (LOG << 8) + 0x30, BASE + 0x20, 0 };

static void wait_for(struct store *st, nsec time, uint32_t tid, uint32_t number_of_owner)
{
	wait_at(st, time, tid, in_log);
	tell_mutex(st, time, tid, 40, number_of_owner);
}

/* Threads 42 (main), 7 (worker), 8 (io), 20 to 24 (pool). */
static struct store *make_threads(void)
{
	struct store *st = make_store(NULL);

	build_thread(st, PID, PID, "shop-server");
	for (uint32_t tid = 20; tid < 25; tid++)
		build_thread(st, tid, PID, "pool");
	return st;
}

static const char *leaf_of(const struct roll *r, uint32_t group)
{
	const struct picture *p = r->picture;

	return picture_text(p, p->frames.at[p->nodes.at[r->groups.at[group].node].frame].name);
}

static void every_thread_is_in_the_group_of_its_newest_stack(void **state)
{
	struct store *st = make_threads();
	struct roll *r;

	for (uint32_t tid = 20; tid < 25; tid++)
		wait_at(st, 1100 * MS, tid, in_log);
	sample(st, 1101 * MS, 7, 0, &in_hot);
	wait_at(st, 1102 * MS, 8, elsewhere);
	sample(st, 1103 * MS, 8, 0, &in_expand); /* newer */
	sample(st, 1104 * MS, PID, 0, &in_hot);
	seen(st, 1104 * MS, 20, 604 * MS);
	seen(st, 1104 * MS, 7, 604 * MS);
	r = roll_call(st, &(struct query){ 0 }, &naming, st->newest);
	assert_int_equal(r->threads.count, 8);
	assert_int_equal(r->groups.count, 3);
	/* that of the first thread, the one that is alone, the pool */
	assert_string_equal(leaf_of(r, 0), "hot");
	assert_int_equal(r->groups.at[0].count, 2);
	assert_int_equal(r->groups.at[0].cause, CAUSE_CPU);
	assert_string_equal(leaf_of(r, 1), "expand");
	assert_int_equal(r->threads.at[r->groups.at[1].first].tid, 8);
	assert_string_equal(leaf_of(r, 2), "[waits: lock or condition]");
	assert_int_equal(r->groups.at[2].count, 5);
	assert_int_equal(r->groups.at[2].cause, CAUSE_LOCK);
	assert_int_equal(r->threads.at[r->groups.at[2].first].tid, 20);
	assert_int_equal(r->threads.at[r->groups.at[2].first].since, 500 * MS);
	assert_int_equal(r->threads.at[r->groups.at[2].first + 1].since, 0);
	for (uint32_t i = 0; i < r->threads.count; i++)
		if (r->threads.at[i].tid == 7)
			assert_int_equal(r->threads.at[i].since, 0); /* it runs */
	roll_free(r);
	/* nothing was told since, as it goes on waiting */
	r = roll_call(st, &(struct query){ 0 }, &naming, st->newest + 300 * MS);
	assert_int_equal(r->threads.at[r->groups.at[2].first].since, 800 * MS);
	roll_free(r);
	store_free(st);
}

static void the_same_function_at_two_places_is_two_groups(void **state)
{
	struct store *st = make_threads();
	struct roll *r;

	wait_at(st, 1100 * MS, 20, in_log);
	wait_at(st, 1100 * MS, 21, elsewhere);
	r = roll_call(st, &(struct query){ 0 }, &naming, st->newest);
	assert_int_equal(r->groups.count, 2);
	roll_free(r);
	store_free(st);
}

static const struct roll_thread *thread_of(const struct roll *r, uint32_t tid)
{
	for (uint32_t i = 0; i < r->threads.count; i++)
		if (r->threads.at[i].tid == tid)
			return &r->threads.at[i];
	fail();
	return NULL;
}

static void who_has_what_others_wait_for_is_found(void **state)
{
	static const uint32_t owners[][2] = { { 20, 21 }, { 21, 22 }, { 22, 20 }, /* a circle */
					      { 23, 20 }, /* before it */
					      { 24, 24 }, /* itself */
					      { 7, 99 },  /* who has ended */
					      { 8, PID } };
	struct store *st = make_threads();
	const struct roll_thread *t;
	struct roll *r;

	for (uint32_t i = 0; i < COUNT_OF(owners); i++) {
		seen(st, 1100 * MS, owners[i][0], 1000 * MS);
		wait_for(st, 1100 * MS, owners[i][0], owners[i][1] + 1000);
	}
	seen(st, 1100 * MS, PID, 1000 * MS);
	sample(st, 1101 * MS, PID, 0, &in_hot);
	r = roll_call(st, &(struct query){ 0 }, &lock_naming, st->newest);
	for (uint32_t i = 0; i < COUNT_OF(owners); i++) {
		t = thread_of(r, owners[i][0]);
		assert_int_equal(t->hold.kind, HOLD_MUTEX);
		assert_string_equal(picture_text(r->picture, t->hold.name), "table+40");
		assert_int_equal(t->gone, owners[i][1] == 99);
		assert_int_equal(t->owner, t->gone ? 0 : owners[i][1]);
	}
	/* 42 runs; those that are waited for; 23; 7 and 8 */
	assert_int_equal(r->threads.at[0].tid, PID);
	assert_int_equal(r->groups.count, 7); /* 22 and 23 wait for 20 */
	assert_int_equal(thread_of(r, 22)->group, thread_of(r, 23)->group);
	assert_int_equal(r->deadlocks.count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct roll_cycle *cycle = &r->deadlocks.at[i];

		assert_int_equal(cycle->tids.count, cycle->tids.at[0] == 24 ? 1 : 3);
		for (uint32_t k = 0; k < cycle->tids.count; k++)
			assert_int_equal(thread_of(r, cycle->tids.at[k])->owner,
					 cycle->tids.at[(k + 1) % cycle->tids.count]);
	}
	roll_free(r);
	/* one that runs by now waits for none */
	sample(st, 1200 * MS, 21, 0, &in_hot);
	r = roll_call(st, &(struct query){ 0 }, &lock_naming, st->newest);
	assert_int_equal(thread_of(r, 21)->owner, 0);
	assert_int_equal(r->deadlocks.count, 1);
	roll_free(r);
	/* one whose next wait was told of, but not its futex */
	wait_at(st, 1300 * MS, 24, in_log);
	r = roll_call(st, &(struct query){ 0 }, &lock_naming, st->newest);
	assert_int_equal(thread_of(r, 24)->hold.kind, HOLD_NONE);
	assert_int_equal(r->deadlocks.count, 0);
	roll_free(r);
	store_free(st);
}

/* A thread whose own number nobody knows may be the owner. */
static void nobody_has_ended_for_want_of_a_number(void **state)
{
	struct store *st = make_threads();
	struct roll *r;

	seen(st, 1100 * MS, 20, 1000 * MS);
	wait_for(st, 1100 * MS, 20, 1099);
	r = roll_call(st, &(struct query){ 0 }, &lock_naming, st->newest);
	assert_int_equal(thread_of(r, 20)->hold.owner, 1099);
	assert_int_equal(thread_of(r, 20)->owner, 0);
	assert_false(thread_of(r, 20)->gone);
	roll_free(r);
	store_free(st);
}

static void who_was_not_seen_comes_last(void **state)
{
	struct store *st = make_threads();
	struct roll *r;

	wait_at(st, 1100 * MS, 24, in_log);
	r = roll_call(st, &(struct query){ 0 }, &naming, st->newest);
	assert_int_equal(r->threads.count, 8);
	assert_int_equal(r->threads.at[0].tid, 24);
	assert_int_equal(r->threads.at[0].group, 0);
	for (uint32_t i = 1; i < 8; i++)
		assert_int_equal(r->threads.at[i].group, UINT32_MAX);
	roll_drop_unseen(r);
	assert_int_equal(r->threads.count, 1);
	roll_free(r);
	r = roll_call(st, &(struct query){ .thread = "po*" }, &naming, st->newest);
	assert_int_equal(r->threads.count, 5);
	roll_free(r);
	store_free(st);
	st = store_new(NULL); /* nothing at all */
	r = roll_call(st, &(struct query){ 0 }, NULL, st->newest);
	assert_int_equal(r->threads.count + r->groups.count, 0);
	roll_free(r);
	store_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_thread_is_in_the_group_of_its_newest_stack),
		cmocka_unit_test(the_same_function_at_two_places_is_two_groups),
		cmocka_unit_test(who_has_what_others_wait_for_is_found),
		cmocka_unit_test(nobody_has_ended_for_want_of_a_number),
		cmocka_unit_test(who_was_not_seen_comes_last),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("roll", tests, NULL, NULL);
}
