#include "view/picture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void add(struct picture *p, const char *path, uint64_t start, enum image_kind kind)
{
	*array_add(&p->images) = (struct picture_image){ .path = intern_text(&p->text, path),
							 .start = start,
							 .kind = kind };
}

/* Of these, in this order. */
static uint32_t main_of(const char *comm, uint32_t processes)
{
	struct picture *p = picture_new();
	uint32_t ret;

	p->comm = intern_text(&p->text, comm);
	p->processes = processes;
	add(p, "[kernel]", 0, IMAGE_KERNEL);
	add(p, "/lib/libc.so.6", 0x7f0000001000, IMAGE_FILE);
	add(p, "/usr/lib/libearly.so.1", 0x1000, IMAGE_FILE);
	add(p, "[jit]", 0x2000, IMAGE_JIT);
	add(p, "/usr/bin/redis-check-rdb", 0x5600000000, IMAGE_FILE);
	add(p, "/usr/bin/a-name-of-twenty-one", 0x5700000000, IMAGE_FILE);
	ret = picture_main_image(p);
	picture_free(p);
	return ret;
}

static void it_is_named_as_the_process(void **state)
{
	assert_int_equal(main_of("redis-check-rdb", 3), 4);
	assert_int_equal(main_of("a-name-of-twent", 1), 5); /* cut by the kernel */
	assert_int_equal(main_of("libc.so.6", 1), 1);	    /* ld.so starts what it is told */
}

static void else_it_is_the_lowest_program(void **state)
{
	assert_int_equal(main_of("redis-server", 1), 4);
	assert_int_equal(main_of("", 1), 4);
	/* of several it may be another one's */
	assert_int_equal(main_of("redis-server", 2), UINT32_MAX);
	assert_int_equal(main_of("a-name", 2), UINT32_MAX);
}

static void there_may_be_none(void **state)
{
	struct picture *p = picture_new();

	p->processes = 1;
	assert_int_equal(picture_main_image(p), UINT32_MAX);
	add(p, "/lib/libc.so.6", 0x7f0000001000, IMAGE_FILE);
	add(p, "/usr/bin/unmapped", 0, IMAGE_FILE);
	assert_int_equal(picture_main_image(p), UINT32_MAX);
	picture_free(p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_named_as_the_process),
		cmocka_unit_test(else_it_is_the_lowest_program),
		cmocka_unit_test(there_may_be_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
