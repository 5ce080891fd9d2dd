#include "view/nest.h"

#include "view/picture_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define NAMES_MOST 8

static uint32_t function_of(const struct picture *p, const char *name)
{
	for (uint32_t i = 0; i < p->functions.count; i++)
		if (strcmp(picture_text(p, p->frames.at[p->functions.at[i].frame].name),
			   name) == 0)
			return i;
	fail_msg("no function %s", name);
	return 0;
}

/* Where the named lie, as "b in a, c*": '*' = a part of other lines, too. */
static const char *nests(const char *names, const struct build_samples *stacks)
{
	static char said[256];
	struct picture *p = build_pair(stacks);
	char name[NAMES_MOST][16];
	uint32_t of[NAMES_MOST];
	struct nest nest;
	uint32_t count = 0;
	size_t n = 0;

	*said = '\0';
	for (const char *at = names; *at; at += strspn(at, " ")) {
		assert_int_equal(sscanf(at, "%15s", name[count]), 1);
		at += strlen(name[count]);
		of[count] = function_of(p, name[count]);
		count++;
	}
	nest_make(&nest, p, of, count);
	for (uint32_t i = 0; i < count; i++) {
		const char *within = nest.within[i] == NEST_NONE ? NULL : name[nest.within[i]];

		n += snprintf(said + n, sizeof(said) - n, "%s%s%s%s%s", i ? ", " : "", name[i],
			      within ? " in " : "", within ? within : "",
			      nest.shared[i] ? "*" : "");
	}
	picture_free(p);
	return said;
}

#define NESTS(names, ...) nests(names, (const struct build_samples[]){ __VA_ARGS__, { 0 } })

static void a_line_lies_within_its_caller_through_others(void **state)
{
	assert_string_equal(NESTS("copy parse", { "main;parse;field;copy", 100, 10 },
				  { "main;parse", 10, 10 }),
			    "copy in parse, parse");
	assert_string_equal(NESTS("main copy parse field", { "main;parse;field;copy", 100, 10 },
				  { "main;parse", 10, 10 }),
			    "main, copy in field, parse in main, field in parse");
}

static void what_several_call_is_marked(void **state)
{
	/* a tenth elsewhere does not count */
	assert_string_equal(NESTS("copy parse render", { "parse;copy", 95, 0 },
				  { "render;copy", 5, 0 }, { "render", 50, 50 }),
			    "copy in parse, parse, render");
	assert_string_equal(NESTS("copy parse render", { "parse;copy", 60, 0 },
				  { "render;copy", 40, 0 }, { "render", 50, 50 }),
			    "copy*, parse, render");
	/* together they lie in one */
	assert_string_equal(NESTS("main copy parse render", { "main;parse;copy", 60, 0 },
				  { "main;render;copy", 40, 0 }, { "main;render", 50, 50 }),
			    "main, copy in main*, parse in main, render in main");
	/* no other line has it */
	assert_string_equal(NESTS("copy render", { "parse;copy", 60, 0 }, { "log;copy", 40, 0 },
				  { "render", 50, 50 }),
			    "copy, render");
}

static void one_that_got_faster_is_seen_where_it_was(void **state)
{
	assert_string_equal(NESTS("copy parse", { "parse;copy", 0, 100 }, { "parse", 10, 10 }),
			    "copy in parse, parse");
	assert_string_equal(NESTS("copy parse", { "parse;copy", 2, 5 }, { "copy", 1, 95 },
				  { "parse", 10, 10 }),
			    "copy, parse");
}

static void recursion_is_no_ring(void **state)
{
	assert_string_equal(NESTS("even odd", { "even;odd;even;odd", 100, 10 }),
			    "even, odd in even");
	assert_string_equal(NESTS("even odd", { "even;odd;even", 50, 10 },
				  { "odd;even;odd", 50, 10 }),
			    "even*, odd*");
	assert_string_equal(NESTS("walk leaf", { "walk;walk;walk;leaf", 100, 10 }),
			    "walk, leaf in walk");
}

static void nothing_is_fine(void **state)
{
	assert_string_equal(NESTS("", { "main", 1, 1 }), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_lies_within_its_caller_through_others),
		cmocka_unit_test(what_several_call_is_marked),
		cmocka_unit_test(one_that_got_faster_is_seen_where_it_was),
		cmocka_unit_test(recursion_is_no_ring),
		cmocka_unit_test(nothing_is_fine),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
