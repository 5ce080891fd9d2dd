#include "base/columns.h"
#include "sink/escape.h"
#include "sink/fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define LOST "\xef\xbf\xbd"

static void check(void (*escape)(struct text *, const char *), const char *from, const char *to)
{
	AUTO_TEXT struct text t = { 0 };

	escape(&t, from);
	assert_string_equal(text_string(&t), to);
}

static void markup_becomes_text(void **state)
{
	check(escape_xml, "<a href='x'>&\"", "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
	check(escape_xml, "]]>", "]]&gt;");
	check(escape_xml, "", "");
}

static void xml_gets_no_byte_it_cannot_hold(void **state)
{
	check(escape_xml, "a\x01\n\x7f\x1b[1m", "a" LOST LOST LOST LOST "[1m");
	check(escape_xml, "\xff\xc3(", LOST LOST "(");
	check(escape_xml, "\xed\xa0\x80", LOST LOST LOST);	  /* a surrogate */
	check(escape_xml, "\xef\xbf\xbe\xef\xbf\xbf", LOST LOST); /* noncharacters */
	check(escape_xml, "\xe2\x80\xae", LOST);		  /* right-to-left override */
	check(escape_xml, "ф \xf0\x9f\x99\x82", "ф \xf0\x9f\x99\x82");
	check(escape_xml, "cut \xe2\x82", "cut " LOST LOST);
}

static void json_keeps_controls_as_escapes(void **state)
{
	check(escape_json, "a\"b\\c\n\x01\x7f", "\"a\\\"b\\\\c\\u000a\\u0001\\u007f\"");
	check(escape_json, "\xff<", "\"" LOST "<\"");
	/* a terminal's CSI, and what turns the text behind it around */
	check(escape_json,
	      "\xc2\x9b"
	      "2J\xe2\x80\xae"
	      "gpj",
	      "\"\\u009b2J\\u202egpj\"");
	check(escape_json, "\xc2\xb5s", "\"\xc2\xb5s\"");
	check(escape_json, "", "\"\"");
}

static void folded_names_hold_no_separator(void **state)
{
	check(escape_folded, "a;b\nc\x1b", "a:b?c?");
	check(escape_folded, "f(int, char) const", "f(int, char) const");
}

static void check_fit(const char *name, unsigned columns, const char *to)
{
	AUTO_TEXT struct text t = { 0 };

	fit_name(&t, name, columns);
	assert_string_equal(text_string(&t), to);
	assert_true(columns_of(to) <= columns);
}

static void a_name_is_shortened_where_it_says_least(void **state)
{
	check_fit("parse_request", 20, "parse_request");
	check_fit("shop::find(std::string const&)", 20, "shop::find");
	check_fit("a::b<c<int>, d>::e(f<g>)", 16, "a::b<…>::e");
	check_fit("operator<<(std::ostream&, shop::Row const&)", 12, "operator<<");
	check_fit("(anonymous namespace)::run", 12, "(anony…::run");
	check_fit("abcdefghijklmnop", 8, "abcd…nop");
	check_fit("унция_унция_унция", 7, "унц…ция");
	check_fit("bad\n\xff", 12, "bad??");
	check_fit("f<<<<((((", 6, "f<…>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_becomes_text),
		cmocka_unit_test(xml_gets_no_byte_it_cannot_hold),
		cmocka_unit_test(json_keeps_controls_as_escapes),
		cmocka_unit_test(folded_names_hold_no_separator),
		cmocka_unit_test(a_name_is_shortened_where_it_says_least),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
