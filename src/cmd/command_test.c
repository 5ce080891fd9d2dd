#include "cmd/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct own_option {
	struct run_option run;
	uint64_t size; /* an option of its own */
};

static const struct option_spec own_specs[] = {
	{ OPTION_UNSIGNED, 0, "size", "N", "how large", offsetof(struct own_option, size) },
};
static const struct option_group own_group = OPTION_GROUP("Own", own_specs);

/* What the run function was given, told by its exit status. */
static int run(void *options, const struct option_rest *rest)
{
	const struct own_option *o = options;

	assert_int_equal(o->run.hz, 99);
	assert_true(o->run.budget == 0.02);
	assert_int_equal(o->run.interval, NSEC_PER_SEC);
	return 100 + o->size + rest->words.count;
}

static const struct command tried = {
	.name = "try",
	.summary = "try things",
	.usage = "FILE [FILE]",
	.about =
		"It tries what it is given, and when that was not what was wanted it says so and"
		" tries again.\n\nA second paragraph.\n- a point",
	.groups = { &group_split, &own_group },
	.options_size = sizeof(struct own_option),
	.words_least = 1,
	.words_most = 2,
	.examples = { { "sonde try x", "tries x" } },
	.run = run,
};
static const struct command starter = {
	.name = "start",
	.summary = "start a program",
	.usage = "TARGET",
	.takes_program = true,
	.options_size = sizeof(struct own_option),
	.run = run,
};

#define WORDS(...) ((char *[]){ __VA_ARGS__, NULL })

struct said {
	int status;
	char text[16384]; /* standard output and error */
};

static struct said hear(const struct command *c, char **argv)
{
	struct said said;
	FILE *f = tmpfile();
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
	ssize_t size;

	fflush(stdout);
	dup2(fileno(f), STDOUT_FILENO);
	dup2(fileno(f), STDERR_FILENO);
	said.status = c ? command_run(c, argv) : command_main(argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	size = pread(fileno(f), said.text, sizeof(said.text) - 1, 0);
	said.text[size > 0 ? size : 0] = 0;
	fclose(f);
	return said;
}

static void expect_wrong_use(const struct command *c, char **argv, const char *text)
{
	struct said said = hear(c, argv);

	assert_string_equal(said.text, text);
	assert_int_equal(said.status, EXIT_WRONG_USE);
}

static void a_command_gets_its_options_and_words(void **state)
{
	assert_int_equal(hear(&tried, WORDS("a", "--size=20")).status, 121);
	assert_int_equal(hear(&tried, WORDS("a", "b")).status, 102);
	assert_int_equal(hear(&starter, WORDS("--", "ls", "-l")).status, 100);
}

static void wrong_use_is_said_and_exits_with_2(void **state)
{
	expect_wrong_use(&tried, WORDS("a", "--spilt=x"),
			 "sonde: no option '--spilt' (near: --split); see sonde try --help\n");
	expect_wrong_use(
		&tried, WORDS("--size", "3"),
		"sonde: 'sonde try' was not told enough; it goes: sonde try FILE [FILE]\n");
	expect_wrong_use(
		&tried, WORDS("a", "b", "c"),
		"sonde: 'sonde try' has no use for 'c'; it goes: sonde try FILE [FILE]\n");
	expect_wrong_use(
		&tried, WORDS("a", "--", "ls"),
		"sonde: 'sonde try' starts no program: nothing may stand behind '--'\n");
	expect_wrong_use(&starter, WORDS("--"),
			 "sonde: a program to start is missing behind '--'\n");
	expect_wrong_use(&tried, WORDS("a", "-qv"),
			 "sonde: '-q' and '-v' contradict each other; give one of them\n");
	expect_wrong_use(NULL, WORDS("xyzzy"),
			 "sonde: no command 'xyzzy' (sonde --help lists all)\n");
	expect_wrong_use(
		NULL, WORDS("trace", "-p1"),
		"sonde: 'trace' is not in this version yet (sonde --help lists what is)\n");
	expect_wrong_use(
		NULL, WORDS("-p1x"),
		"sonde: option '-p' wants whole numbers with ',' between them from 1 to 2147483647,"
		" not '1x'; see sonde live --help\n");
}

static void help_is_read_off_the_tables(void **state)
{
	struct said said = hear(&tried, WORDS("--help"));
	const char *expected =
		"sonde try: try things\n"
		"\n"
		"Usage: sonde try FILE [FILE] [OPTIONS]\n"
		"\n"
		"It tries what it is given, and when that was not what was wanted it says so and\n"
		"tries again.\n"
		"\n"
		"A second paragraph.\n"
		"- a point\n"
		"\n"
		"Split\n"
		"      --split EXPR          compare the calls for which EXPR is true with the\n"
		"                            rest\n"
		"\n"
		"Own\n"
		"      --size N              how large\n"
		"\n"
		"Always\n"
		"  -h, --help                show this\n"
		"      --version             show the version\n"
		"  -v, --verbose             say more\n"
		"  -q, --quiet               say nothing but errors and losses\n"
		"\n"
		"Examples\n"
		"  sonde try x\n"
		"      tries x\n";

	assert_int_equal(said.status, EXIT_DONE);
	assert_string_equal(said.text, expected);
	said = hear(&starter, WORDS("-h"));
	assert_non_null(strstr(said.text, "\n       sonde start [OPTIONS] -- CMD ARGS\n"));
	said = hear(NULL, WORDS("--version"));
	assert_int_equal(said.status, EXIT_DONE);
	assert_string_equal(said.text, "sonde " SONDE_VERSION "\n");
	said = hear(NULL, WORDS("help"));
	assert_non_null(strstr(said.text, "Usage: sonde [COMMAND] [TARGET] [OPTIONS]"));
}

/* A command may take any of the groups together. */
static void no_two_options_share_a_letter_or_a_name(void **state)
{
	static const struct option_group *const groups[] = {
		&group_target, &group_samples, &group_spans, &group_split, &group_time,
		&group_window, &group_output,  &group_json,  &group_care,  &group_always,
	};
	const struct option_spec *all[100];
	unsigned count = 0;

	for (unsigned g = 0; g < COUNT_OF(groups); g++) {
		for (unsigned i = 0; i < groups[g]->count; i++)
			all[count++] = &groups[g]->specs[i];
	}
	for (unsigned i = 0; i < count; i++) {
		/* what is refused is not shown */
		assert_true(all[i]->help || all[i]->letter == 'C' || all[i]->letter == 'w');
		for (unsigned j = 0; j < i; j++) {
			assert_string_not_equal(all[i]->name, all[j]->name);
			assert_true(!all[i]->letter || all[i]->letter != all[j]->letter);
			assert_int_not_equal(all[i]->offset, all[j]->offset);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_gets_its_options_and_words),
		cmocka_unit_test(wrong_use_is_said_and_exits_with_2),
		cmocka_unit_test(help_is_read_off_the_tables),
		cmocka_unit_test(no_two_options_share_a_letter_or_a_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
