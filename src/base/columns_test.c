#include "base/columns.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void codes_take_no_columns(void **state)
{
	assert_int_equal(columns_of(""), 0);
	assert_int_equal(columns_of("µs ›"), 4);
	assert_int_equal(columns_of("\x1b[1mbold\x1b[0m"), 4);
	assert_int_equal(columns_of("\x1b[31"), 0); /* cut off */
	assert_int_equal(columns_of("a\x1b[38;5;12mb"), 2);
}

static const char *wrapped(const char *words, unsigned columns, unsigned indent)
{
	static struct text t;

	text_clear(&t);
	columns_wrap(&t, words, columns, indent);
	return text_string(&t);
}

static void words_become_lines(void **state)
{
	assert_string_equal(wrapped("", 10, 2), "\n");
	assert_string_equal(wrapped("one two", 10, 2), "one two\n");
	assert_string_equal(wrapped("one two six", 11, 2), "one two six\n");
	assert_string_equal(wrapped("one two six", 10, 2), "one two\n  six\n");
	/* the second line has less room */
	assert_string_equal(wrapped("one two six ten", 7, 2), "one two\n  six\n  ten\n");
	assert_string_equal(wrapped("a threehundred b", 6, 1), "a\n threehundred\n b\n");
	/* the colour is no width */
	assert_string_equal(wrapped("\x1b[1mone\x1b[0m two", 7, 0), "\x1b[1mone\x1b[0m two\n");
}

static void what_is_between_words_stays(void **state)
{
	assert_string_equal(wrapped("  p50  1 ms   two", 80, 4), "  p50  1 ms   two\n");
	assert_string_equal(wrapped("name   calls", 8, 4), "name\n    calls\n");
}

static void numbers_stay_with_their_units(void **state)
{
	assert_string_equal(wrapped("for 10.0 s at", 8, 0), "for\n10.0 s\nat\n");
	assert_string_equal(wrapped("ended: 19,008 calls", 14, 0), "ended:\n19,008 calls\n");
	assert_string_equal(wrapped("return 19,008, longjmp 1", 15, 0),
			    "return 19,008,\nlongjmp 1\n");
	assert_string_equal(wrapped("a 1", 3, 0), "a 1\n");
	assert_string_equal(wrapped("a 1  ", 3, 0), "a 1\n");
	assert_string_equal(wrapped("kinds (3.1 %)", 10, 0), "kinds\n(3.1 %)\n");
	assert_string_equal(wrapped("from <65 ns on", 9, 0), "from\n<65 ns on\n");
}

static void what_is_quoted_stays_together(void **state)
{
	assert_string_equal(wrapped("a --split 'dur > 2ms'.", 12, 0),
			    "a\n--split 'dur > 2ms'.\n");
	assert_string_equal(wrapped("in serve's own code", 9, 0), "in\nserve's\nown code\n");
	assert_string_equal(wrapped("a 'b c", 4, 0), "a 'b\nc\n");
	assert_string_equal(wrapped("a --split b", 7, 0), "a\n--split\nb\n");
	assert_string_equal(wrapped("1 'b c' d", 4, 0), "1 'b c'\nd\n");
}

static void each_line_is_wrapped_by_itself(void **state)
{
	AUTO_TEXT struct text t = { 0 };

	columns_wrap_lines(&t, "one two\n  three four\n\nlast", 9);
	assert_string_equal(text_string(&t), "one two\n  three\n      four\n\nlast\n");
}

static void a_window_clips(void **state)
{
	AUTO_TEXT struct text t = { 0 };

	columns_clip(&t, "first line\nµµµµµµ\n\nlast", 5, 4);
	assert_string_equal(text_string(&t), "first\nµµµµµ\n\nlast\n");
	text_clear(&t);
	columns_clip(&t, "a\nb\nc\nd\n", 5, 3);
	assert_string_equal(text_string(&t), "a\nb\n… 2 more lines\n");
	text_clear(&t);
	columns_clip(&t, "", 5, 1);
	assert_string_equal(text_string(&t), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_take_no_columns),
		cmocka_unit_test(words_become_lines),
		cmocka_unit_test(what_is_between_words_stays),
		cmocka_unit_test(numbers_stay_with_their_units),
		cmocka_unit_test(what_is_quoted_stays_together),
		cmocka_unit_test(each_line_is_wrapped_by_itself),
		cmocka_unit_test(a_window_clips),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
