/*
 * hits_test - calls that a tick fell into get the durations of those that none did.
 */
#include "source/hits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define BRIEF 250000
#define USEC 1000

struct scene {
	struct hits hits;
	struct hit_rule rule;
	__u64 ever[NR_BUCKET], buckets[NR_BUCKET];
};

static int begin(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->rule.brief = BRIEF;
	residue_guess(&s->rule.residue, 4 * USEC);
	*state = s;
	return 0;
}

static int finish(void **state)
{
	struct scene *s = *state;

	hits_done(&s->hits);
	free(s);
	return 0;
}

static void calls_without_a_tick(struct scene *s, uint64_t nsec, uint64_t count)
{
	s->ever[bucket_of(nsec)] += count;
	s->buckets[bucket_of(nsec)] += count;
}

static uint64_t count_of(const struct scene *s, uint64_t nsec)
{
	return s->buckets[bucket_of(nsec)];
}

static uint64_t total(const struct scene *s)
{
	uint64_t sum = 0;

	for (uint32_t b = 0; b < NR_BUCKET; b++)
		sum += s->buckets[b];
	return sum;
}

static void count(struct scene *s, uint64_t calls)
{
	hits_count(&s->hits, calls, &s->rule, s->ever, s->buckets);
}

static void what_a_tick_added_is_not_counted(void **state)
{
	struct scene *s = *state;

	calls_without_a_tick(s, 4 * USEC, 1000);
	for (uint64_t added = 0; added < 50; added++)
		hits_add(&s->hits, (4 + added) * USEC);
	count(s, 50);
	assert_int_equal(count_of(s, 4 * USEC), 1050);
	assert_int_equal(total(s), 1050);
	assert_int_equal(s->hits.max, 0);
}

static void longer_calls_are_hit_more_often(void **state)
{
	struct scene *s = *state;

	calls_without_a_tick(s, 4 * USEC, 95000);
	calls_without_a_tick(s, 12 * USEC, 5000);
	/* 5 * 12 of 5 * 12 + 95 * 4; a tick adds 5 to 15 us, that is more than they differ by
	 */
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t added = 5 * USEC + i * 7 % 100 * 100;

		hits_add(&s->hits, (i % 22 < 3 ? 12 : 4) * USEC + added);
	}
	count(s, 1000);
	assert_in_range(count_of(s, 12 * USEC), 5100, 5180);
	assert_int_equal(total(s), 101000);
}

static void how_ticks_are_is_learned(void **state)
{
	struct scene *s = *state;
	double learned, guessed = residue_density(&s->rule.residue, 20 * USEC);

	calls_without_a_tick(s, 4 * USEC, 100000);
	calls_without_a_tick(s, 24 * USEC, 1);
	for (unsigned i = 0; i < 1000; i++)
		hits_add(&s->hits, (23 + i % 3) * USEC);
	count(s, 1000);
	learned = residue_density(&s->rule.residue, 20 * USEC);
	assert_true(learned > 10 * guessed);
	assert_true(residue_density(&s->rule.residue, 0) < guessed);
	assert_int_equal(count_of(s, 4 * USEC), 101000);
}

static void a_long_call_is_none_of_the_short_ones(void **state)
{
	struct scene *s = *state;

	calls_without_a_tick(s, 4 * USEC, 100000);
	calls_without_a_tick(s, 200 * USEC, 10);
	hits_add(&s->hits, 203 * USEC);
	count(s, 1);
	assert_int_equal(count_of(s, 200 * USEC), 11);
}

static void where_nothing_is_near_it_stays_as_observed(void **state)
{
	struct scene *s = *state;

	calls_without_a_tick(s, 4 * USEC, 1000);
	hits_add(&s->hits, 180 * USEC);
	count(s, 1);
	assert_int_equal(count_of(s, 180 * USEC), 1);
	assert_int_equal(s->hits.max, 180 * USEC);
}

static void what_was_ever_is_asked_where_nothing_is_fresh(void **state)
{
	struct scene *s = *state;

	s->ever[bucket_of(60 * USEC)] = 5;
	calls_without_a_tick(s, 4 * USEC, 1000);
	hits_add(&s->hits, 170 * USEC); /* beyond what a tick adds to 4 us, not to 60 */
	hits_add(&s->hits, 150 * USEC);
	count(s, 2);
	assert_int_equal(count_of(s, 170 * USEC), 1);
	assert_int_equal(count_of(s, 60 * USEC), 1);
}

static void a_call_without_a_record_is_like_any(void **state)
{
	struct scene *s = *state;

	calls_without_a_tick(s, 10 * USEC, 900);
	calls_without_a_tick(s, 90 * USEC, 100);
	count(s, 200);
	assert_in_range(count_of(s, 10 * USEC), 999, 1001);
	assert_in_range(count_of(s, 90 * USEC), 199, 201);
}

static void a_record_that_comes_later_is_not_counted_again(void **state)
{
	struct scene *s = *state;

	calls_without_a_tick(s, 4 * USEC, 1000);
	count(s, 3);
	for (unsigned i = 0; i < 3; i++)
		hits_add(&s->hits, 180 * USEC);
	hits_add(&s->hits, 5 * USEC);
	count(s, 1);
	assert_int_equal(count_of(s, 4 * USEC), 1004);
	/* one that never comes stands for none that does */
	count(s, 1);
	count(s, 0);
	hits_add(&s->hits, 180 * USEC);
	count(s, 1);
	assert_int_equal(count_of(s, 180 * USEC), 1);
	assert_int_equal(total(s), 1006);
}

static void without_any_other_call_it_is_counted_all_the_same(void **state)
{
	struct scene *s = *state;

	hits_add(&s->hits, 7 * USEC);
	count(s, 2);
	assert_int_equal(count_of(s, 7 * USEC), 1);
	assert_int_equal(total(s), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_a_tick_added_is_not_counted),
		TEST(longer_calls_are_hit_more_often),
		TEST(how_ticks_are_is_learned),
		TEST(a_long_call_is_none_of_the_short_ones),
		TEST(where_nothing_is_near_it_stays_as_observed),
		TEST(what_was_ever_is_asked_where_nothing_is_fresh),
		TEST(a_call_without_a_record_is_like_any),
		TEST(a_record_that_comes_later_is_not_counted_again),
		TEST(without_any_other_call_it_is_counted_all_the_same),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
