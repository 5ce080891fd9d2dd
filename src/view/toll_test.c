#include "view/toll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Against the limits that tables give for a score interval of 95 %. */
static void the_interval_is_that_of_counts(void **state)
{
	static const struct {
		double samples, low, high;
	} rows[] = {
		{ 0, 0, 3.84 }, { 1, 0.1765, 5.665 }, { 10, 5.43, 18.41 }, { 100, 82.2, 121.6 }
	};

	for (unsigned i = 0; i < COUNT_OF(rows); i++) {
		struct picture_losses l = { .in_probes = 7 };

		toll_by_samples(&l, rows[i].samples, 1e6);
		assert_in_range(l.probe_low_nsec, rows[i].low * 0.99e6, rows[i].low * 1.01e6);
		assert_in_range(l.probe_high_nsec, rows[i].high * 0.99e6,
				rows[i].high * 1.01e6);
	}
}

static void what_chance_explains_is_not_dearer(void **state)
{
	struct picture_losses l = { .probe_nsec = 6000000, .in_probes = 10 };

	toll_by_samples(&l, 10, 1e6);
	assert_false(toll_is_dearer(&l));
	assert_int_equal(toll_least(&l), 6000000);
	assert_true(toll_kept(&l, 1000) == 0);
	l.probe_nsec = 5000000;
	assert_true(toll_is_dearer(&l));
	assert_int_equal(toll_least(&l), l.probe_low_nsec);
	/* 10 ms were taken where 5 were thought */
	assert_in_range(toll_kept(&l, 1000), 999, 1001);
}

static void without_a_period_nothing_is_known(void **state)
{
	struct picture_losses l = { .probe_nsec = 100 };

	toll_by_samples(&l, 1000, 0);
	assert_false(toll_is_dearer(&l));
	assert_int_equal(l.probe_high_nsec, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_interval_is_that_of_counts),
		cmocka_unit_test(what_chance_explains_is_not_dearer),
		cmocka_unit_test(without_a_period_nothing_is_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("toll", tests, NULL, NULL);
}
