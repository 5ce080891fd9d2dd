#include "view/shape.h"

#include "view/span_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool is_near(double value, double truth, double part)
{
	return fabs(value / truth - 1) < part;
}

static void no_calls_have_no_mode(void **state)
{
	struct picture_span s = { 0 };
	struct shape_mode modes[SHAPE_MODES];
	struct shape_mix mix;

	assert_int_equal(shape_modes(&s, modes), 0);
	assert_false(shape_mixed(&s, 1000, &mix));
}

static void one_hump_is_one_mode(void **state)
{
	struct picture_span s = { 0 };
	struct shape_mode modes[SHAPE_MODES];
	struct shape_mix mix;

	add_bell(&s, 400e3, 20000, 0.2);
	assert_int_equal(shape_modes(&s, modes), 1);
	assert_true(is_near(modes[0].nsec, 400e3, 0.05));
	assert_true(modes[0].until == s.max);
	assert_true(is_near(modes[0].share, 1, 1e-6));
	assert_false(shape_mixed(&s, 300000, &mix));
	array_done(&s.buckets);
}

static void two_humps_are_two_modes(void **state)
{
	struct picture_span s = { 0 };
	struct shape_mode modes[SHAPE_MODES];

	add_bell(&s, 400e3, 20000, 0.15);
	add_bell(&s, 1.7e6, 600, 0.1);
	assert_int_equal(shape_modes(&s, modes), 2);
	assert_true(is_near(modes[0].nsec, 400e3, 0.05));
	assert_true(is_near(modes[1].nsec, 1.7e6, 0.05));
	assert_true(is_near(modes[0].share, 20000 / 20600.0, 0.01));
	assert_true(is_near(modes[1].share, 600 / 20600.0, 0.1));
	assert_true(modes[0].until > 700e3 && modes[0].until < 1.4e6);
	array_done(&s.buckets);
}

/* A handful of stragglers is a tail, not a mode. */
static void chance_makes_no_mode(void **state)
{
	struct picture_span s = { 0 };
	struct shape_mode modes[SHAPE_MODES];

	add_bell(&s, 400e3, 20000, 0.2);
	for (unsigned i = 0; i < 6; i++) {
		struct picture_bucket b = { 2e6 * (i + 1), 2.06e6 * (i + 1), 1 + i % 2 };

		array_push(&s.buckets, b);
	}
	assert_int_equal(shape_modes(&s, modes), 1);
	array_done(&s.buckets);
}

/* What is left of them once more was taken off than they lasted says nothing. */
static void what_is_not_told_from_none_is_one_mode(void **state)
{
	struct picture_span s = { .probed_nsec = 16 * 5000 };
	struct shape_mode modes[SHAPE_MODES];

	add_bell(&s, 1500, 9000, 0.1);
	add_bell(&s, 3500, 9000, 0.1);
	add_bell(&s, 400e3, 2000, 0.1);
	assert_int_equal(shape_modes(&s, modes), 2);
	assert_true(is_near(modes[0].nsec, 5000, 1e-6));
	assert_true(is_near(modes[1].nsec, 400e3, 0.05));
	array_done(&s.buckets);
}

/* The slowest tenth, of calls of which 5 % are of another kind. */
static void a_bound_within_a_kind_is_found(void **state)
{
	struct picture_span s = { 0 };
	struct shape_mix mix;

	add_bell(&s, 900e3, 19000, 0.1);
	add_bell(&s, 9e6, 1000, 0.1);
	assert_true(shape_mixed(&s, 1060000, &mix));
	assert_true(is_near(mix.nsec, 900e3, 0.05));
	assert_true(is_near(mix.share, 0.5, 0.2));
	assert_int_equal(mix.bound, 3000000);
	array_done(&s.buckets);
}

static void a_bound_between_kinds_is_none(void **state)
{
	struct picture_span s = { 0 };
	struct shape_mix mix;

	add_bell(&s, 900e3, 19000, 0.1);
	add_bell(&s, 9e6, 1000, 0.1);
	/* above are all of the longer ones and hardly another */
	assert_false(shape_mixed(&s, 1200000, &mix));
	assert_false(shape_mixed(&s, 3000000, &mix));
	/* or a part of them */
	assert_false(shape_mixed(&s, 9000000, &mix));
	/* hardly one of the calls above is of the longer kind */
	array_clear(&s.buckets);
	add_bell(&s, 900e3, 19700, 0.1);
	add_bell(&s, 9e6, 300, 0.1);
	assert_false(shape_mixed(&s, 900000, &mix));
	array_done(&s.buckets);
}

static void a_bound_amid_the_longer_kind_is_found(void **state)
{
	struct picture_span s = { 0 };
	struct shape_cut cut;

	add_bell(&s, 900e3, 16000, 0.1);
	assert_false(shape_parted(&s, 900000, &cut));
	assert_int_equal(shape_longest(&s), 0);
	add_bell(&s, 9e6, 4000, 0.1);
	assert_true(shape_parted(&s, 9000000, &cut));
	assert_true(is_near(cut.nsec, 9e6, 0.05));
	assert_true(is_near(cut.share, 0.5, 0.1));
	assert_int_equal(cut.bound, 3000000);
	assert_int_equal(shape_longest(&s), 3000000);
	assert_false(shape_parted(&s, 900000, &cut));  /* of the shorter ones */
	assert_false(shape_parted(&s, 7000000, &cut)); /* hardly one is below */
	assert_false(shape_parted(&s, 12000000, &cut));
	assert_false(shape_parted(&s, 30000000, &cut));
	array_done(&s.buckets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_calls_have_no_mode),
		cmocka_unit_test(one_hump_is_one_mode),
		cmocka_unit_test(two_humps_are_two_modes),
		cmocka_unit_test(chance_makes_no_mode),
		cmocka_unit_test(what_is_not_told_from_none_is_one_mode),
		cmocka_unit_test(a_bound_within_a_kind_is_found),
		cmocka_unit_test(a_bound_between_kinds_is_none),
		cmocka_unit_test(a_bound_amid_the_longer_kind_is_found),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
