#include "base/option.h"

#include "base/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct choice {
	struct option_numbers pids;
	struct option_texts spans;
	const char *output, *split;
	bool all, user, kernel, help;
	unsigned verbose, side;
	int64_t nice;
	uint64_t hz;
	double factor, budget;
	nsec duration;
};

#define AT(member) offsetof(struct choice, member)

static const struct option_spec first_specs[] = {
	{ OPTION_NUMBERS, 'p', "pid", "PID[,PID]", "processes", AT(pids), 1, 1000000 },
	{ OPTION_FLAG, 'a', "all", NULL, "everything", AT(all) },
	{ OPTION_FLAG, 'U', "user", NULL, "user half", AT(user) },
	{ OPTION_FLAG, 'K', "kernel", NULL, "kernel half", AT(kernel) },
	{ OPTION_TEXTS, 's', "span", "PLACE", "what is watched", AT(spans) },
	{ OPTION_TEXT, 0, "split", "EXPR", "question", AT(split) },
	{ OPTION_TEXT, 'o', "output", "FILE", "where to write", AT(output) },
};
static const struct option_spec second_specs[] = {
	{ OPTION_UNSIGNED, 'F', "hz", "HZ", "how often", AT(hz), 1 },
	{ OPTION_INT, 'n', "nice", "N", "how nice", AT(nice), -20, 19 },
	{ OPTION_DOUBLE, 0, "factor", "X", "times what", AT(factor) },
	{ OPTION_SHARE, 0, "budget", "SHARE", "at most", AT(budget), 0, 1 },
	{ OPTION_DURATION, 'd', "duration", "TIME", "how long", AT(duration), NSEC_PER_MSEC },
	{ OPTION_CHOICE, 0, "side", "in|rest|out", "which", AT(side) },
	{ OPTION_COUNT, 'v', "verbose", NULL, "say more", AT(verbose) },
	{ OPTION_STOP, 'h', "help", NULL, "show this", AT(help) },
};
static const struct option_group first = OPTION_GROUP("First", first_specs);
static const struct option_group second = OPTION_GROUP("Second", second_specs);
static const struct option_group *const groups[] = { &first, &second, NULL };

#define WORDS(...) ((char *[]){ __VA_ARGS__, NULL })

struct parsed {
	struct choice choice;
	struct option_rest rest;
	struct error err;
	int status;
};

static struct parsed parse(char **argv)
{
	struct parsed p = { .choice = { .hz = 99, .factor = 2 } };

	p.status = option_parse(groups, argv, &p.choice, &p.rest, &p.err);
	return p;
}

static void parsed_done(struct parsed *p)
{
	option_done(groups, &p->choice);
	option_rest_done(&p->rest);
}

static void every_spelling_is_understood(void **state)
{
	char **spellings[] = { WORDS("-p4242"),	    WORDS("-p", "4242"),
			       WORDS("--pid=4242"), WORDS("--pid", "4242"),
			       WORDS("-ap4242"),    WORDS("-Uap", "4242") };

	for (unsigned i = 0; i < COUNT_OF(spellings); i++) {
		struct parsed p = parse(spellings[i]);

		assert_int_equal(p.status, 0);
		assert_int_equal(p.choice.pids.count, 1);
		assert_int_equal(p.choice.pids.at[0], 4242);
		assert_int_equal(p.choice.all, i >= 4);
		assert_int_equal(p.rest.words.count, 0);
		parsed_done(&p);
	}
}

static void lists_add_up(void **state)
{
	struct parsed p = parse(WORDS("-p1,2", "-s", "f", "--pid=3", "-sg"));

	assert_int_equal(p.status, 0);
	assert_int_equal(p.choice.pids.count, 3);
	assert_int_equal(p.choice.pids.at[2], 3);
	assert_int_equal(p.choice.spans.count, 2);
	assert_string_equal(p.choice.spans.at[0], "f");
	assert_string_equal(p.choice.spans.at[1], "g");
	parsed_done(&p);
}

