#include "view/extra.h"

#include "view/shop_build.h"

static void differences_add_up(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *p = ask_split(st, "dur > p90");
	double extra = p->sides[SIDE_IN].mean_nsec - p->sides[SIDE_REST].mean_nsec;
	double sum = p->off_in_nsec - p->off_rest_nsec;

	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		sum += (double)f->self_in_nsec / p->sides[SIDE_IN].calls -
		       (double)f->self_rest_nsec / p->sides[SIDE_REST].calls;
	}
	assert_true(near(sum, extra, 1e-6));
	picture_free(p);
	store_free(st);
}

static void intervals_know_calls_from_samples(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *p = ask_split(st, "dur > 3ms");
	const struct picture_function *f = function(p, "expand");
	/* every slow call gave the same 4 ms: one sample's worth of doubt a side */
	double error = sqrt(pow(MS / 10., 2) + pow(MS / 90., 2));

	assert_true(near(f->extra_error, 1.96 * error, 1e-9));
	assert_true(near(f->z, 4 * MS / error, 1e-9));
	f = function(p, "render");
	/* rest: 30 calls of 90 gave 1 ms: (30 - 90 / 9) / 90^2 ms^2 */
	error = sqrt(pow(MS / 10., 2) + (30 - 90 / 9.) / 8100 * MS * MS);
	assert_true(near(f->extra_error, 1.96 * error, 1e-9));
	picture_free(p);
	store_free(st);
}

/* A call that is as long as sixty others does not hide what these have more. */
static void one_long_call_hides_nothing(void **state)
{
	enum { LONG = 300, SLOW = 20, FAST = 90 };
	const struct chain *one[LONG + 1];
	nsec durations[1 + SLOW + FAST];
	struct store *st = make_store(NULL);
	const struct picture_function *f;
	struct picture *p;
	unsigned n = 0;

	for (unsigned i = 0; i < LONG; i++)
		one[i] = &in_expand;
	one[LONG] = NULL;
	call(st, 1, 1900 * MS, LONG * MS, one);
	durations[n++] = LONG * MS;
	for (unsigned i = 0; i < SLOW; i++, durations[n++] = 5 * MS)
		call(st, 1000 + i, (1100 + 10 * i) * MS, 5 * MS, slow);
	for (unsigned i = 0; i < FAST; i++, durations[n++] = MS)
		call(st, 2000 + i, (1400 + 2 * i) * MS, MS, fast);
	build_calls(st, 1000 * MS, 2000 * MS, 1, durations, n);
	build_end(st, 2000 * MS);
	p = ask_split(st, "dur > 3ms");
	f = function(p, "expand");
	assert_true(near(f->extra_nsec, (LONG + 4. * SLOW) / (SLOW + 1) * MS, 1e-9));
	/* how much it is hardly is known: three quarters of it are of one call */
	assert_true(f->extra_error > f->extra_nsec);
	assert_true(f->z > 5 && 1.96 * f->beyond_nsec > 5 * f->beyond_noise);
	assert_true(function(p, "render")->beyond_noise <= function(p, "render")->beyond_error);
	picture_free(p);
	store_free(st);
}

static void recursion_counts_once(void **state)
{
	static const struct chain deep = {
		{ MAIN, HANDLE, PARSE, EXPAND, PARSE, HANDLE, PARSE }, 7
	};
	static const struct chain *const chains[] = { &deep, &deep, NULL };
	struct store *st = make_store(NULL);
	const nsec durations[] = { 9 * MS };
	struct picture *p;
	const struct picture_function *f;

	call(st, 5, 1100 * MS, 9 * MS, chains);
	build_calls(st, 1000 * MS, 2000 * MS, 1, durations, 1);
	p = ask_split(st, "dur > 3ms");
	f = function(p, "parse");
	assert_true(f->total_in_nsec == 2 * MS && f->self_in_nsec == 2 * MS && f->depth == 0);
	assert_true(f->samples_in == 2);
	assert_null(function(p, "handle"));
	assert_true(function(p, "expand")->total_in_nsec == 2 * MS);
	picture_free(p);
	store_free(st);
}

