#include "base/outflow.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MANY (3 << 20) /* more than a pipe holds */

static unsigned char byte_at(size_t i)
{
	return i * 7 + i / 251;
}

static char *many_bytes(void)
{
	char *bytes = malloc(MANY);

	for (size_t i = 0; i < MANY; i++)
		bytes[i] = byte_at(i);
	return bytes;
}

/* Of what the pipe holds now, all of which must be what was put. */
static size_t drain(int fd, size_t at)
{
	unsigned char bytes[65536];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(bytes[i], byte_at(at++));
	return at;
}

static void who_writes_goes_on(void **state)
{
	char *bytes = many_bytes();
	struct outflow o;
	size_t got = 0;
	int ends[2];

	assert_int_equal(pipe2(ends, 0), 0);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	outflow_open(&o, ends[1]);
	for (size_t i = 0; i < MANY; i += MANY / 8)
		assert_int_equal(outflow_put(&o, bytes + i, MANY / 8), 0);
	assert_true(outflow_waiting(&o) > 0);
	assert_false(fcntl(ends[1], F_GETFL) & O_NONBLOCK); /* others may share it */
	while (outflow_waiting(&o)) {
		got = drain(ends[0], got);
		assert_int_equal(outflow_try(&o), 0);
	}
	assert_int_equal(drain(ends[0], got), MANY);
	assert_int_equal(o.bytes, MANY);
	outflow_done(&o);
	close(ends[0]);
	close(ends[1]);
	free(bytes);
}

static void the_end_waits_for_the_reader(void **state)
{
	char *bytes = many_bytes();
	struct outflow o;
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe2(ends, 0), 0);
	child = fork();
	if (!child) {
		close(ends[1]);
		_exit(drain(ends[0], 0) == MANY ? 0 : 1);
	}
	close(ends[0]);
	outflow_open(&o, ends[1]);
	assert_int_equal(outflow_put(&o, bytes, MANY), 0);
	assert_int_equal(outflow_end(&o), 0);
	assert_int_equal(outflow_waiting(&o), 0);
	outflow_done(&o);
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	free(bytes);
}

/* Where it cannot be opened again (a pipe of another user's), and so blocks. */
static void a_pipe_that_blocks_is_never_waited_for(void **state)
{
	char *bytes = many_bytes();
	struct outflow o;
	int ends[2];

	assert_int_equal(pipe2(ends, 0), 0);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	outflow_open(&o, ends[1]);
	close(o.own);
	o.own = -1;
	o.fd = ends[1];
	assert_int_equal(outflow_put(&o, bytes, MANY), 0);
	assert_int_equal(outflow_waiting(&o) + o.bytes, MANY);
	assert_int_equal(drain(ends[0], 0), o.bytes);
	outflow_done(&o);
	close(ends[0]);
	close(ends[1]);
	free(bytes);
}

static void a_reader_that_goes_is_an_error(void **state)
{
	struct outflow o;
	int ends[2];

	assert_int_equal(pipe2(ends, 0), 0);
	outflow_open(&o, ends[1]);
	assert_int_equal(outflow_put(&o, "abc", 3), 0);
	close(ends[0]);
	assert_int_equal(outflow_put(&o, "abc", 3), -EPIPE);
	assert_int_equal(outflow_end(&o), -EPIPE);
	outflow_done(&o);
	close(ends[1]);
}

static void what_waits_has_a_bound(void **state)
{
	char *bytes = many_bytes();
	struct outflow o;
	int ends[2], code;
	size_t waiting;

	assert_int_equal(pipe2(ends, 0), 0);
	outflow_open(&o, ends[1]);
	do {
		waiting = outflow_waiting(&o);
		code = outflow_put(&o, bytes, MANY);
	} while (code == 0);
	assert_int_equal(code, -ENOBUFS);
	assert_int_equal(outflow_waiting(&o), waiting); /* the last was dropped whole */
	assert_in_range(waiting, OUTFLOW_MOST - MANY, OUTFLOW_MOST);
	outflow_done(&o);
	close(ends[0]);
	close(ends[1]);
	free(bytes);
}

static void files_and_devices_fail_as_they_do(void **state)
{
	char path[] = "/tmp/outflow_test.XXXXXX";
	struct outflow o;
	int fd = mkstemp(path);

	unlink(path);
	outflow_open(&o, fd);
	assert_int_equal(outflow_put(&o, "abc", 3), 0);
	assert_int_equal(outflow_waiting(&o), 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 3);
	outflow_done(&o);
	close(fd);
	fd = open("/dev/full", O_WRONLY);
	outflow_open(&o, fd);
	assert_int_equal(outflow_put(&o, "abc", 3), -ENOSPC);
	outflow_done(&o);
	close(fd);
	outflow_open(&o, -1);
	assert_int_equal(outflow_put(&o, "abc", 3), -EBADF);
	outflow_done(&o);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_writes_goes_on),
		cmocka_unit_test(the_end_waits_for_the_reader),
		cmocka_unit_test(a_pipe_that_blocks_is_never_waited_for),
		cmocka_unit_test(a_reader_that_goes_is_an_error),
		cmocka_unit_test(what_waits_has_a_bound),
		cmocka_unit_test(files_and_devices_fail_as_they_do),
	};

	signal(SIGPIPE, SIG_IGN);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
