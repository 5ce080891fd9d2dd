#include "base/intern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void a_string_has_one_id(void **state)
{
	struct intern in = { 0 };
	text_id a = intern_text(&in, "parse"), b = intern_text(&in, "parse_request");

	assert_int_not_equal(a, 0);
	assert_int_not_equal(a, b);
	assert_int_equal(intern_text(&in, "parse"), a);
	assert_int_equal(intern_part(&in, "parse_request", 5), a);
	assert_string_equal(intern_string(&in, b), "parse_request");
	intern_done(&in);
}

static void zero_is_the_empty_string(void **state)
{
	struct intern in = { 0 };

	assert_string_equal(intern_string(&in, 0), "");
	assert_string_equal(intern_string(&in, 99), "");
	assert_int_equal(intern_text(&in, ""), 0);
	assert_int_equal(intern_part(&in, "abc", 0), 0);
	assert_string_equal(intern_string(&in, 0), "");
	intern_done(&in);
}

static void strings_do_not_move(void **state)
{
	struct intern in = { 0 };
	const char *first = intern_string(&in, intern_text(&in, "first"));
	char name[32];

	for (unsigned i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		assert_int_equal(intern_text(&in, name), i + 2);
	}
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		assert_int_equal(intern_text(&in, name), i + 2);
		assert_string_equal(intern_string(&in, i + 2), name);
	}
	assert_ptr_equal(intern_string(&in, 1), first);
	intern_done(&in);
}

/* Two strings whose hashes are the same, or the slot after one another. */
static void a_taken_hash_is_moved_on(void **state)
{
	struct intern in = { 0 };
	uint64_t key = hash_bytes("mine", 4, 0);

	intern_text(&in, "other"); /* id 1 */
	table_set(&in.ids, key, 1);
	assert_int_equal(intern_text(&in, "mine"), 2);
	assert_int_equal(intern_text(&in, "mine"), 2);
	assert_int_equal(table_find(&in.ids, key + 1), 2);
	intern_done(&in);
}

static void what_is_beyond_the_limit_is_empty(void **state)
{
	struct intern in = { .limit = 8 };

	assert_int_equal(intern_text(&in, "first"), 1);
	assert_int_equal(intern_text(&in, "other"), 0);
	assert_int_equal(intern_text(&in, "abc"), 2);
	assert_int_equal(intern_text(&in, "d"), 0);
	assert_int_equal(intern_text(&in, "first"), 1);
	assert_int_equal(in.refused, 2);
	intern_done(&in);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_has_one_id),
		cmocka_unit_test(what_is_beyond_the_limit_is_empty),
		cmocka_unit_test(zero_is_the_empty_string),
		cmocka_unit_test(strings_do_not_move),
		cmocka_unit_test(a_taken_hash_is_moved_on),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("intern", tests, NULL, NULL);
}
