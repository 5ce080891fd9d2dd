#include "model/dist.h"

#include "base/mem.h"
#include "base/table.h"
#include "model/timeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define CALLS 200000

/* Uniform in (0, 1), the same in every run. */
static double chance(uint64_t i)
{
	return (hash_u64(i) >> 11) * 0x1p-53 + 0x1p-54;
}

static double normal(uint64_t i)
{
	return sqrt(-2 * log(chance(2 * i))) * cos(2 * M_PI * chance(2 * i + 1));
}

static uint64_t uniform(uint64_t i)
{
	return 1000 + chance(i) * 9e6;
}

static uint64_t lognormal(uint64_t i)
{
	return exp(13 + 0.8 * normal(i));
}

static uint64_t exponential(uint64_t i)
{
	return 50 - 400e3 * log(chance(i));
}

static uint64_t two_modes(uint64_t i)
{
	return chance(i + 12345678) < 0.94 ? 400e3 * exp(0.05 * normal(i))
					   : 3e6 * exp(0.2 * normal(i));
}

static uint64_t constant(uint64_t i)
{
	return 1000; /* near the low end of its bucket */
}

static uint64_t constant_high(uint64_t i)
{
	return 1055; /* the last of its bucket: 1024 .. 1055 */
}

static uint64_t tiny(uint64_t i)
{
	return 3 + hash_u64(i) % 40;
}

static int ascending(const void *a, const void *b)
{
	return *(const uint64_t *)a < *(const uint64_t *)b
		       ? -1
		       : *(const uint64_t *)a > *(const uint64_t *)b;
}

static void percentiles_are_within_two_per_cent(void **state)
{
	static uint64_t (*const shapes[])(uint64_t) = { uniform,   lognormal, exponential,
							two_modes, constant,  constant_high,
							tiny };
	static const double parts[] = { 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999 };
	uint64_t *exact = mem_zeroed(CALLS, sizeof(*exact));

	for (unsigned s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
		struct dist d = { 0 };
		double sum = 0;

		for (uint64_t i = 0; i < CALLS; i++) {
			exact[i] = shapes[s](i);
			sum += exact[i];
			dist_add(&d, bucket_of(exact[i]), 1);
		}
		qsort(exact, CALLS, sizeof(*exact), ascending);
		for (unsigned q = 0; q < sizeof(parts) / sizeof(parts[0]); q++) {
			uint64_t rank = ceil(parts[q] * CALLS);
			double want = exact[rank ? rank - 1 : 0],
			       got = dist_quantile(&d, parts[q]);

			if (fabs(got - want) > 0.02 * want)
				fail_msg("shape %u p%g: %g, exact %g", s, 100 * parts[q], got,
					 want);
		}
		assert_true(fabs(dist_mean(&d) - sum / CALLS) < 0.02 * sum / CALLS);
		assert_true(d.total == CALLS);
	}
	free(exact);
}

static void counting_above_a_quantile_is_its_inverse(void **state)
{
	struct dist d = { 0 };

	for (uint64_t i = 0; i < CALLS; i++)
		dist_add(&d, bucket_of(lognormal(i)), 1);
	for (double q = 0.001; q < 1; q += 0.013) {
		double above = dist_above(&d, dist_quantile(&d, q));

		assert_true(fabs(above - (1 - q) * CALLS) < 1e-3 * CALLS);
	}
	assert_true(dist_above(&d, 0) == CALLS);
	assert_true(dist_above(&d, 1e15) == 0);
}

static void calls_between_add_up(void **state)
{
	struct dist d = { 0 };
	double sum, low, high;

	dist_add(&d, bucket_of(10), 4);
	dist_add(&d, bucket_of(20), 6);
	assert_true(dist_between(&d, -1, 10, &sum) == 4 && sum == 40);
	assert_true(dist_between(&d, 10, INFINITY, &sum) == 6 && sum == 120);
	assert_true(dist_between(&d, 10, 19, &sum) == 0 && sum == 0);
	for (uint64_t i = 0; i < 1000; i++)
		dist_add(&d, bucket_of(uniform(i)), 1);
	low = dist_between(&d, -1, 3e6, NULL);
	high = dist_between(&d, 3e6, INFINITY, NULL);
	assert_true(fabs(low + high - 1010) < 1e-6);
}

static void what_was_added_can_be_subtracted(void **state)
{
	struct dist a = { 0 }, b = { 0 };

	dist_add(&a, bucket_of(500), 14);
	dist_add(&a, bucket_of(900), 6);
	dist_add(&b, bucket_of(500), 3);
	dist_add(&b, bucket_of(900), 3);
	assert_true(a.total == 20);
	dist_subtract(&a, &b);
	assert_true(a.total == 14 && a.count[bucket_of(900)] == 3);
	dist_subtract(&b, &a);
	assert_true(b.total == 0 && b.count[bucket_of(500)] == 0);
}

static void nothing_has_no_quantile(void **state)
{
	struct dist d = { 0 };

	assert_true(dist_quantile(&d, 0.5) == 0 && dist_mean(&d) == 0 && dist_max(&d) == 0);
	dist_add(&d, 4000000, 1); /* beyond the scale */
	assert_true(d.count[NR_BUCKET - 1] == 1);
}

/* One interval of calls that took `duration`. */
static void add_interval(struct timeline *t, nsec since, nsec duration, uint32_t count)
{
	union {
		struct event_calls calls;
		char bytes[sizeof(struct event_calls) + sizeof(struct call_bucket)];
	} e = { .calls = { .head.time = since + 100, .since = since, .entries = count + 1 } };

	e.calls.ended[END_RETURN] = count;
	e.calls.max = duration;
	e.calls.buckets[0] = (struct call_bucket){ bucket_of(duration), count };
	timeline_add(t, &e.calls, 1);
}

