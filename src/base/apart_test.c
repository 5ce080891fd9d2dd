#include "base/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct seen {
	int fd;
	pid_t pid, group;
	bool blocked;
};

static void look(void *context)
{
	struct seen *s = context;
	sigset_t mask;

	s->pid = getpid();
	s->group = getpgid(0);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	s->blocked = sigismember(&mask, SIGINT) && sigismember(&mask, SIGTERM);
	s->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	errno = EDOM;
}

static void memory_and_descriptors_are_shared(void **state)
{
	struct seen s = { .fd = -1 };
	sigset_t mask;

	errno = ERANGE;
	assert_true(apart_do(look, &s));
	assert_int_equal(errno, ERANGE);
	assert_int_not_equal(s.pid, getpid());
	assert_int_equal(s.group, s.pid);
	assert_true(s.blocked);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	assert_false(sigismember(&mask, SIGINT));
	assert_int_not_equal(fcntl(s.fd, F_GETFD), -1);
	apart_close(s.fd);
	assert_int_equal(fcntl(s.fd, F_GETFD), -1);
	assert_int_equal(waitpid(-1, NULL, __WALL), -1);
	assert_int_equal(errno, ECHILD);
}

static void end_itself(void *context)
{
	kill(getpid(), SIGKILL);
}

static void a_killed_one_is_told(void **state)
{
	assert_false(apart_do(end_itself, NULL));
}

static void say_twice(void *context)
{
	const int *pipes = context;
	char byte;

	if (write(pipes[1], "1", 1) == 1 && read(pipes[2], &byte, 1) == 1 &&
	    write(pipes[1], "2", 1) == 1)
		return;
	_exit(1);
}

/* The group of a process that waits for one apart is killed: it goes on, and is what closes
 * the pipe that both have. */
static void it_goes_on_when_its_group_is_killed(void **state)
{
	int said[2], go[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		int pipes[] = { said[0], said[1], go[0] };

		setpgid(0, 0);
		close(go[1]);
		apart_do(say_twice, pipes);
		pause();
	}
	close(said[1]);
	close(go[0]);
	assert_int_equal(read(said[0], &byte, 1), 1);
	assert_int_equal(kill(-pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(write(go[1], "g", 1), 1);
	assert_int_equal(read(said[0], &byte, 1), 1);
	assert_int_equal(byte, '2');
	assert_int_equal(read(said[0], &byte, 1), 0);
	close(said[0]);
	close(go[1]);
}

/* Nobody but the user that may have no process at all. */
static void without_a_process_the_caller_does_it(void **state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct rlimit none = { 0, 0 };
		struct seen s = { .fd = -1 };

		if (getuid() == 0 && setresuid(65534, 65534, 65534))
			_exit(2);
		if (setrlimit(RLIMIT_NPROC, &none) || !apart_do(look, &s))
			_exit(3);
		_exit(s.pid == getpid() && s.fd >= 0 && s.blocked ? 0 : 4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(WIFEXITED(status));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_and_descriptors_are_shared),
		cmocka_unit_test(a_killed_one_is_told),
		cmocka_unit_test(it_goes_on_when_its_group_is_killed),
		cmocka_unit_test(without_a_process_the_caller_does_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("apart", tests, NULL, NULL);
}
