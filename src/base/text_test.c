#include "base/text.h"

#include "base/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_text_grows(void **state)
{
	AUTO_TEXT struct text t = { 0 };

	assert_string_equal(text_string(&t), "");
	for (unsigned i = 0; i < 1000; i++)
		text_format(&t, "%u,", i);
	assert_int_equal(t.size, 10 * 2 + 90 * 3 + 900 * 4);
	assert_int_equal(strlen(text_string(&t)), t.size);
	text_clear(&t);
	assert_string_equal(text_string(&t), "");
	text_format(&t, "%0500d", 7); /* longer than what is reserved at first */
	assert_int_equal(t.size, 500);
	text_add_part(&t, "abcdef", 3);
	text_add_char(&t, '!');
	assert_string_equal(text_string(&t) + 499, "7abc!");
}

static void expect_plain(const char *from, const char *to)
{
	AUTO_TEXT struct text t = { 0 };

	text_add_plain(&t, from);
	assert_string_equal(text_string(&t), to);
}

static void a_terminal_is_given_nothing_to_act_on(void **state)
{
	expect_plain("parse<int>(µs, 字, 🦀)", "parse<int>(µs, 字, 🦀)");
	expect_plain("a\033[31mb\a\r\n\tc\x7f", "a?[31mb????c?");
	expect_plain("\xc2\x9b"
		     "31m",
		     "?31m"); /* CSI as one C1 character */
	expect_plain("a\xe2\x80\xae"
		     "b\xe2\x81\xa6\xef\xbb\xbf",
		     "a?b??");			       /* RLO LRI BOM */
	expect_plain("\xff\xc0\xaf\xe2\x82", "?????"); /* broken, overlong, cut off */
	expect_plain("\xed\xa0\x80", "???");	       /* a surrogate */
	expect_plain("\xf4\x90\x80\x80", "????");      /* above U+10FFFF */
}

static void durations_have_three_digits(void **state)
{
	static const struct {
		double nsec;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" },	       { 412, "412 ns" },     { 999.4, "999 ns" },
		{ 999.6, "1.00 µs" },  { 1240, "1.24 µs" },   { 12400, "12.4 µs" },
		{ 124000, "124 µs" },  { 999600, "1.00 ms" }, { 9.996e6, "10.0 ms" },
		{ 99.96e6, "100 ms" }, { 3.1e9, "3.10 s" },   { 3600e9, "3600 s" },
		{ -1290, "-1.29 µs" },
	};
	char buf[TEXT_QUANTITY];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(text_duration(buf, cases[i].nsec), cases[i].text);
	assert_true(strlen(text_duration(buf, 1e300)) < TEXT_QUANTITY);
	assert_true(strlen(text_duration(buf, -1e300)) < TEXT_QUANTITY);
}

static void counts_and_sizes_are_readable(void **state)
{
	char buf[TEXT_QUANTITY];

	assert_string_equal(text_count(buf, 0), "0");
	assert_string_equal(text_count(buf, 999), "999");
	assert_string_equal(text_count(buf, 1000), "1,000");
	assert_string_equal(text_count(buf, 19012345), "19,012,345");
	assert_string_equal(text_count(buf, UINT64_MAX), "18,446,744,073,709,551,615");
	assert_string_equal(text_size(buf, 412), "412 B");
	assert_string_equal(text_size(buf, 1023), "1023 B");
	assert_string_equal(text_size(buf, 421888), "412 KiB");
	assert_string_equal(text_size(buf, 1048575), "1.00 MiB");
	assert_string_equal(text_size(buf, 33u << 20), "33.0 MiB");
}

static void globs_take_slashes_and_dots(void **state)
{
	assert_true(text_glob("std::*sort*", "std::__introsort<a/b>"));
	assert_true(text_glob("*", ".hidden"));
	assert_true(text_glob("handle_?", "handle_a"));
	assert_false(text_glob("handle", "handle_a"));
	assert_true(text_is_glob("a[bc]"));
	assert_false(text_is_glob("a::b<c>"));
	assert_true(text_starts("handle_request", "handle"));
	assert_false(text_starts("han", "handle"));
	assert_true(text_ends("x.pb.gz", ".gz"));
	assert_false(text_ends("gz", ".gz"));
}

static void distances_are_levenshteins(void **state)
{
	assert_int_equal(text_distance("hand_request", "handle_request", 3), 2);
	assert_int_equal(text_distance("kitten", "sitting", 5), 3);
	assert_int_equal(text_distance("", "abc", 3), 3);
	assert_int_equal(text_distance("same", "same", 0), 0);
	assert_int_equal(text_distance("abc", "xyz", 2), 3);
	assert_int_equal(text_distance("a", "abcdefgh", 2), 3);
}

