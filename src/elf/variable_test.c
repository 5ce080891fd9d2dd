#include "elf/variable.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int at_hand[4] = { 1, 2, 3, 4 };
static char hidden[100] = "x";

struct image *own;

/* What another reader says of at_hand. */
static uint64_t value, size;

static void ask_readelf(void)
{
	AUTO_FREE char *command = mem_format(
		"readelf -sW /proc/%d/exe | awk '$8 == \"at_hand\" { print $2, $3 }'",
		(int)getpid());
	FILE *from = popen(command, "r");

	assert_non_null(from);
	assert_int_equal(fscanf(from, "%lx %lu", &value, &size), 2);
	pclose(from);
}

static uint64_t in_file(const void *address)
{
	return value + ((uintptr_t)address - (uintptr_t)at_hand);
}

static bool is_called(const void *address, const char *name, uint64_t into)
{
	struct variable v = { "" };

	return variable_find(own, in_file(address), &v) && !strcmp(v.raw, name) &&
	       v.into == into && v.size > into;
}

static void what_lies_at_an_address_is_found(void **state)
{
	assert_true(is_called(at_hand, "at_hand", 0));
	assert_true(is_called(&at_hand[3], "at_hand", 12));
	assert_true(is_called((char *)at_hand + size - 1, "at_hand", size - 1));
	assert_false(is_called((char *)at_hand + size, "at_hand", size));
	assert_true(is_called(&hidden[99], "hidden", 99));
	assert_true(is_called(&own, "own", 0)); /* has no bytes in the file */
}

static void what_is_no_variable_is_not(void **state)
{
	struct variable v;

	assert_false(variable_find(own, in_file((const void *)(uintptr_t)is_called), &v));
	assert_false(variable_find(own, 0, &v));
	assert_false(variable_find(own, UINT64_MAX, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lies_at_an_address_is_found),
		cmocka_unit_test(what_is_no_variable_is_not),
	};
	struct error err;
	int failed;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (image_open("/proc/self/exe", "self", &own, &err))
		return 1;
	ask_readelf();
	failed = cmocka_run_group_tests_name("variable", tests, NULL, NULL);
	image_close(own);
	return failed;
}
