#include "sink/spark.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Calls spread as a bell on the logarithmic scale, in 3 % buckets as recorded. */
static void add_bell(struct picture_span *s, double middle, double calls, double width)
{
	for (double low = 1000; low < 1e8; low *= 1.03) {
		double z = (log(low * 1.015) - log(middle)) / width;
		struct picture_bucket b = { low, low * 1.03, 0 };

		b.count = lround(calls * 0.03 / width * 0.399 * exp(-z * z / 2));
		if (b.count)
			array_push(&s->buckets, b);
	}
	s->calls = calls;
}

static void one_hump_is_one_mode(void **state)
{
	struct picture_span s = { 0 };
	double modes[SPARK_MODES];

	add_bell(&s, 400e3, 20000, 0.2);
	assert_int_equal(spark_modes(&s, modes), 1);
	assert_true(fabs(modes[0] / 400e3 - 1) < 0.05);
	array_done(&s.buckets);
}

static void two_humps_are_two_modes(void **state)
{
	struct picture_span s = { 0 };
	double modes[SPARK_MODES];

	add_bell(&s, 400e3, 20000, 0.15);
	add_bell(&s, 1.7e6, 600, 0.1);
	assert_int_equal(spark_modes(&s, modes), 2);
	assert_true(fabs(modes[0] / 400e3 - 1) < 0.05);
	assert_true(fabs(modes[1] / 1.7e6 - 1) < 0.05);
	array_done(&s.buckets);
}

/* A handful of stragglers is a tail, not a mode. */
static void chance_makes_no_mode(void **state)
{
	struct picture_span s = { 0 };
	double modes[SPARK_MODES];

	add_bell(&s, 400e3, 20000, 0.2);
	for (unsigned i = 0; i < 6; i++) {
		struct picture_bucket b = { 2e6 * (i + 1), 2.06e6 * (i + 1), 1 + i % 2 };

		array_push(&s.buckets, b);
	}
	assert_int_equal(spark_modes(&s, modes), 1);
	array_done(&s.buckets);
}

static void a_line_has_its_width(void **state)
{
	struct picture_span s = { 0 };
	AUTO_TEXT struct text t = { 0 };
	struct picture_bucket one = { 5, 6, 1 };

	spark_line(&t, &s, 40);
	assert_int_equal(t.size, 0);
	assert_int_equal(spark_modes(&s, (double[SPARK_MODES]){ 0 }), 0);
	array_push(&s.buckets, one);
	spark_line(&t, &s, 1);
	assert_string_equal(text_string(&t), "█");
	text_clear(&t);
	add_bell(&s, 400e3, 20000, 0.2);
	spark_line(&t, &s, 10);
	assert_non_null(strstr(text_string(&t), "█"));
	array_done(&s.buckets);
}

/* What is left of them once more was taken off than they lasted says nothing. */
static void what_is_not_told_from_none_is_one_mode(void **state)
{
	struct picture_span s = { .probed_nsec = 16 * 5000 };
	AUTO_TEXT struct text t = { 0 };
	double modes[SPARK_MODES];

	add_bell(&s, 1500, 9000, 0.1);
	add_bell(&s, 3500, 9000, 0.1);
	add_bell(&s, 400e3, 2000, 0.1);
	assert_int_equal(spark_modes(&s, modes), 2);
	assert_true(fabs(modes[0] / 5000 - 1) < 1e-6);
	assert_true(fabs(modes[1] / 400e3 - 1) < 0.05);
	spark_line(&t, &s, 20);
	assert_int_equal(strncmp(text_string(&t), "█ ", strlen("█ ")), 0);
	array_done(&s.buckets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_hump_is_one_mode),
		cmocka_unit_test(two_humps_are_two_modes),
		cmocka_unit_test(chance_makes_no_mode),
		cmocka_unit_test(a_line_has_its_width),
		cmocka_unit_test(what_is_not_told_from_none_is_one_mode),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
