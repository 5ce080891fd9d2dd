#include "session/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void nothing(void *context)
{
	(void)context;
}

static void stop(void *context)
{
	loop_stop(*(struct loop **)context, ENDED_BY_TARGET);
}

/* uv counts whole milliseconds: begun anywhere in one, the end is not early by the rest. */
static void the_end_is_never_early(void **state)
{
	struct loop l;
	nsec shortest = UINT64_MAX;

	(void)state;
	loop_init(&l, NULL);
	l.on_poll = l.on_tick = nothing;
	for (int i = 0; i < 60; i++) {
		nsec begun = clock_now(), took;

		assert_int_equal(loop_run(&l, 7 * NSEC_PER_MSEC, NSEC_PER_MSEC), ENDED_BY_TIME);
		took = clock_now() - begun;
		shortest = took < shortest ? took : shortest;
	}
	loop_done(&l);
	assert_true(shortest >= 7 * NSEC_PER_MSEC);
}

static void what_is_left_of_the_time(void **state)
{
	struct loop l, *context = &l;

	(void)state;
	loop_init(&l, &context);
	l.on_poll = nothing;
	l.on_tick = stop;
	assert_int_equal(loop_run(&l, 0, NSEC_PER_MSEC), ENDED_BY_TARGET);
	assert_int_equal(loop_left(&l), 0);
	assert_int_equal(loop_run(&l, 100 * NSEC_PER_SEC, NSEC_PER_MSEC), ENDED_BY_TARGET);
	assert_int_equal(loop_left(&l), 0);
	loop_done(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_is_never_early),
		cmocka_unit_test(what_is_left_of_the_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
