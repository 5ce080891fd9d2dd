#include "sink/extra_rows.h"

#include "sink/walk.h"
#include "view/picture_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char *name_of(const struct extra_rows *t, uint32_t row)
{
	return walk_name(t->p, extra_row(t, row)->frame);
}

/* "parse+field in main, render": the lines, and what shares them. */
static const char *lines(const struct build_samples *stacks)
{
	static char said[2048];
	struct picture *p = build_pair(stacks);
	struct extra_rows t;
	size_t n = 0;

	*said = '\0';
	extra_rows_make(&t, p);
	for (uint32_t i = 0; i < t.count; i++) {
		uint32_t within = t.nest.within[i];

		if (t.follows[i])
			continue;
		n += snprintf(said + n, sizeof(said) - n, "%s%s", n ? ", " : "",
			      name_of(&t, i));
		for (uint32_t k = t.next[i]; k != NEST_NONE; k = t.next[k])
			n += snprintf(said + n, sizeof(said) - n, "+%s", name_of(&t, k));
		if (within != NEST_NONE)
			n += snprintf(said + n, sizeof(said) - n, " in %s",
				      name_of(&t, within));
	}
	picture_free(p);
	return said;
}

#define LINES(...) lines((const struct build_samples[]){ __VA_ARGS__, { 0 } })

static void those_that_only_call_one_another_share_a_line(void **state)
{
	assert_string_equal(LINES({ "parse;field;copy", 500, 100 }, { "render", 300, 100 }),
			    "parse+field+copy, render");
	/* own code that is to be seen */
	assert_string_equal(LINES({ "parse;line;field;copy", 500, 100 },
				  { "parse;line;field", 20, 0 }),
			    "parse+line+field, copy in field");
	/* and that is not */
	assert_string_equal(LINES({ "parse;field;copy", 1000, 100 }, { "parse;field", 2, 0 }),
			    "parse+field+copy");
	/* a pair gains nothing */
	assert_string_equal(LINES({ "parse;copy", 500, 100 }), "parse, copy in parse");
	/* the same difference, between other numbers */
	assert_string_equal(LINES({ "parse;copy", 500, 100 }, { "parse", 100, 100 }),
			    "parse, copy in parse");
}

static void what_is_called_on_the_way_is_within(void **state)
{
	assert_string_equal(LINES({ "parse;line;field;copy;move;mov", 1000, 100 },
				  { "parse;line;field;log", 400, 50 }),
			    "parse+line+field, copy+move+mov in field, log in field");
}

static void what_the_holder_does_has_a_line_of_its_own(void **state)
{
	assert_string_equal(LINES({ "lock;futex_wait;[waits: mutex m];[held by keeper];"
				    "keep [holder];work [holder]",
				    500, 100 }),
			    "lock+futex_wait+[waits: mutex m], "
			    "[held by keeper]+keep [holder]+work [holder] in [waits: mutex m]");
}

static void what_several_call_shares_none(void **state)
{
	assert_string_equal(LINES({ "parse;copy", 600, 100 }, { "render;copy", 300, 50 }),
			    "copy, parse, render");
	/* with those that it alone calls */
	assert_string_equal(LINES({ "parse;copy;move;mov", 600, 100 },
				  { "render;copy;move;mov", 300, 50 }),
			    "copy+move+mov, parse, render");
}

static void what_the_kernel_passes_on_shares_a_line(void **state)
{
	assert_string_equal(LINES({ "send;@entry;@write;@tcp;@push", 800, 100 },
				  { "send;@entry;@write;@tcp", 60, 0 },
				  { "send;@entry;@write", 90, 0 }),
			    "send+entry+write+tcp+push");
	assert_string_equal(LINES({ "send;entry;write;tcp;push", 800, 100 },
				  { "send;entry;write;tcp", 60, 0 },
				  { "send;entry;write", 90, 0 }),
			    "send+entry+write, tcp in write, push in tcp");
}

static void noise_is_shown_where_there_is_nothing_else(void **state)
{
	assert_string_equal(LINES({ "parse", 500, 100 }, { "render", 300, 300 }), "parse");
	assert_string_equal(LINES({ "render", 300, 300 }), "render");
}

/* All that is longer by its proportion has more time than what is new. */
static void what_the_verdict_names_has_a_line(void **state)
{
	struct build_samples stacks[16] = { 0 };
	char names[14][80];
	size_t n = 0;

	for (unsigned i = 0; i < 14; i++) {
		char *name = names[i];

		n = i ? strlen(names[i - 1]) : 0;
		memcpy(name, i ? names[i - 1] : "", n);
		snprintf(name + n, sizeof(names[i]) - n, "%sf%u", i ? ";" : "", i);
		stacks[i] =
			(struct build_samples){ name, i == 13 ? 900 : 100, i == 13 ? 450 : 50 };
	}
	stacks[14] = (struct build_samples){ "sort", 300, 0 };
	assert_non_null(strstr(lines(stacks), "sort"));
}

static void a_long_way_takes_no_room_from_others(void **state)
{
	assert_string_equal(LINES({ "a;b;c;d;e;f;g;h;i;j;k;l;m;n", 900, 100 },
				  { "sleep;nap", 500, 100 }),
			    "a+b+c+d+e+f+g+h+i+j+k+l+m+n, sleep, nap in sleep");
}

/* 12, each with all that share it. */
static void lines_are_bounded(void **state)
{
	struct build_samples stacks[21] = { 0 };
	char names[20][24];
	unsigned count = 0;

	for (unsigned i = 0; i < 20; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u;g%u;h%u", i, i, i);
		stacks[i] = (struct build_samples){ names[i], 900 - 20 * i, 100 };
	}
	for (const char *at = lines(stacks); at; at = strchr(at + 1, ','))
		count++;
	assert_int_equal(count, 12);
	assert_non_null(strstr(lines(stacks), "f11+g11+h11"));
	assert_null(strstr(lines(stacks), "f12"));
}

static void nothing_is_fine(void **state)
{
	assert_string_equal(LINES({ "main", 0, 0 }), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_only_call_one_another_share_a_line),
		cmocka_unit_test(what_is_called_on_the_way_is_within),
		cmocka_unit_test(what_the_holder_does_has_a_line_of_its_own),
		cmocka_unit_test(what_several_call_shares_none),
		cmocka_unit_test(what_the_kernel_passes_on_shares_a_line),
		cmocka_unit_test(noise_is_shown_where_there_is_nothing_else),
		cmocka_unit_test(what_the_verdict_names_has_a_line),
		cmocka_unit_test(a_long_way_takes_no_room_from_others),
		cmocka_unit_test(lines_are_bounded),
		cmocka_unit_test(nothing_is_fine),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("extra_rows", tests, NULL, NULL);
}
