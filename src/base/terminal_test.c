#include "base/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/ioctl.h>

static int master, slave;

static int open_terminal(void **state)
{
	struct winsize size = { .ws_row = 33, .ws_col = 90 };

	(void)state;
	unsetenv("LC_ALL");
	unsetenv("LC_CTYPE");
	unsetenv("LANG");
	unsetenv("NO_COLOR");
	unsetenv("COLUMNS");
	unsetenv("LINES");
	setenv("TERM", "xterm", 1);
	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) || unlockpt(master))
		return -1;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	return ioctl(slave, TIOCSWINSZ, &size);
}

static int close_terminal(void **state)
{
	(void)state;
	close(master);
	close(slave);
	return 0;
}

static void it_has_a_size(void **state)
{
	struct winsize none = { 0 };

	(void)state;
	assert_int_equal(terminal_columns(slave), 90);
	assert_int_equal(terminal_lines(slave), 33);
	setenv("COLUMNS", "120", 1);
	setenv("LINES", "50", 1);
	assert_int_equal(terminal_columns(slave), 120);
	assert_int_equal(terminal_lines(slave), 50);
	setenv("COLUMNS", "wide", 1);
	setenv("LINES", "0", 1);
	assert_int_equal(terminal_columns(slave), 90);
	assert_int_equal(terminal_lines(slave), 33);
	ioctl(slave, TIOCSWINSZ, &none);
	assert_int_equal(terminal_columns(slave), 0);
}

static void a_dumb_one_has_no_codes(void **state)
{
	(void)state;
	assert_true(terminal_has_codes(slave));
	assert_true(terminal_has_colour(slave));
	setenv("NO_COLOR", "", 1);
	assert_true(terminal_has_colour(slave));
	setenv("NO_COLOR", "1", 1);
	assert_false(terminal_has_colour(slave));
	assert_true(terminal_has_codes(slave));
	setenv("TERM", "dumb", 1);
	assert_false(terminal_has_codes(slave));
	unsetenv("TERM");
	assert_false(terminal_has_codes(slave));
}

static void the_locale_says_what_it_takes(void **state)
{
	(void)state;
	assert_true(terminal_takes_utf8());
	setenv("LANG", "de_DE.UTF-8", 1);
	assert_true(terminal_takes_utf8());
	setenv("LC_CTYPE", "C.utf8", 1);
	assert_true(terminal_takes_utf8());
	setenv("LC_ALL", "C", 1);
	assert_false(terminal_takes_utf8());
	setenv("LC_ALL", "", 1);
	assert_true(terminal_takes_utf8());
	setenv("LC_CTYPE", "en_US.ISO-8859-1", 1);
	assert_false(terminal_takes_utf8());
}

static void a_file_is_none(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	setenv("COLUMNS", "120", 1);
	assert_int_equal(terminal_columns(ends[1]), 0);
	assert_int_equal(terminal_lines(ends[1]), 0);
	assert_int_equal(terminal_columns_wanted(), 120);
	assert_false(terminal_has_codes(ends[1]));
	close(ends[0]);
	close(ends[1]);
}

static void signs_have_something_like_them(void **state)
{
	AUTO_TEXT struct text t = { 0 };

	(void)state;
	assert_string_equal(terminal_text("µs", &t), "µs");
	setenv("LC_ALL", "C", 1);
	assert_string_equal(terminal_text("µs", &t), "us");
	text_clear(&t);
	terminal_add_ascii(&t, "12 µs × 3 ± 1 │├─└─ a › b… ü \xff\x1b[1m");
	assert_string_equal(text_string(&t), "12 us x 3 +- 1 ||-`- a > b* ? ?\x1b[1m");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_terminal, close_terminal)
	static const struct CMUnitTest tests[] = {
		TEST(it_has_a_size),
		TEST(a_dumb_one_has_no_codes),
		TEST(the_locale_says_what_it_takes),
		TEST(a_file_is_none),
		TEST(signs_have_something_like_them),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
