#include "probe/goroutine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef __x86_64__
/* clang-format off */
#define HEAD "\x48\x8b\x7c\x24\x08"			/* mov 8(%rsp),%rdi */
#define TLS "\x64\x48\x8b\x04\x25\xf8\xff\xff\xff"	/* mov %fs:-8,%rax */
#define TLS_BY_RCX "\x48\xc7\xc1\xf0\xff\xff\xff\x64\x48\x8b\x01"
#define M "\x48\x8b\x58\x30"				/* mov 48(%rax),%rbx */
#define FAR_M "\x48\x8b\x98\x00\x02\x00\x00"		/* mov 512(%rax),%rbx */
#define SIGNAL "\x48\x3b\x43\x50\x74\x10"		/* cmp 80(%rbx),%rax; je */
#define G0 "\x48\x8b\x13\x48\x39\xd0\x74\x08"		/* mov (%rbx),%rdx; cmp; je */
#define CURRENT "\x48\x3b\x83\xc0\x00\x00\x00\x75\x08"	/* cmp 192(%rbx),%rax; jne */
#define ODD "\x48\x3b\x83\xc1\x00\x00\x00\x75\x08"	/* cmp 193(%rbx),%rax; jne */
#define RET "\xc3"
/* clang-format on */

static struct decoder *decoder;

static int begin(void **state)
{
	decoder = decoder_new();
	return 0;
}

static int end(void **state)
{
	decoder_free(decoder);
	return 0;
}

static bool find(const char *code, size_t size, struct goroutine_layout *ret)
{
	uint8_t *exact = malloc(size ? size : 1); /* nothing behind it may be read */
	bool found;

	memset(ret, 0, sizeof(*ret));
	memcpy(exact, code, size);
	found = goroutine_layout_of(decoder, exact, size, ret);
	free(exact);
	return found;
}
#define FIND(code, ret) find((code), sizeof(code) - 1, (ret))

static void the_layout_is_read(void **state)
{
	struct goroutine_layout l;

	assert_true(FIND(HEAD TLS M SIGNAL G0 CURRENT RET, &l));
	assert_int_equal(l.tls, -8);
	assert_int_equal(l.g_m, 48);
	assert_int_equal(l.m_curg, 192);
	assert_true(FIND(HEAD TLS_BY_RCX FAR_M SIGNAL G0 CURRENT RET, &l));
	assert_int_equal(l.tls, -16);
	assert_int_equal(l.g_m, 512);
}

static void what_is_not_as_known_is_not_taken(void **state)
{
	struct goroutine_layout l;

	assert_false(FIND("", &l));
	assert_false(FIND(HEAD M SIGNAL G0 CURRENT RET, &l));
	assert_false(FIND(HEAD TLS SIGNAL G0 CURRENT RET, &l));
	assert_false(FIND(HEAD TLS M G0 CURRENT RET, &l));
	assert_false(FIND(HEAD TLS M SIGNAL CURRENT RET, &l));
	assert_false(FIND(HEAD TLS M SIGNAL G0 RET CURRENT, &l));
	assert_false(FIND(HEAD TLS M SIGNAL G0 ODD RET, &l));
	assert_false(FIND(HEAD M TLS SIGNAL G0 CURRENT RET, &l));
}

static void code_that_is_cut_off_is_survived(void **state)
{
	static const char code[] = HEAD TLS_BY_RCX FAR_M SIGNAL G0 CURRENT;
	struct goroutine_layout l;

	for (size_t n = 0; n < sizeof(code) - 3; n++)
		assert_false(find(code, n, &l));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_layout_is_read),
		cmocka_unit_test(what_is_not_as_known_is_not_taken),
		cmocka_unit_test(code_that_is_cut_off_is_survived),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, end);
}
#else
int main(void)
{
	return 77; /* of another processor: skipped */
}
#endif