static void values_have_their_types(void **state)
{
	struct parsed p =
		parse(WORDS("-F199", "-n", "-5", "--factor", "-0.5", "--budget=2%", "-d10",
			    "--side", "rest", "-vv", "-v", "--split", "dur > p95", "-o-"));

	assert_int_equal(p.status, 0);
	assert_int_equal(p.choice.hz, 199);
	assert_int_equal(p.choice.nice, -5);
	assert_true(p.choice.factor == -0.5);
	assert_true(p.choice.budget == 0.02);
	assert_int_equal(p.choice.duration, 10 * NSEC_PER_SEC);
	assert_int_equal(p.choice.side, 2);
	assert_int_equal(p.choice.verbose, 3);
	assert_string_equal(p.choice.split, "dur > p95");
	assert_string_equal(p.choice.output, "-");
	parsed_done(&p);
	p = parse(WORDS("-d500ms", "--budget", "0.5"));
	assert_int_equal(p.choice.duration, 500 * NSEC_PER_MSEC);
	assert_true(p.choice.budget == 0.5);
	parsed_done(&p);
}

static void defaults_stay(void **state)
{
	struct parsed p = parse(WORDS("word"));

	assert_int_equal(p.choice.hz, 99);
	assert_true(p.choice.factor == 2);
	assert_int_equal(p.choice.side, 0);
	assert_null(p.choice.output);
	parsed_done(&p);
}

static void words_and_options_mix(void **state)
{
	struct parsed p = parse(WORDS("a.sonde", "-a", "-", "--split=", "x"));

	assert_int_equal(p.status, -EINVAL); /* an empty text is none */
	parsed_done(&p);
	p = parse(WORDS("a.sonde", "-a", "-", "--split=a=b", "x"));
	assert_int_equal(p.status, 0);
	assert_int_equal(p.rest.words.count, 3);
	assert_string_equal(p.rest.words.at[1], "-");
	assert_string_equal(p.rest.words.at[2], "x");
	assert_string_equal(p.choice.split, "a=b");
	assert_null(p.rest.program);
	parsed_done(&p);
}

static void what_stands_behind_two_dashes_is_not_looked_at(void **state)
{
	struct parsed p = parse(WORDS("-F9", "word", "--", "ls", "-F", "--", "-x"));

	assert_int_equal(p.status, 0);
	assert_int_equal(p.choice.hz, 9);
	assert_int_equal(p.rest.words.count, 1);
	assert_string_equal(p.rest.program[0], "ls");
	assert_string_equal(p.rest.program[2], "--");
	assert_string_equal(p.rest.program[3], "-x");
	assert_null(p.rest.program[4]);
	parsed_done(&p);
	p = parse(WORDS("--"));
	assert_non_null(p.rest.program);
	assert_null(p.rest.program[0]);
	parsed_done(&p);
}

static void help_stops(void **state)
{
	struct parsed p = parse(WORDS("-ah", "--no-such-option"));

	assert_int_equal(p.status, 0);
	assert_true(p.choice.help && p.choice.all);
	parsed_done(&p);
}

