#include "name/ksym.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void a_function_is_read(void **state)
{
	struct ksym k;

	assert_true(ksym_read("vfs_read+0x12/0x380", 0xffffffff81000012, &k));
	assert_int_equal(k.start, 0xffffffff81000000);
	assert_int_equal(k.length, 0x380);
	assert_int_equal(k.name_size, 8);
	assert_ptr_not_equal(k.name, NULL);
	assert_int_equal(k.module_size, 0);
	assert_true(ksym_read("reg.part.0+0x0/0x1 [nf_conntrack]", 0x1000, &k));
	assert_memory_equal(k.name, "reg.part.0", k.name_size);
	assert_memory_equal(k.module, "nf_conntrack", 12);
	assert_int_equal(k.module_size, 12);
	assert_int_equal(k.start, 0x1000);
}

static void what_is_no_function_is_not_one(void **state)
{
	static const char *const texts[] = {
		"",
		"0xffffffff81000012",
		"+0x1/0x2",
		"name",
		"name+",
		"name+0x",
		"name+0x1",
		"name+0x1/",
		"name+0x1/0x",
		"name+1/2",
		"name+0x5/0x5",
		"name+0x5/0x2",
		"name+0x1/0x2 ",
		"name+0x1/0x2 [",
		"name+0x1/0x2 [m",
		"name+0x1/0x2 [m]x",
		"name+0x1/0x2[m]",
		"name+0x2000/0x3000", /* the address is lower */
	};
	struct ksym k;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(ksym_read(texts[i], 0x1000, &k));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_read),
		cmocka_unit_test(what_is_no_function_is_not_one),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
