/*
 * search_test - functions found in the test's own program, by parts of their names.
 */
#include "probe/search.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define KEPT __attribute__((noinline, noclone, used))

KEPT int zebra_find(int x);
KEPT int zebra_find_all(int x);
KEPT int refined_zebra(int x);
KEPT int find_the_zebra(int x);
KEPT int okapi_gallop(int x) __attribute__((alias("refined_zebra")));
KEPT int Zebra_stripes(int x) __asm__("_ZN3zoo5Zebra7stripesEi");
KEPT int zebra_of(int x) __asm__("_ZN3zoo4feedINS_5ZebraEEEiT_");

#define BODY(n)                                 \
	{                                       \
		__asm__ volatile("" : "+r"(x)); \
		return x + n;                   \
	}
int zebra_find(int x) BODY(1) int zebra_find_all(int x) BODY(2) int refined_zebra(int x)
	BODY(3) int find_the_zebra(int x) BODY(4) int Zebra_stripes(int x)
		BODY(5) int zebra_of(int x) BODY(6)

			static struct code code;

static int start(void **state)
{
	struct error err = { "" };

	(void)state;
	return code_open_file("/proc/self/exe", &code, &err);
}

static int stop(void **state)
{
	(void)state;
	code_done(&code);
	return 0;
}

/* What is found, in order: "a, b". */
static void found(struct search search, struct search_result *ret, struct text *names)
{
	struct error err = { "" };

	if (!search.most)
		search.most = 10;
	if (!search.time)
		search.time = 60 * NSEC_PER_SEC;
	assert_int_equal(search_functions(&code, &search, ret, &err), 0);
	for (uint32_t i = 0; i < ret->found.count; i++) {
		text_add(names, i ? ", " : "");
		match_name(ret->found.at[i].symbol->raw, names);
	}
}

static void finds(struct search search, const char *names)
{
	AUTO_TEXT struct text text = { 0 };
	struct search_result r;

	found(search, &r, &text);
	assert_string_equal(text_string(&text), names);
	assert_false(r.cut);
	assert_int_equal(r.fit, r.found.count);
	search_done(&r);
}

static void all_words_are_in_the_name(void **state)
{
	finds((struct search){ .text = "zebra all" }, "zebra_find_all");
	finds((struct search){ .text = "ALL zeb" }, "zebra_find_all");
	finds((struct search){ .text = "zebra giraffe" }, "");
	finds((struct search){ .text = "" }, "");
	finds((struct search){ .text = "  " }, "");
	finds((struct search){ .text = "zebra find all a l l z e b r" }, "zebra_find_all");
}

static void the_likeliest_goes_first(void **state)
{
	finds((struct search){ .text = "zebra_find" }, "zebra_find, zebra_find_all");
	finds((struct search){ .text = "zebra find" },
	      "zebra_find, zebra_find_all, find_the_zebra");
	/* begins the name, begins a word, is within one */
	finds((struct search){ .text = "fin zebra" },
	      "find_the_zebra, zebra_find, zebra_find_all, refined_zebra");
}

static void of_several_names_the_likeliest_is_shown(void **state)
{
	finds((struct search){ .text = "refined" }, "refined_zebra");
	finds((struct search){ .text = "gallop" }, "okapi_gallop");
	finds((struct search){ .text = "pi ga" }, "okapi_gallop");
}

static void names_of_classes_are_names(void **state)
{
	finds((struct search){ .text = "stripes" }, "zoo::Zebra::stripes");
	finds((struct search){ .text = "zoo::zebra::str" }, "zoo::Zebra::stripes");
	finds((struct search){ .text = "zoo:" }, "zoo::Zebra::stripes, zoo::feed<zoo::Zebra>");
}

static void an_image_can_be_named(void **state)
{
	finds((struct search){ .text = "search_test:stripes" }, "zoo::Zebra::stripes");
	finds((struct search){ .text = "libzoo:stripes" }, "");
}

static void what_goes_first_does(void **state)
{
	const char *first[] = { "zebra_find_all", "zoo::Zebra::stripes", "no_such" };
	struct search search = { .text = "zebra_find", .first = first, .nr_first = 3 };

	finds(search, "zebra_find_all, zebra_find");
	search.text = "";
	finds(search, "zebra_find_all, zoo::Zebra::stripes");
	search.text = "stripes";
	finds(search, "zoo::Zebra::stripes");
}

static void patterns_find_what_they_stand_for(void **state)
{
	AUTO_TEXT struct text names = { 0 };
	struct search_result r;

	found((struct search){ .text = "zebra_*" }, &r, &names);
	assert_string_equal(text_string(&names), "zebra_find, zebra_find_all");
	assert_true(r.pattern);
	search_done(&r);
	finds((struct search){ .text = "/^zebra.*all$/" }, "zebra_find_all");
	finds((struct search){ .text = "search_test:/^zebra.*all$/" }, "zebra_find_all");
	finds((struct search){ .text = "=_ZN3zoo5Zebra7stripesEi" }, "zoo::Zebra::stripes");
}

static void more_than_wanted_are_counted(void **state)
{
	AUTO_TEXT struct text names = { 0 };
	struct search_result r;

	found((struct search){ .text = "zebra find", .most = 2 }, &r, &names);
	assert_string_equal(text_string(&names), "zebra_find, zebra_find_all");
	assert_int_equal(r.fit, 3);
	assert_true(r.looked > 100);
	search_done(&r);
}

static void without_time_it_says_so(void **state)
{
	struct search search = { .text = "zebra", .most = 10, .time = 0 };
	struct error err = { "" };
	struct search_result r;

	while (clock_now() == clock_now())
		;
	assert_int_equal(search_functions(&code, &search, &r, &err), 0);
	assert_true(r.cut);
	assert_true(r.looked < 1000);
	search_done(&r);
}

static void wrong_patterns_are_refused(void **state)
{
	static const char *const wrong[] = { "/(/", "zebra[+3", "a*+4", "/x", "=" };
	struct error err = { "" };

	for (unsigned i = 0; i < COUNT_OF(wrong); i++) {
		struct search search = { .text = wrong[i], .most = 10, .time = NSEC_PER_SEC };
		struct search_result r;
		int failed = search_functions(&code, &search, &r, &err);

		if (failed && (failed != -EINVAL || !err.text[0]))
			fail_msg("'%s': %d '%s'", wrong[i], failed, err.text);
		assert_int_equal(r.found.count, 0);
		search_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_words_are_in_the_name),
		cmocka_unit_test(the_likeliest_goes_first),
		cmocka_unit_test(of_several_names_the_likeliest_is_shown),
		cmocka_unit_test(names_of_classes_are_names),
		cmocka_unit_test(an_image_can_be_named),
		cmocka_unit_test(what_goes_first_does),
		cmocka_unit_test(patterns_find_what_they_stand_for),
		cmocka_unit_test(more_than_wanted_are_counted),
		cmocka_unit_test(without_time_it_says_so),
		cmocka_unit_test(wrong_patterns_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, start, stop);
}