static void a_window_takes_its_intervals(void **state)
{
	struct window w = { .kind = WINDOW_RANGE, .from = 1000, .to = 1200 };
	struct call_count count;
	struct timeline t = { 0 };

	for (nsec since = 900; since < 1400; since += 100)
		add_interval(&t, since, since, 10);
	timeline_count(&t, &w, &count);
	assert_true(count.dist.total == 20 && count.entries == 22);
	assert_int_equal(count.open, 3);	/* one of each interval up to 1200 */
	assert_in_range(count.max, 1100, 1119); /* the bucket of 1100 */
	w = (struct window){ .kind = WINDOW_ALL };
	timeline_count(&t, &w, &count);
	assert_true(count.dist.total == 50 && count.open == 5 && count.max == 1300);
	timeline_done(&t);
}

static void older_intervals_join_and_nothing_is_lost(void **state)
{
	struct window all = { .kind = WINDOW_ALL };
	struct window late = { .kind = WINDOW_RANGE, .from = 900000, .to = 1000000 };
	struct window long_ago = { .kind = WINDOW_RANGE, .from = 150, .to = 8050 };
	struct call_count count;
	struct timeline t = { 0 };

	for (nsec since = 0; since < 1000000; since += 100)
		add_interval(&t, since, 5000, 3);
	assert_true(t.all.count <= TIMELINE_INTERVALS);
	assert_true(t.all.room < 3 * TIMELINE_INTERVALS);
	timeline_count(&t, &all, &count);
	assert_true(count.dist.total == 30000 && count.entries == 40000 && count.open == 10000);
	timeline_count(&t, &late, &count);
	assert_true(count.dist.total == 3000 && count.open == 10000);
	/* long ago, widened: what it takes is all of what lies in it */
	timeline_widen(&t, &long_ago);
	assert_true(long_ago.from <= 150 && long_ago.to >= 8050 && long_ago.to < 40000);
	timeline_count(&t, &long_ago, &count);
	assert_true(count.dist.total == 3.0 * (long_ago.to - long_ago.from) / 100);
	timeline_done(&t);
}

static void a_window_is_widened_to_whole_intervals(void **state)
{
	struct window last = { .kind = WINDOW_LAST, .from = 1050, .to = 1400 };
	struct window range = { .kind = WINDOW_RANGE, .from = 1000, .to = 1310 };
	struct window ewma = { .kind = WINDOW_EWMA, .length = 9, .from = 1050, .to = 1310 };
	struct timeline t = { 0 };

	for (nsec since = 900; since < 1400; since += 100)
		add_interval(&t, since, since, 10);
	timeline_widen(&t, &last);
	assert_true(last.from == 1000 && last.to == 1400);
	timeline_widen(&t, &range);
	assert_true(range.from == 1000 && range.to == 1400);
	timeline_widen(&t, &ewma);
	assert_true(ewma.from == 1050 && ewma.to == 1310);
	range = (struct window){ .kind = WINDOW_RANGE, .from = 10, .to = 5000 };
	timeline_widen(&t, &range);
	assert_true(range.from == 10 && range.to == 5000);
	timeline_done(&t);
}

/* As a stranger's recording may have it: more buckets than are kept, beyond the scale, and
 * times that run backwards. */
static void buckets_are_bounded(void **state)
{
	enum { MANY = 2000 };
	struct event_calls *e = mem_zeroed(1, sizeof(*e) + MANY * sizeof(e->buckets[0]));
	struct window all = { .kind = WINDOW_ALL };
	struct call_count count;
	struct timeline t = { 0 };

	for (uint32_t i = 0; i < MANY; i++)
		e->buckets[i] = (struct call_bucket){ i * 7919, UINT32_MAX };
	for (uint32_t i = 0; i < 400; i++) {
		e->since = 1000000 - i * 100;
		e->head.time = e->since + i % 3;
		timeline_add(&t, e, MANY);
	}
	assert_true(t.nr_bucket <= TIMELINE_BUCKETS && t.all.count > 1);
	timeline_count(&t, &all, &count);
	assert_true(count.dist.total == 400.0 * MANY * UINT32_MAX);
	timeline_done(&t);
	free(e);
}

static void an_ewma_halves_with_its_half_life(void **state)
{
	struct window w = { .kind = WINDOW_EWMA, .length = 1000, .from = 0, .to = 2050 };
	struct call_count count;
	struct timeline t = { 0 };

	add_interval(&t, 0, 500, 8);	/* middle 50: two half-lives old */
	add_interval(&t, 1000, 500, 8); /* middle 1050: one */
	timeline_count(&t, &w, &count);
	assert_true(fabs(count.dist.total - (2 + 4)) < 1e-9);
	timeline_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_within_two_per_cent),
		cmocka_unit_test(counting_above_a_quantile_is_its_inverse),
		cmocka_unit_test(calls_between_add_up),
		cmocka_unit_test(what_was_added_can_be_subtracted),
		cmocka_unit_test(nothing_has_no_quantile),
		cmocka_unit_test(a_window_takes_its_intervals),
		cmocka_unit_test(older_intervals_join_and_nothing_is_lost),
		cmocka_unit_test(a_window_is_widened_to_whole_intervals),
		cmocka_unit_test(buckets_are_bounded),
		cmocka_unit_test(an_ewma_halves_with_its_half_life),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