static void a_stack_without_the_span_counts_from_its_callers_on(void **state)
{
	static const struct chain skipped = { { MAIN, LOG },
					      2 }; /* handle's frame is missing */
	static const struct chain *const chains[] = { &in_parse, &skipped, NULL };
	struct store *st = make_store(NULL);
	const nsec durations[] = { 9 * MS };
	struct picture *p;

	call(st, 5, 1100 * MS, 9 * MS, chains);
	build_calls(st, 1000 * MS, 2000 * MS, 1, durations, 1);
	p = ask_split(st, "dur > 3ms");
	assert_true(function(p, "log")->total_in_nsec == MS);
	assert_int_equal(function(p, "log")->caller, UINT32_MAX);
	assert_null(function(p, "main"));
	picture_free(p);
	store_free(st);
}

static void nested_probes_are_told_apart(void **state)
{
	struct store *st = make_store(NULL);
	struct event_probe probe = {
		.probe = 2, .sites = 1, .image = SHOP, .offset = PARSE << 8, .length = 0x100
	};
	struct event_leave inner = { .span = 6, .parent = 5, .began = 1092 * MS, .probe = 2 };
	struct event_leave outer = { .span = 5, .began = 1091 * MS, .probe = 1 };
	const nsec nine[] = { 9 * MS }, two[] = { 2 * MS };
	struct picture *p;

	build_probe(st, 1000 * MS, &probe, "parse", "parse");
	sample(st, 1093 * MS, 7, 6, &in_expand);
	sample(st, 1095 * MS, 7, 5, &in_render);
	build_leave(st, 1094 * MS, 7, &inner);
	build_leave(st, 1100 * MS, 7, &outer);
	build_calls(st, 1000 * MS, 2000 * MS, 1, nine, 1);
	build_calls(st, 1000 * MS, 2000 * MS, 2, two, 1);
	p = ask_split(st, "parse.dur < 3ms");
	assert_int_equal(p->split_span, 1);
	assert_int_equal(p->sides[SIDE_IN].samples, 1);
	assert_int_equal(p->sides[SIDE_OUT].samples, 1);
	assert_int_equal(p->functions.count, 1);
	assert_non_null(function(p, "expand"));
	picture_free(p);
	p = ask_split(st, "handle.dur > 3ms && parse.dur < 3ms");
	assert_int_equal(p->split_span, 0);
	assert_int_equal(p->sides[SIDE_IN].samples, 1);
	assert_int_equal(p->sides[SIDE_REST].samples, 1);
	assert_false(p->sides[SIDE_IN].calls_exact);
	assert_int_equal(p->sides[SIDE_IN].calls, 1);
	picture_free(p);
	store_free(st);
}

/* Calls of two threads, alike in number; thread 8's are the slow ones more often. */
static void calls_of_a_thread_are_estimated(void **state)
{
	enum { CALLS = 4000 };
	static nsec durations[CALLS];
	struct store *st = make_store(NULL);
	struct picture *p;

	for (unsigned i = 0; i < CALLS; i++) {
		uint32_t tid = 7 + i % 2;
		bool is_slow = hash_u64(i) % 10 < (tid == 8 ? 4 : 1);
		nsec duration = (is_slow ? 400 : 50) * 1000 + hash_u64(i * 3) % 10000;
		struct event_leave leave = { .span = i + 1,
					     .began = (1000 + i) * MS,
					     .probe = 1 };

		durations[i] = duration;
		if (hash_u64(i * 5) % 1000000 >= duration)
			continue; /* no tick in it: the period is 1 ms */
		sample(st, leave.began + 1, tid, i + 1, &in_parse);
		build_leave(st, leave.began + duration, tid, &leave);
	}
	for (unsigned i = 0; i < CALLS; i += 500)
		build_calls(st, (1000 + i) * MS, (1500 + i) * MS, 1, durations + i, 500);
	p = ask_split(st, "dur > 200us && tid == 8");
	assert_false(p->sides[SIDE_IN].calls_exact);
	assert_true(near(p->sides[SIDE_IN].calls, 800, 0.1));
	assert_int_equal(p->sides[SIDE_IN].calls + p->sides[SIDE_REST].calls, CALLS);
	assert_true(near(p->sides[SIDE_IN].mean_nsec, 405e3, 0.03));
	picture_free(p);
	store_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_add_up),
		cmocka_unit_test(intervals_know_calls_from_samples),
		cmocka_unit_test(one_long_call_hides_nothing),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(a_stack_without_the_span_counts_from_its_callers_on),
		cmocka_unit_test(nested_probes_are_told_apart),
		cmocka_unit_test(calls_of_a_thread_are_estimated),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