static void errors_say_what_was_wrong(void **state)
{
	static const struct {
		char *words[3];
		const char *text;
	} cases[] = {
		{ { "--spn" }, "no option '--spn' (near: --span)" },
		{ { "--dur=3" }, "no option '--dur' (near: --duration)" },
		{ { "--zzzzzz" }, "no option '--zzzzzz' (--help lists them)" },
		{ { "-x" }, "no option '-x' (--help lists them)" },
		{ { "-ax" }, "no option '-x' (--help lists them)" },
		{ { "-p" }, "option '-p' needs a value: PID[,PID]" },
		{ { "--pid" }, "option '--pid' needs a value: PID[,PID]" },
		{ { "--all=yes" }, "option '--all' takes no value, but was given 'yes'" },
		{ { "-p", "nginx" },
		  "option '-p' wants whole numbers with ',' between them from 1 to 1000000,"
		  " not 'nginx'" },
		{ { "-p1," },
		  "option '-p' wants whole numbers with ',' between them from 1 to 1000000,"
		  " not '1,'" },
		{ { "-p0" },
		  "option '-p' wants whole numbers with ',' between them from 1 to 1000000,"
		  " not '0'" },
		{ { "-F0" }, "option '-F' wants a whole number of at least 1, not '0'" },
		{ { "--hz", "fast" },
		  "option '--hz' wants a whole number of at least 1, not 'fast'" },
		{ { "-n20" }, "option '-n' wants a whole number from -20 to 19, not '20'" },
		{ { "-d0" },
		  "option '-d' wants a time like 10 (seconds), 500ms or 2min of at least 1.00 ms,"
		  " not '0'" },
		{ { "-d", "4KiB" },
		  "option '-d' wants a time like 10 (seconds), 500ms or 2min of at least 1.00 ms,"
		  " not '4KiB'" },
		{ { "-d1e30" },
		  "option '-d' wants a time like 10 (seconds), 500ms or 2min of at least 1.00 ms,"
		  " not '1e30'" },
		{ { "--budget=2s" },
		  "option '--budget' wants a share like 2% from 0% to 100%, not '2s'" },
		{ { "--budget=200%" },
		  "option '--budget' wants a share like 2% from 0% to 100%, not '200%'" },
		{ { "--side=re" }, "option '--side' wants one of in|rest|out, not 're'" },
		{ { "--side=in|rest" },
		  "option '--side' wants one of in|rest|out, not 'in|rest'" },
		{ { "--factor", "1x" }, "option '--factor' wants a number, not '1x'" },
		{ { "-o", "" }, "option '-o' wants a text that is not empty, not ''" },
	};

	for (unsigned i = 0; i < COUNT_OF(cases); i++) {
		struct parsed p = parse((char **)cases[i].words);

		assert_int_equal(p.status, -EINVAL);
		assert_string_equal(p.err.text, cases[i].text);
		parsed_done(&p);
	}
}

static void help_shows_every_option_within_80_columns(void **state)
{
	static const struct option_spec wide_specs[] = {
		{ OPTION_CHOICE, 0, "exit-of-a-call", "auto|hook|ret|bracket",
		  "how the end of a call is seen, which is a long story that goes on and on and on"
		  " until it no longer fits a line",
		  AT(side) },
	};
	static const struct option_group wide = OPTION_GROUP("Wide", wide_specs);
	static const struct option_group *const more[] = { &first, &wide, NULL };
	AUTO_TEXT struct text t = { 0 };

	option_help(more, &t);
	assert_non_null(
		strstr(text_string(&t), "\nFirst\n  -p, --pid PID[,PID]       processes\n"));
	assert_non_null(strstr(text_string(&t), "\n      --split EXPR          question\n"));
	assert_non_null(
		strstr(text_string(&t),
		       "\n      --exit-of-a-call auto|hook|ret|bracket\n"
		       "                            how the end of a call is seen, which is a"
		       " long story\n"
		       "                            that goes on"));
	for (const char *line = text_string(&t); *line;) {
		size_t length = strcspn(line, "\n");

		assert_true(length <= 80);
		line += length + 1;
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling_is_understood),
		cmocka_unit_test(lists_add_up),
		cmocka_unit_test(values_have_their_types),
		cmocka_unit_test(defaults_stay),
		cmocka_unit_test(words_and_options_mix),
		cmocka_unit_test(what_stands_behind_two_dashes_is_not_looked_at),
		cmocka_unit_test(help_stops),
		cmocka_unit_test(errors_say_what_was_wrong),
		cmocka_unit_test(help_shows_every_option_within_80_columns),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
