#include "base/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct point {
	int x, y;
};

static void elements_are_zeroed_and_kept_while_it_grows(void **state)
{
	ARRAY(struct point) points = { 0 };

	for (int i = 0; i < 1000; i++) {
		struct point *p = array_add(&points);

		assert_int_equal(p->x, 0);
		assert_int_equal(p->y, 0);
		*p = (struct point){ i, -i };
	}
	assert_int_equal(points.count, 1000);
	assert_true(points.room >= 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(points.at[i].y, -i);
	array_done(&points);
	assert_null(points.at);
	assert_int_equal(points.count + points.room, 0);
}

static void a_cleared_array_zeroes_what_is_added_again(void **state)
{
	ARRAY(int) numbers = { 0 };
	int *again;

	array_push(&numbers, 7);
	array_clear(&numbers);
	assert_int_equal(numbers.count, 0);
	again = array_add(&numbers);
	assert_int_equal(*again, 0);
	array_done(&numbers);
}

static void a_push_may_use_an_element_of_the_array(void **state)
{
	ARRAY(int) numbers = { 0 };

	array_push(&numbers, 3);
	for (int i = 0; i < 100; i++) {
		int last = numbers.at[numbers.count - 1];

		array_push(&numbers, last + 1);
	}
	assert_int_equal(numbers.at[100], 103);
	array_done(&numbers);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_zeroed_and_kept_while_it_grows),
		cmocka_unit_test(a_cleared_array_zeroes_what_is_added_again),
		cmocka_unit_test(a_push_may_use_an_element_of_the_array),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
