#include "sink/sink.h"

#include "view/picture_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* The tree of a report, from its heading on; the caller frees it. */
static char *tree_of(const struct build_samples *stacks)
{
	struct picture *p = build_picture(stacks, true);
	struct sink_option option = { .side = WRITE_ALL, .columns = 80 };
	AUTO_TEXT struct text out = { 0 };
	char *text, *at;

	p->samples = 1;
	assert_int_equal(sink_find("text")->write(p, &option, &out, NULL), 0);
	at = strstr(text_string(&out), "Tree of");
	assert_non_null(at);
	text = mem_text(at);
	picture_free(p);
	return text;
}

#define KERNEL "main;send;@entry;@do_syscall;@sock_write;@tcp_send;@tcp_push;@tcp_xmit"

/* 1,000 samples in all, of which the kernel loses some at each step. */
static void little_that_happens_in_the_kernel_is_passed_over(void **state)
{
	static const struct build_samples stacks[] = {
		{ KERNEL ";@ip_output;@ip_receive", 600, 0 },
		{ KERNEL ";@ip_output", 370, 0 },
		{ KERNEL, 7, 0 },
		{ "main;send;@entry;@do_syscall;@sock_write;@tcp_send;@tcp_push", 8, 0 },
		{ "main;send;@entry;@do_syscall;@sock_write;@tcp_send", 8, 0 },
		{ "main;send;@entry;@do_syscall;@sock_write", 7, 0 },
		{ NULL, 0, 0 },
	};
	AUTO_FREE char *tree = tree_of(stacks);

	assert_non_null(strstr(tree, " 97.0 %  › … 3 more › ip_output  [kernel]\n"));
	assert_non_null(strstr(tree, " 60.0 %  › ip_receive            [kernel]\n"));
	assert_null(strstr(tree, "tcp_push"));
}

static void where_ways_part_is_shown(void **state)
{
	static const struct build_samples stacks[] = {
		{ KERNEL ";@ip_output", 60, 0 },
		{ "main;send;@entry;@do_syscall;@sock_write;@tcp_send;@copy", 35, 0 },
		{ "main;send;@entry;@do_syscall;@sock_write", 1, 0 },
		{ "main;send;@entry;@do_syscall", 4, 0 },
		{ NULL, 0, 0 },
	};
	AUTO_FREE char *tree = tree_of(stacks);

	assert_null(strstr(tree, "more"));
	assert_non_null(strstr(tree, "tcp_send"));
	assert_non_null(strstr(tree, "├─ tcp_push"));
}

static void the_program_s_own_functions_all_are(void **state)
{
	static const struct build_samples stacks[] = {
		{ "main;a;b;c;d;e;f;g", 60, 0 },
		{ "main;a;b;c;d;e;f", 36, 0 },
		{ "main;a;b;c;d;e", 8, 0 },
		{ "main;a;b;c;d", 8, 0 },
		{ "main;a;b;c", 8, 0 },
		{ "main;a;b", 8, 0 },
		{ NULL, 0, 0 },
	};
	AUTO_FREE char *tree = tree_of(stacks);

	assert_null(strstr(tree, "more"));
	for (char name = 'b'; name <= 'g'; name++) {
		char line[] = { ' ', name, ' ', 0 };

		assert_non_null(strstr(tree, line));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_that_happens_in_the_kernel_is_passed_over),
		cmocka_unit_test(where_ways_part_is_shown),
		cmocka_unit_test(the_program_s_own_functions_all_are),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text_tree", tests, NULL, NULL);
}
