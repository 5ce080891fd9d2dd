#include "base/helper.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static volatile pid_t taken_by;

static void take(int number)
{
	taken_by = gettid();
}

static void *stand_by(void *context)
{
	char byte;

	return (void *)read(*(int *)context, &byte, 1);
}

/* The first thread has the signal blocked, so anyone else who may have it takes it at once. */
static void a_signal_is_left_to_who_started_it(void **state)
{
	struct sigaction action = { .sa_handler = take };
	sigset_t term, before;
	pthread_t thread;
	void *left;
	int go[2];

	assert_int_equal(pipe(go), 0);
	assert_int_equal(sigaction(SIGTERM, &action, NULL), 0);
	assert_int_equal(helper_start(&thread, NULL, stand_by, go), 0);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, &before);
	assert_false(sigismember(&before, SIGTERM));
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	close(go[1]);
	assert_int_equal(pthread_join(thread, &left), 0);
	assert_null(left);
	assert_int_equal(taken_by, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(taken_by, gettid());
	close(go[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_is_left_to_who_started_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("helper", tests, NULL, NULL);
}
