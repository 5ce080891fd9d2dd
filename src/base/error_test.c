#include "base/error.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_sentence_and_a_code(void **state)
{
	struct error err;

	assert_int_equal(error_set(&err, ENOENT, "no function '%s'", "f"), -ENOENT);
	assert_string_equal(err.text, "no function 'f'");
	error_prefix(&err, "process %d", 42);
	assert_string_equal(err.text, "process 42: no function 'f'");
}

static void nobody_has_to_listen(void **state)
{
	assert_int_equal(error_set(NULL, EINVAL, "x"), -EINVAL);
	error_prefix(NULL, "y");
}

static void long_sentences_are_cut(void **state)
{
	struct error err;
	char name[3000];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	error_set(&err, EINVAL, "%s", name);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	error_prefix(&err, "before");
	assert_memory_equal(err.text, "before: xxx", 11);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	error_prefix(&err, "%s", name);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sentence_and_a_code),
		cmocka_unit_test(nobody_has_to_listen),
		cmocka_unit_test(long_sentences_are_cut),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
