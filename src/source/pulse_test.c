#include "source/pulse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define US NSEC_PER_USEC
#define PERIOD (1130 * US)
#define LEAST 5

/* As a loop of 8 ms saw them: the clock's own, the kernel's ticks (one a millisecond, one of
 * them just before ours), and small change. */
static const struct gap seen[] = {
	{ 50 * US, 41 * US },	{ 260 * US, 37 * US },	{ 700 * US, 600 },
	{ 1180 * US, 40 * US }, { 1260 * US, 36 * US }, { 1900 * US, 3 * US },
	{ 2219 * US, 78 * US }, { 2310 * US, 39 * US }, { 3260 * US, 36 * US },
	{ 3440 * US, 40 * US }, { 4260 * US, 35 * US }, { 4571 * US, 39 * US },
	{ 5260 * US, 36 * US }, { 5700 * US, 41 * US }, { 6000 * US, 900 },
	{ 6260 * US, 37 * US }, { 6830 * US, 40 * US },
};
#define NR_SEEN (sizeof(seen) / sizeof(seen[0]))

static void those_in_step_are_the_clocks(void **state)
{
	assert_int_equal(pulse_usual(seen, NR_SEEN, PERIOD, LEAST), 40 * US);
	/* the other clock's are shorter here */
	assert_int_equal(pulse_usual(seen, NR_SEEN, NSEC_PER_MSEC, LEAST), 36 * US);
}

static void many_that_keep_no_step_are_none(void **state)
{
	struct gap gaps[100];

	for (unsigned i = 0; i < 100; i++)
		gaps[i] = (struct gap){ (i * i * 37 + i * 101) * US, 8 * US };
	assert_int_equal(pulse_usual(gaps, 5, PERIOD, LEAST), 0);
	assert_int_equal(pulse_usual(gaps, 100, 100000 * US, LEAST), 0);
	assert_int_equal(pulse_usual(gaps, 0, PERIOD, LEAST), 0);
	assert_int_equal(pulse_usual(gaps, 0, PERIOD, 0), 0);
}

static void too_few_are_none(void **state)
{
	assert_int_equal(pulse_usual(seen, 4, PERIOD, LEAST), 0);
	assert_int_equal(pulse_usual(seen, 4, PERIOD, 2), 40 * US);
}

static void a_flood_is_cut(void **state)
{
	static struct gap gaps[4096];

	for (unsigned i = 0; i < 4096; i++)
		gaps[i] = (struct gap){ i * PERIOD, (1 + i % 100) * US };
	assert_true(pulse_usual(gaps, 4096, PERIOD, LEAST) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_in_step_are_the_clocks),
		cmocka_unit_test(many_that_keep_no_step_are_none),
		cmocka_unit_test(too_few_are_none),
		cmocka_unit_test(a_flood_is_cut),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
