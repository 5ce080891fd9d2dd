/*
 * odds_test - the sides of calls that are shorter than what a tick adds to them.
 */
#include "view/odds.h"

#include "view/shop_build.h"

#define USEC NSEC_PER_USEC
#define QUICK 4000
#define SLOW 12000
#define HIT_QUICK 760 /* of 95 quick calls to 5 slow ones, ticks fall into 19 to 3 */
#define HIT_SLOW 120

#define CALLS 1000 /* that no tick fell into, each tenth of a second */

/* A tick adds 5 to 15 us. */
static void ticked_call(struct store *st, unsigned i, nsec duration, const struct chain *where)
{
	const struct chain *const in[] = { where, NULL };

	call(st, 1 + i, 1010 * MS + i * MS, duration + 5 * USEC + hash_u64(i) % 10000, in);
}

/* For a second, which ends the recording. */
static void clean_calls(struct store *st, const nsec durations[CALLS])
{
	for (unsigned i = 0; i < 10; i++)
		build_calls(st, (1000 + 100 * i) * MS, (1100 + 100 * i) * MS, 1, durations,
			    CALLS);
	build_end(st, 2000 * MS);
}

static struct store *make_brief(const struct store_limit *limit)
{
	struct store *st = make_store(limit);
	nsec durations[CALLS];

	for (unsigned i = 0; i < CALLS; i++)
		durations[i] = i < 50 ? SLOW : QUICK;
	for (unsigned i = 0; i < HIT_QUICK + HIT_SLOW; i++)
		ticked_call(st, i, i % 22 < 3 ? SLOW : QUICK,
			    i % 22 < 3 ? &in_expand : &in_render);
	clean_calls(st, durations);
	return st;
}

static double share(const struct picture *p)
{
	const struct picture_side *in = &p->sides[SIDE_IN], *rest = &p->sides[SIDE_REST];

	return (double)in->weight_nsec / (in->weight_nsec + rest->weight_nsec);
}

static void sides_have_what_the_histogram_says(void **state)
{
	struct store *st = make_brief(NULL);
	struct picture *p = ask_split(st, "dur > 8us");

	assert_int_equal(p->samples, HIT_QUICK + HIT_SLOW);
	assert_int_equal(p->sides[SIDE_IN].samples + p->sides[SIDE_REST].samples, p->samples);
	assert_true(fabs(share(p) - 3. / 22) < 0.015);
	assert_true(p->sides[SIDE_IN].calls == 500 && p->sides[SIDE_IN].calls_exact);
	picture_free(p);
	p = ask_split(st, "dur > 30us");
	assert_int_equal(p->sides[SIDE_IN].samples, 0);
	picture_free(p);
	store_free(st);
}

/* Ticks add more than the calls differ by; all the same each side has its own functions. */
static void sides_do_what_their_calls_do(void **state)
{
	struct store *st = make_brief(NULL);
	struct picture *p = ask_split(st, "dur > 8us");
	const struct picture_function *expand = function(p, "expand");
	const struct picture_function *render = function(p, "render");
	double call = (double)p->sides[SIDE_IN].weight_nsec / p->sides[SIDE_IN].calls;

	assert_true(p->blur > 0.2 && p->blur < 0.5);
	assert_true(near(expand->per_call_in_nsec, call, 0.15));
	assert_true(fabs(render->per_call_in_nsec) < 0.15 * call);
	assert_true(expand->z > 5 && render->z < 0);
	picture_free(p);
	store_free(st);
}

static void what_is_near_cannot_be_told_apart(void **state)
{
	struct store *st = make_brief(NULL);
	struct picture *p = ask_split(st, "dur > 4us"); /* within a bucket of 4 us */

	assert_true(p->blur > 0.6);
	assert_in_range(p->clearer, 6 * USEC, 8 * USEC);
	picture_free(p);
	p = ask_split(st, "dur > p98"); /* among the slow ones */
	assert_true(p->blur > 0.6);
	assert_in_range(p->clearer, 6 * USEC, 8 * USEC);
	picture_free(p);
	p = ask_split(st, "dur > 8us");
	assert_int_equal(p->clearer, 0);
	picture_free(p);
	store_free(st);
}

/* Samples tell little of the brief ones, but all of what the long ones take longer. */
static void what_long_calls_do_is_known_beside_brief_ones(void **state)
{
	struct store *st = make_store(NULL);
	nsec durations[CALLS];
	struct picture *p;

	for (unsigned i = 0; i < COUNT_OF(durations); i++)
		durations[i] = i < 120 ? 18 * USEC + 10 * i : 160;
	for (unsigned i = 0; i < HIT_QUICK; i++)
		ticked_call(st, i, durations[i % 40 ? i % 40 : 500],
			    i % 40 ? &in_expand : &in_render);
	clean_calls(st, durations);
	p = ask_split(st, "dur > p98");
	assert_true(p->blur > 0.5);
	assert_in_range(p->clearer, 1 * USEC, 12 * USEC);
	picture_free(p);
	p = ask_split(st, "dur > 10us");
	assert_true(p->blur < 0.1);
	assert_true(function(p, "expand")->z > 5 && function(p, "render")->z < 3);
	picture_free(p);
	store_free(st);
}

