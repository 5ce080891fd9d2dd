#include "base/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Of the process that guards the descriptors of this one, a child of any of its threads. */
static pid_t guard_of(pid_t pid)
{
	char command[128];
	FILE *f;
	int of = 0;

	snprintf(command, sizeof(command),
		 "for p in $(cat /proc/%d/task/*/children); do "
		 "grep -qx sonde-guard /proc/$p/comm && echo $p; done",
		 pid);
	f = popen(command, "r");
	assert_non_null(f);
	if (fscanf(f, "%d", &of) != 1)
		of = 0;
	pclose(f);
	return of;
}

static void it_ends_when_told(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	guard_end();
	for (int i = 0; i < 3; i++) {
		guard_begin();
		pid = guard_of(getpid());
		assert_int_not_equal(pid, 0);
		assert_int_equal(getsid(pid), pid);
		guard_end();
		assert_int_equal(waitpid(-1, NULL, __WALL), -1);
		assert_int_equal(errno, ECHILD);
	}
	assert_int_not_equal(fcntl(fd, F_GETFD), -1);
	close(fd);
}

/* Signals to all that are named so pass it by, but for the one that none does. */
static void it_may_be_killed(void **state)
{
	pid_t pid;

	guard_begin();
	pid = guard_of(getpid());
	kill(pid, SIGTERM);
	kill(pid, SIGINT);
	assert_int_equal(guard_of(getpid()), pid);
	kill(pid, SIGKILL);
	guard_end();
	assert_int_equal(guard_of(getpid()), 0);
}

/* A process with a guard and a pipe ends in this way: the guard goes, too, and nobody has the
 * pipe any more. */
static void ends(bool killed)
{
	int said[2], status;
	pid_t pid, guard;
	char byte;

	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		guard_begin();
		if (write(said[1], "1", 1) != 1)
			_exit(1);
		while (killed)
			pause();
		_exit(0);
	}
	close(said[1]);
	assert_int_equal(read(said[0], &byte, 1), 1);
	if (killed) {
		guard = guard_of(pid);
		assert_int_not_equal(guard, 0);
		assert_int_equal(kill(-pid, SIGKILL), 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(killed, WIFSIGNALED(status));
	assert_int_equal(read(said[0], &byte, 1), 0);
	close(said[0]);
}

static void it_ends_with_a_process_that_is_killed(void **state)
{
	ends(true);
}

static void it_ends_with_a_process_that_exits(void **state)
{
	ends(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_ends_when_told),
		cmocka_unit_test(it_may_be_killed),
		cmocka_unit_test(it_ends_with_a_process_that_is_killed),
		cmocka_unit_test(it_ends_with_a_process_that_exits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
