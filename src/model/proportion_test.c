#include "model/proportion.h"

#include "base/array.h"
#include "base/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static bool near(double got, double want, double by)
{
	return fabs(got - want) <= by;
}

static void the_least_z_is_that_of_tables(void **state)
{
	assert_true(near(proportion_z_least(.05, 1), 1.95996, 1e-4));
	assert_true(near(proportion_z_least(.01, 1), 2.57583, 1e-4));
	assert_true(near(proportion_z_least(.01, 10), 3.29053, 1e-4));
	assert_true(near(proportion_z_least(.01, 0), 2.57583, 1e-4));
}

/* p of the same by the binomial's exact tail, as its z on both sides. */
static void counts_are_as_far_from_chance_as_the_exact_tail(void **state)
{
	static const struct {
		double in, all, share, exact;
	} rows[] = {
		/* all of them on one side: share^all */
		{ 4, 4, .05, 4.37 },
		{ 11, 11, 1. / 7, 6.10 },
		/* 1 - pbinom(7, 20, .2), 1 - pbinom(59, 100, .5) */
		{ 8, 20, .2, 1.85 },
		{ 60, 100, .5, 1.90 },
	};

	for (unsigned i = 0; i < COUNT_OF(rows); i++) {
		double z = proportion_z_of_counts(rows[i].in, rows[i].all, rows[i].share);

		assert_true(near(z, rows[i].exact, .15));
		z = proportion_z_of_counts(rows[i].all - rows[i].in, rows[i].all,
					   1 - rows[i].share);
		assert_true(near(-z, rows[i].exact, .15));
	}
	/* what is expected, and half an event from that, is no distance */
	assert_true(proportion_z_of_counts(1, 20, .05) == 0);
	assert_true(proportion_z_of_counts(1.4, 20, .05) == 0);
	assert_true(proportion_z_of_counts(0, 0, .5) == 0);
	assert_true(proportion_z_of_counts(3, 3, 0) == 0);
}

static void an_excess_by_hand(void **state)
{
	/* IN: two calls of 4, 3 and 1 of them in the part; rest: four of 2, one each */
	struct proportion in = { 2, 8, 32, 4, 10, 16, 1 };
	struct proportion rest = { 4, 8, 16, 4, 4, 8, 1 };
	struct proportion_excess e = proportion_compare(&in, &rest);

	/* d = 1, -1: V = 2, chance makes (1/4) 4 + (1/4) 4 = 2 of it; the rest's calls are all
	 * alike, so that it has what chance makes: 2; Y_in / Y_rest = 1 */
	assert_true(near(e.excess, 0, 1e-12));
	assert_true(near(e.error, sqrt(2 + 2) / 2, 1e-12));
	in.part = 6;
	assert_true(near(proportion_compare(&in, &rest).excess, 1, 1e-12));
	in.calls = 0;
	assert_true(proportion_compare(&in, &rest).error == 0);
}

/* 100 calls of 50 samples, of which 49 are in the part, and 10,000 that have next to none. */
static void of_too_few_samples_no_share_is_known(void **state)
{
	struct proportion in = { 100, 5000, 250000, 4900, 240100, 245000, 1 };
	struct proportion rest = { 10000, 1, 1, 1, 1, 1, 1 };
	struct proportion_excess e = proportion_compare(&in, &rest);

	assert_true(near(e.excess, 49, 1e-9));
	assert_true(e.error > 0 && e.excess > 10 * e.error);
	rest = (struct proportion){ 10000, 2, 2, 0, 0, 0, 1 };
	assert_true(near(proportion_compare(&in, &rest).excess, 49, 1e-9));
	/* all of three say that it is in any call */
	rest = (struct proportion){ 10000, 3, 3, 3, 3, 3, 1 };
	assert_true(proportion_compare(&in, &rest).excess < 0);
}

static uint64_t seed;

static double uniform(void)
{
	return ((hash_u64(seed++) >> 11) + 0.5) * 0x1p-53;
}

static unsigned poisson(double mean)
{
	double left = exp(-mean);
	unsigned n = 0;

	for (double at = uniform(); at > left; at *= uniform())
		n++;
	return n;
}

/* A kind of calls: samples of an ordinary one, the part's share of these, by how much that
 * varies between calls, how many calls of each side, and how much longer IN's are. */
struct kind {
	double samples, share, varies;
	unsigned in, rest;
	double longer;
	double planted; /* of what they are longer, so much is in the part by itself */
};

static struct proportion make_side(const struct kind *k, bool is_in)
{
	struct proportion p = { .tick = 1, .calls = is_in ? k->in : k->rest };

	for (unsigned i = 0; i < p.calls; i++) {
		double share = k->share + k->varies * (2 * uniform() - 1);
		double more = is_in ? k->samples * (k->longer - 1) : 0;
		double part = poisson(k->samples * share + more * (1 - k->planted) * share +
				      more * k->planted);
		double other = poisson((k->samples + more * (1 - k->planted)) * (1 - share));

		p.whole += part + other;
		p.whole_squares += (part + other) * (part + other);
		p.part += part;
		p.part_squares += part * part;
		p.cross += part * (part + other);
	}
	return p;
}

/* In how many of so many runs the part has more than its share. */
static unsigned found(const struct kind *k, unsigned runs, double z_least)
{
	unsigned n = 0;

	for (unsigned i = 0; i < runs; i++) {
		struct proportion in = make_side(k, true), rest = make_side(k, false);
		struct proportion_excess e = proportion_compare(&in, &rest);

		n += e.excess >= z_least * e.error;
	}
	return n;
}

/* 2.5 % of the runs are expected beyond 1.96 on this side. */
static void longer_calls_have_no_excess(void **state)
{
	static const struct kind kinds[] = {
		{ .1, .3, 0, 500, 4500, 1.5, 0 }, /* a tick in ten calls */
		{ .1, .02, 0, 500, 4500, 3, 0 },  /* a small part */
		{ 3, .3, .3, 500, 4500, 1.5, 0 }, /* calls are not alike */
		{ 20, .3, 0, 5, 95, 1.5, 0 },	  /* few slow calls */
		{ 20, .3, .3, 5, 95, 1.5, 0 },	  /* that are not alike */
		{ 20, .3, .3, 95, 5, 1.5, 0 },	  /* few ordinary ones */
		{ 5, .95, .05, 50, 450, 2, 0 },	  /* nearly everything */
	};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		unsigned n = found(&kinds[i], 1000, 1.96);

		if (n > 45)
			fail_msg("kind %u: %u of 1000", i, n);
	}
}

static void what_is_planted_is_found(void **state)
{
	static const struct kind kinds[] = {
		{ .4, .3, 0, 1000, 9000, 2, .5 },
		{ .4, .05, 0, 1000, 9000, 3, .2 },
		{ 200, 0, 0, 2, 900, 5, .9 }, /* two slow calls, in what others never run */
		{ 20, .3, .3, 30, 900, 3, .6 },
	};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		unsigned n = found(&kinds[i], 100, 3.3);

		if (n < 99)
			fail_msg("kind %u: %u of 100", i, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_z_is_that_of_tables),
		cmocka_unit_test(counts_are_as_far_from_chance_as_the_exact_tail),
		cmocka_unit_test(an_excess_by_hand),
		cmocka_unit_test(of_too_few_samples_no_share_is_known),
		cmocka_unit_test(longer_calls_have_no_excess),
		cmocka_unit_test(what_is_planted_is_found),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
