#include "sink/fit.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void a_name_is_measured_as_it_is_shown(void **state)
{
	assert_int_equal(fit_natural("a::b<c>"), 7);
	assert_int_equal(fit_natural("\x1b[1mname"), 8); /* shown as '?' */
}

static void check_fit(const char *name, unsigned columns, const char *ret)
{
	AUTO_TEXT struct text t = { 0 };

	fit_name(&t, name, columns);
	assert_string_equal(text_string(&t), ret);
}

static void a_long_name_keeps_what_tells_it_apart(void **state)
{
	check_fit("a::b<int>(int, char)", 20, "a::b<int>(int, char)");
	check_fit("a::b<int>(int, char)", 19, "a::b<int>");
	check_fit("a::b<int>::c(int, char)", 8, "a::b…::c");
	check_fit("a::b<std::pair<int, long>>::c(int) const", 10, "a::b<…>::c");
	check_fit("bool a::operator< <int>(int)", 19, "bool a::o…ator< <…>");
	check_fit("a::operator()(int) const", 15, "a::operator()");
	check_fit("a::(anonymous namespace)::b", 11, "a::(a…e)::b");
	/* of Rust: a type stands at the beginning, and tuples among arguments */
	check_fit("<a::Channel<b::String>>::recv::{closure#1}", 35,
		  "<a::Channel<…>>::recv::{closure#1}");
	check_fit("<a::Channel<(b::String, c::Option<b::String>)>>::recv", 30,
		  "<a::Channel<…>>::recv");
	check_fit("rt::start::<(), fn()>::{closure#0}", 30, "rt::start::<…>::{closure#0}");
	check_fit("rt::start::<fn(), ()>", 16, "rt::start::<…>");
}

static void an_address_stays_whole(void **state)
{
	check_fit("fn_a9d50~sqlite3_vfs_unregister", 40, "fn_a9d50");
	check_fit("fn_a9d50~sqlite3_vfs_unregister", 8, "fn_a9d50");
	check_fit("fn_add~", 8, "fn_add"); /* add is a number, too */
	check_fit("fn_save~", 9, "fn_save~");
	check_fit("fn_of_a_program_that_is_long", 9, "fn_o…long");
}

static void check_share(unsigned columns, unsigned name, unsigned place, unsigned ret_name,
			unsigned ret_place)
{
	fit_share(columns, &name, &place);
	assert_int_equal(name, ret_name);
	assert_int_equal(place, ret_place);
}

static void names_and_places_share_a_line(void **state)
{
	/* both as they are, where there is room */
	check_share(60, 30, 12, 30, 12);
	check_share(43, 30, 12, 30, 12);
	check_share(60, 5, 0, 20, 0);
	/* names give way to places of a third, and places to names beyond that */
	check_share(60, 90, 12, 47, 12);
	check_share(61, 90, 40, 40, 20);
	check_share(61, 30, 40, 30, 30);
	check_share(60, 90, 0, 60, 0);
	/* something is left of both */
	check_share(10, 90, 90, 20, 18);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_measured_as_it_is_shown),
		cmocka_unit_test(a_long_name_keeps_what_tells_it_apart),
		cmocka_unit_test(an_address_stays_whole),
		cmocka_unit_test(names_and_places_share_a_line),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
