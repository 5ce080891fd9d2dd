#include "elf/demangle.h"

#include "base/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void check(const char *raw, enum demangle_form form, const char *expected)
{
	AUTO_TEXT struct text t = { 0 };

	demangle(raw, form, &t);
	assert_string_equal(text_string(&t), expected);
}

static void names_are_written_as_people_write_them(void **state)
{
	static const struct {
		const char *raw, *name, *full;
	} cases[] = {
		{ "main", "main", "main" },
		{ "", "", "" },
		{ "_", "_", "_" },
		{ "_Z", "_Z", "_Z" },
		{ "i", "i", "i" }, /* not the type int */
		{ "memcpy@@GLIBC_2.14", "memcpy", "memcpy" },
		{ "read@plt", "read@plt", "read@plt" },
		{ "_ZN2ns1C1fEi", "ns::C::f", "ns::C::f(int)" },
		{ "_ZNK2ns1C1fEv", "ns::C::f", "ns::C::f() const" },
		{ "_ZN2ns1C1fEi@plt", "ns::C::f@plt", "ns::C::f(int)@plt" },
		{ "_Z3maxIiET_S0_S0_", "max<int>", "int max<int>(int, int)" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
		  "std::vector<int, std::allocator<int> >::push_back",
		  "std::vector<int, std::allocator<int> >::push_back(int const&)" },
		{ "_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f",
		  "(anonymous namespace)::f()" },
		{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()",
		  "main::{lambda()#1}::operator()() const" },
		/* Rust, legacy and v0 */
		{ "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
		  "core::fmt::Formatter::write_str", "core::fmt::Formatter::write_str" },
		{ "_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into17h0123456789"
		  "abcdefE",
		  "<T as core::convert::Into<U>>::into",
		  "<T as core::convert::Into<U>>::into" },
		{ "_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function",
		  "foo::example_function" },
		{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>",
		  "std::mem::align_of::<f64>" },
	};

	for (unsigned i = 0; i < COUNT_OF(cases); i++) {
		check(cases[i].raw, DEMANGLE_NAME, cases[i].name);
		check(cases[i].raw, DEMANGLE_FULL, cases[i].full);
	}
}

static void a_clone_is_marked_behind_the_name(void **state)
{
	static const struct {
		const char *raw, *name;
	} cases[] = {
		{ "f.cold", "f [.cold]" },
		{ "f.isra.0", "f [.isra.0]" },
		{ "f.part.0.constprop.1", "f [.part.0.constprop.1]" },
		{ "f.lto_priv.0", "f [.lto_priv.0]" },
		{ "_ZN2ns1fEv.cold", "ns::f [.cold]" },
		{ "_ZN2ns1fEv.isra.0.cold", "ns::f [.isra.0.cold]" },
		{ "_ZN4core3ptr4drop17h0123456789abcdefE.llvm.123",
		  "core::ptr::drop [.llvm.123]" },
		/* a name of Go has dots of its own */
		{ "main.main", "main.main" },
		{ "runtime.coldest", "runtime.coldest" },
		{ ".L12", ".L12" },
	};

	for (unsigned i = 0; i < COUNT_OF(cases); i++)
		check(cases[i].raw, DEMANGLE_NAME, cases[i].name);
}

static void it_adds_behind_what_is_there(void **state)
{
	AUTO_TEXT struct text t = { 0 };

	text_add(&t, "in ");
	demangle("_ZN1a1bEv", DEMANGLE_NAME, &t);
	demangle("_Zbroken", DEMANGLE_NAME, &t);
	assert_string_equal(text_string(&t), "in a::b_Zbroken");
}

/* f takes a pair of pairs of pairs ...: each level doubles what is printed. */
static void add_nested_pairs(struct text *raw, unsigned levels)
{
	text_add(raw, "_Z1fSt4pairIiiE");
	for (unsigned i = 0; i < levels; i++) {
		char id = i < 10 ? '0' + i : 'A' + i - 10;

		text_format(raw, "S_IS%c_S%c_E", id, id);
	}
}

static void a_name_that_unfolds_without_end_stays_raw(void **state)
{
	AUTO_TEXT struct text raw = { 0 }, out = { 0 };

	add_nested_pairs(&raw, 30);
	demangle(text_string(&raw), DEMANGLE_FULL, &out);
	assert_string_equal(text_string(&out), text_string(&raw));
	text_clear(&raw);
	text_clear(&out);
	add_nested_pairs(&raw, 6);
	demangle(text_string(&raw), DEMANGLE_FULL, &out);
	assert_true(text_starts(text_string(&out), "f(std::pair<int, int>, std::pair<"));
	assert_true(out.size > 2000);
}

static void long_and_deep_names_do_no_harm(void **state)
{
	static const char *const starts[] = { "_Z1f", "_ZN", "_Z1fI", "_RNv", "_RIC3std", "" };
	static const char *const parts[] = { "P",  "I",	 "1a",	"S_", "T_",  "N",
					     "F",  "R",	 "IT_", "x",  "K",   "M",
					     "B_", "..", "XX",	"L",  "\xff" };

	for (unsigned i = 0; i < COUNT_OF(starts); i++) {
		for (unsigned j = 0; j < COUNT_OF(parts); j++) {
			AUTO_TEXT struct text raw = { 0 }, out = { 0 };

			text_add(&raw, starts[i]);
			while (raw.size < (i % 2 ? 4000 : 100000))
				text_add(&raw, parts[j]);
			demangle(text_string(&raw), DEMANGLE_FULL, &out);
			assert_true(out.size > 0 && out.size <= raw.size + 20000);
		}
	}
}

static void a_long_template_is_still_read(void **state)
{
	AUTO_TEXT struct text raw = { 0 }, out = { 0 };

	text_add(&raw, "_Z1fI");
	while (raw.size < 3000)
		text_add(&raw, "10some_class");
	text_add(&raw, "EvT_");
	demangle(text_string(&raw), DEMANGLE_NAME, &out);
	assert_true(text_starts(text_string(&out), "f<some_class, some_class, "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_written_as_people_write_them),
		cmocka_unit_test(a_clone_is_marked_behind_the_name),
		cmocka_unit_test(it_adds_behind_what_is_there),
		cmocka_unit_test(a_name_that_unfolds_without_end_stays_raw),
		cmocka_unit_test(long_and_deep_names_do_no_harm),
		cmocka_unit_test(a_long_template_is_still_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
