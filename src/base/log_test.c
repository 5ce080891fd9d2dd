#include "base/log.h"
#include "base/notice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

static void with_stderr(int fd, void (*speak)(void))
{
	int before = dup(STDERR_FILENO);

	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	speak();
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
}

/* What the function wrote to standard error. */
static const char *written_by(void (*speak)(void))
{
	static char bytes[4096];
	FILE *f = tmpfile();
	ssize_t size;

	with_stderr(fileno(f), speak);
	size = pread(fileno(f), bytes, sizeof(bytes) - 1, 0);
	bytes[size > 0 ? size : 0] = 0;
	fclose(f);
	return bytes;
}

/* The same on a terminal of 40 columns. */
static const char *shown_by(void (*speak)(void))
{
	static char bytes[4096];
	struct winsize size = { .ws_row = 10, .ws_col = 40 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct termios as_is;
	size_t got = 0;
	ssize_t n;

	assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	ioctl(slave, TIOCSWINSZ, &size);
	tcgetattr(slave, &as_is);
	cfmakeraw(&as_is);
	tcsetattr(slave, TCSANOW, &as_is);
	with_stderr(slave, speak);
	close(slave);
	while ((n = read(master, bytes + got, sizeof(bytes) - 1 - got)) > 0)
		got += n;
	bytes[got] = 0;
	close(master);
	return bytes;
}

static void speak_all(void)
{
	log_error("error %d", 1);
	log_warn("warning");
	log_say("message");
	log_detail("detail");
	log_progress("progress");
	log_progress_done();
}

static void a_level_says_how_much(void **state)
{
	log_set_level(LOG_QUIET);
	assert_string_equal(written_by(speak_all), "sonde: error 1\nsonde: warning\n");
	log_set_level(LOG_SAY);
	assert_string_equal(written_by(speak_all),
			    "sonde: error 1\nsonde: warning\nsonde: message\n");
	log_set_level(LOG_DETAIL);
	assert_string_equal(written_by(speak_all),
			    "sonde: error 1\nsonde: warning\nsonde: message\nsonde: detail\n");
	assert_int_equal(log_level(), LOG_DETAIL);
	log_set_level(LOG_SAY);
}

static void speak_hostile(void)
{
	log_error("no function '%s'\n       (near: f)", "a\033[31m");
}

static void names_cannot_reach_the_terminal(void **state)
{
	assert_string_equal(written_by(speak_hostile),
			    "sonde: no function 'a?[31m'\n       (near: f)\n");
}

static void speak_at_length(void)
{
	log_say("what is longer than a line goes on below the first word\n"
		"       (as what is below it does, %s)",
		"too");
	log_progress("progress that is so long that not all of it fits");
	log_progress_done();
}

static void a_terminal_breaks_no_words(void **state)
{
	unsetenv("COLUMNS");
	setenv("TERM", "xterm", 1);
	assert_string_equal(shown_by(speak_at_length),
			    "sonde: what is longer than a line goes\n"
			    "       on below the first word\n"
			    "       (as what is below it does, too)\n"
			    "progress that is so long that not all o\r\033[K");
	setenv("TERM", "dumb", 1);
	setenv("LC_ALL", "C", 1);
	assert_null(strstr(shown_by(speak_at_length), "progress"));
	unsetenv("LC_ALL");
	assert_string_equal(written_by(speak_at_length),
			    "sonde: what is longer than a line goes on below the first word\n"
			    "       (as what is below it does, too)\n");
}

/* Waits until somebody else has shown something. */
static void work_for_long(void)
{
	uint64_t before = log_progress_count();

	notice_begin("reading");
	notice_begin("reading a part"); /* the whole is shown */
	while (log_progress_count() == before)
		usleep(1000);
	notice_end();
	notice_end();
}

static void work_and_say_so(void)
{
	notice_begin("reading");
	log_progress("1 of 2");
	usleep(1200000);
	notice_end();
	notice_begin("writing");
	notice_end();
}

static void what_takes_a_second_is_told(void **state)
{
	unsetenv("COLUMNS");
	setenv("TERM", "xterm", 1);
	assert_string_equal(shown_by(work_for_long), "reading ... 1 s\r\033[K");
	assert_string_equal(shown_by(work_and_say_so), "1 of 2\r\033[K");
	setenv("TERM", "dumb", 1);
	notice_begin("nobody sees it");
	notice_end();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_says_how_much),
		cmocka_unit_test(names_cannot_reach_the_terminal),
		cmocka_unit_test(a_terminal_breaks_no_words),
		cmocka_unit_test(what_takes_a_second_is_told),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
