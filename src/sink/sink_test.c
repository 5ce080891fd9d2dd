#include "sink/sink.h"

#include "sink/golden_picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void a_sink_is_found_by_name(void **state)
{
	assert_string_equal(sink_find("svg")->name, "svg");
	assert_null(sink_find("sv"));
	assert_null(sink_find(""));
}

static void the_longest_suffix_wins(void **state)
{
	assert_ptr_equal(sink_for_path("x.json"), sink_find("json"));
	assert_ptr_equal(sink_for_path("dir.svg/x.speedscope.json"), sink_find("speedscope"));
	assert_ptr_equal(sink_for_path("x.pb.gz"), sink_find("pprof"));
	assert_ptr_equal(sink_for_path("x.folded"), sink_find("folded"));
	assert_null(sink_for_path("x.png"));
	assert_null(sink_for_path(""));
}

static void names_and_suffixes_are_unique(void **state)
{
	for (const struct sink *const *s = sink_list; *s; s++) {
		assert_ptr_equal(sink_find((*s)->name), *s);
		assert_ptr_equal(sink_for_path((*s)->suffix), *s);
	}
}

static void the_side_written_follows_the_split(void **state)
{
	struct picture *split = golden_split(), *plain = golden_plain();
	const struct sink *svg = sink_find("svg"), *pprof = sink_find("pprof");

	assert_int_equal(sink_side(svg, split, WRITE_DEFAULT), WRITE_DIFF);
	assert_int_equal(sink_side(sink_find("text"), split, WRITE_DEFAULT), WRITE_DIFF);
	assert_int_equal(sink_side(pprof, split, WRITE_DEFAULT), WRITE_IN);
	assert_int_equal(sink_side(svg, split, WRITE_REST), WRITE_REST);
	assert_int_equal(sink_side(svg, plain, WRITE_DEFAULT), WRITE_ALL);
	assert_int_equal(sink_side(svg, plain, WRITE_DIFF), WRITE_ALL);
	picture_free(split);
	picture_free(plain);
}

static void sides_are_parsed(void **state)
{
	enum write_side side = WRITE_OPEN;

	assert_true(write_side_parse("rest", &side));
	assert_int_equal(side, WRITE_REST);
	assert_int_equal(sink_side_mask(side), SIDE_BIT(SIDE_REST));
	assert_true(write_side_parse("diff", &side));
	assert_int_equal(side, WRITE_DIFF);
	assert_false(write_side_parse("default", &side));
	assert_false(write_side_parse("Rest", &side));
	assert_int_equal(side, WRITE_DIFF);
	assert_int_equal(sink_side_mask(WRITE_ALL), SIDE_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sink_is_found_by_name),
		cmocka_unit_test(the_longest_suffix_wins),
		cmocka_unit_test(names_and_suffixes_are_unique),
		cmocka_unit_test(the_side_written_follows_the_split),
		cmocka_unit_test(sides_are_parsed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