static void whole_numbers_are_whole(void **state)
{
	static const char *const wrong[] = { "",    " 1",  "-1",
					     "+1",  "1x",  "0x",
					     "1.5", "0xg", "18446744073709551616" };
	uint64_t v = 77;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(text_to_u64(wrong[i], &v));
	assert_int_equal(v, 77);
	assert_true(text_to_u64("18446744073709551615", &v));
	assert_true(v == UINT64_MAX);
	assert_true(text_to_u64("0x1f", &v));
	assert_int_equal(v, 31);
	assert_true(text_to_u64("010", &v));
	assert_int_equal(v, 10);
}

static void quantities_have_units(void **state)
{
	static const struct {
		const char *text, *rest;
		double value;
		enum text_unit unit;
	} cases[] = {
		{ "10us", "", 10e3, UNIT_TIME },	 { "10µs", "", 10e3, UNIT_TIME },
		{ "5ms..9ms", "..9ms", 5e6, UNIT_TIME }, { "2s", "", 2e9, UNIT_TIME },
		{ "2min", "", 120e9, UNIT_TIME },	 { "1.5h", "", 5400e9, UNIT_TIME },
		{ "4KiB", "", 4096, UNIT_SIZE },	 { "1MiB)", ")", 1048576, UNIT_SIZE },
		{ "3%", "", 0.03, UNIT_PERCENT },	 { "199", "", 199, UNIT_NONE },
		{ "0x10", "", 16, UNIT_NONE },		 { "7 && x", " && x", 7, UNIT_NONE },
		{ "3sort", "sort", 3, UNIT_NONE },	 { "3s_", "s_", 3, UNIT_NONE },
		{ "1e3", "", 1000, UNIT_NONE },		 { "12ns", "", 12, UNIT_TIME },
	};
	const char *end;
	enum text_unit unit;
	double v;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(text_to_quantity(cases[i].text, &end, &v, &unit));
		assert_string_equal(end, cases[i].rest);
		assert_int_equal(unit, cases[i].unit);
		assert_true(v > cases[i].value * 0.999999 && v < cases[i].value * 1.000001);
	}
	assert_false(text_to_quantity("", &end, &v, &unit));
	assert_false(text_to_quantity("-1s", &end, &v, &unit));
	assert_false(text_to_quantity("nan", &end, &v, &unit));
	assert_false(text_to_quantity("1e999", &end, &v, &unit));
	assert_false(text_to_quantity(".", &end, &v, &unit));
}

static void rates_have_three_digits(void **state)
{
	static const struct {
		double rate;
		const char *text;
	} cases[] = {
		{ 0, "0/s" },
		{ -1, "0/s" },
		{ 0.5, "0.50/s" },
		{ 12.34, "12.3/s" },
		{ 479.7, "480/s" },
		{ 999.4, "999/s" },
		{ 999.6, "1.00 k/s" },
		{ 33742, "33.7 k/s" },
		{ 999499, "999 k/s" },
		{ 999600, "1.00 M/s" },
		{ 123456789, "123 M/s" },
	};
	char buf[TEXT_QUANTITY];

	(void)state;
	for (unsigned i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(text_rate(buf, cases[i].rate), cases[i].text);
	assert_true(strlen(text_rate(buf, 1e300)) < TEXT_QUANTITY);
}

static void rough_numbers_have_two_digits(void **state)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = {
		{ 0, "0" },	 { 0.0081, "0.0081" }, { 0.0994, "0.099" }, { 0.0996, "0.10" },
		{ 0.1, "0.10" }, { 1.74, "1.7" },      { 9.94, "9.9" },	    { 9.96, "10" },
		{ 38.4, "38" },	 { 120.4, "120" },     { -3, "0" },
	};
	char buf[TEXT_QUANTITY];

	(void)state;
	for (unsigned i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(text_rough(buf, cases[i].v), cases[i].text);
	assert_true(strlen(text_rough(buf, 1e300)) < TEXT_QUANTITY);
	assert_true(strlen(text_rough(buf, 1e-300)) < TEXT_QUANTITY);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_grows),
		cmocka_unit_test(a_terminal_is_given_nothing_to_act_on),
		cmocka_unit_test(durations_have_three_digits),
		cmocka_unit_test(rates_have_three_digits),
		cmocka_unit_test(rough_numbers_have_two_digits),
		cmocka_unit_test(counts_and_sizes_are_readable),
		cmocka_unit_test(globs_take_slashes_and_dots),
		cmocka_unit_test(distances_are_levenshteins),
		cmocka_unit_test(whole_numbers_are_whole),
		cmocka_unit_test(quantities_have_units),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