/* Of calls of 4 and 6 us nobody knows which ones ticks fell into. */
static void a_clearer_bound_is_where_calls_differ_by_more(void **state)
{
	struct store *st = make_store(NULL);
	nsec durations[CALLS];
	struct picture *p;

	for (unsigned i = 0; i < COUNT_OF(durations); i++)
		durations[i] = i < 50 ? 300 * USEC : i < 500 ? 6 * USEC : 4 * USEC;
	for (unsigned i = 0; i < HIT_QUICK; i++)
		ticked_call(st, i, durations[i % 8 ? 100 * (i % 8) : 0],
			    i % 8 ? &in_render : &in_expand);
	clean_calls(st, durations);
	p = ask_split(st, "dur > 5us");
	assert_true(p->blur > 0.5);
	assert_in_range(p->clearer, 20 * USEC, 200 * USEC);
	picture_free(p);
	store_free(st);
}

static void alike_calls_have_no_clearer_bound(void **state)
{
	struct store *st = make_store(NULL);
	nsec durations[CALLS];
	struct picture *p;

	for (unsigned i = 0; i < COUNT_OF(durations); i++)
		durations[i] = QUICK;
	for (unsigned i = 0; i < HIT_QUICK; i++)
		ticked_call(st, i, QUICK, &in_render);
	clean_calls(st, durations);
	p = ask_split(st, "dur > 4us");
	assert_true(p->blur > 0.6);
	assert_int_equal(p->clearer, 0);
	picture_free(p);
	store_free(st);
}

static void calls_of_other_threads_are_estimated_alike(void **state)
{
	struct store *st = make_brief(NULL);
	struct picture *p = ask_split(st, "dur > 8us && tid == 7");

	assert_true(fabs(share(p) - 3. / 22) < 0.015);
	assert_false(p->sides[SIDE_IN].calls_exact);
	assert_true(near(p->sides[SIDE_IN].calls, 500, 0.05));
	picture_free(p);
	p = ask_split(st, "dur > 8us && tid == 8");
	assert_true(p->sides[SIDE_IN].samples == 0 && p->sides[SIDE_IN].calls == 0);
	picture_free(p);
	p = ask_split(st, "!(dur in 2us..8us)");
	assert_true(fabs(share(p) - 3. / 22) < 0.015);
	picture_free(p);
	store_free(st);
}

static void what_is_forgotten_is_judged_alike(void **state)
{
	const struct store_limit limits[] = { { .samples = 7 }, { .spans = 300 } };

	for (unsigned i = 0; i < COUNT_OF(limits); i++) {
		struct store *st = make_brief(&limits[i]);
		struct picture *p = ask_split(st, "dur > 8us");

		assert_int_equal(p->samples, HIT_QUICK + HIT_SLOW);
		assert_true(fabs(share(p) - 3. / 22) < 0.015);
		picture_free(p);
		store_free(st);
	}
}

static struct odds odds_of(const struct store *st, const char *expression)
{
	const struct window all = { .kind = WINDOW_ALL };
	struct error err;
	struct dist hit = { 0 };
	struct split *split;
	struct odds o;

	assert_int_equal(split_parse(expression, &split, &err), 0);
	assert_int_equal(split_bind(split, st, &all, &err), 0);
	odds_init(&o, st, split, &all, true);
	for (uint32_t i = 0; i < st->spans.slots.count; i++) {
		const struct span *s = &st->spans.slots.at[i];

		if (s->id)
			dist_add(&hit, bucket_of(span_age(s, 0)), 1);
	}
	odds_learn(&o, &hit);
	split_free(split);
	return o;
}

static void one_call_is_told_by_how_it_was_observed(void **state)
{
	struct store *st = make_brief(NULL);
	struct odds o = odds_of(st, "dur > 8us");
	const struct odds_of_call *low = odds_ask(&o, bucket_of(9500)),
				  *high = odds_ask(&o, bucket_of(25500));

	assert_int_equal(o.intervals, 2);
	assert_true(low->chance[0] > 0.99 && near(low->mean[0], QUICK, 0.02));
	assert_true(high->chance[1] > 0.8 && near(high->mean[1], SLOW, 0.02));
	assert_true(near(low->chance[0] + low->chance[1], 1, 1e-9));
	odds_done(&o);
	store_free(st);
}

static void what_is_long_or_alone_is_as_observed(void **state)
{
	struct store *st = make_brief(NULL);
	struct odds o = odds_of(st, "dur > 8us");
	const struct odds_of_call *alone = odds_ask(&o, bucket_of(200 * USEC));

	assert_null(odds_ask(&o, bucket_of(250 * USEC))); /* a quarter of the period */
	assert_true(alone->chance[1] == 1 && near(alone->mean[1], 200 * USEC, 0.02));
	odds_done(&o);
	o = odds_of(st, "tid == 7"); /* no duration is asked about */
	assert_null(odds_ask(&o, bucket_of(9500)));
	odds_done(&o);
	store_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sides_have_what_the_histogram_says),
		cmocka_unit_test(sides_do_what_their_calls_do),
		cmocka_unit_test(what_is_near_cannot_be_told_apart),
		cmocka_unit_test(what_long_calls_do_is_known_beside_brief_ones),
		cmocka_unit_test(a_clearer_bound_is_where_calls_differ_by_more),
		cmocka_unit_test(alike_calls_have_no_clearer_bound),
		cmocka_unit_test(calls_of_other_threads_are_estimated_alike),
		cmocka_unit_test(what_is_forgotten_is_judged_alike),
		cmocka_unit_test(one_call_is_told_by_how_it_was_observed),
		cmocka_unit_test(what_is_long_or_alone_is_as_observed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
