#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What the function wrote to standard error. */
static const char *written_by(void (*speak)(void))
{
	static char bytes[4096];
	FILE *f = tmpfile();
	int before = dup(STDERR_FILENO);
	ssize_t size;

	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	speak();
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	size = pread(fileno(f), bytes, sizeof(bytes) - 1, 0);
	bytes[size > 0 ? size : 0] = 0;
	fclose(f);
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_says_how_much),
		cmocka_unit_test(names_cannot_reach_the_terminal),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
