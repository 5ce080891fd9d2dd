#include "probe/hook.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>

/* The targets of the tests are built beside this program. */
static const char *built(const char *name, char path[PATH_MAX + 32])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(n > 0);
	self[n] = 0;
	snprintf(path, PATH_MAX + 32, "%s/test/target/%s", dirname(self), name);
	return path;
}

static void judge_file_by(bool (*judge)(const struct code *code, struct judgement *ret),
			  const char *path, struct judgement *ret)
{
	struct code code = { 0 };
	struct error err = { "" };

	if (access(path, R_OK)) {
		print_message("# no %s\n", path);
		skip();
	}
	if (code_open_file(path, &code, &err))
		fail_msg("%s", err.text);
	judge(&code, ret);
	code_done(&code);
}

static void judge_file(const char *path, struct judgement *ret)
{
	judge_file_by(hook_judge, path, ret);
}

static void a_program_that_throws_is_refused(void **state)
{
	char path[PATH_MAX + 32];
	struct judgement v;

	judge_file(built("throw", path), &v);
	assert_int_equal(v.exit, EXIT_NONE);
	assert_non_null(strstr(v.reason, "throw"));
	assert_non_null(strstr(v.reason, "exceptions"));
}

static void a_program_with_coroutines_is_refused(void **state)
{
	char path[PATH_MAX + 32];
	struct judgement v;

	judge_file(built("coroutine", path), &v);
	assert_int_equal(v.exit, EXIT_NONE);
	assert_non_null(strstr(v.reason, "switch stacks"));
}

static void a_c_program_may_be_hooked(void **state)
{
	char path[PATH_MAX + 32];
	struct judgement v;

	judge_file(built("ambiguous", path), &v);
	assert_int_equal(v.exit, EXIT_HOOK);
	assert_non_null(strstr(v.reason, "nothing in ambiguous itself"));
}

static void children_forbid_the_unseen_hook(void **state)
{
	char path[PATH_MAX + 32];
	struct judgement v;

	judge_file_by(hook_judge_unseen, built("calls", path), &v);
	assert_int_equal(v.exit, EXIT_NONE);
	assert_non_null(strstr(v.reason, "can fork (fork)"));
	judge_file_by(hook_judge, path, &v);
	assert_int_equal(v.exit, EXIT_HOOK);
	judge_file_by(hook_judge_unseen, built("ambiguous", path), &v);
	assert_int_equal(v.exit, EXIT_HOOK);
}

static void several_processes_forbid_the_hook(void **state)
{
	struct code code = { .processes = 1, .name = (char *)"x" };
	struct judgement v;

	assert_true(hook_judge(&code, &v));
	code.processes = 2;
	assert_false(hook_judge(&code, &v));
	assert_int_equal(v.exit, EXIT_NONE);
	assert_non_null(strstr(v.reason, "2 processes are watched"));
	assert_false(hook_judge_unseen(&code, &v));
}

/* Judges a program while it runs. */
static void judge_running(const char *const argv[], struct judgement *ret)
{
	struct target target = { 0 };
	struct code code = { 0 };
	struct error err = { "" };
	struct process p;
	pid_t pid;
	int failed = 0;

	if (access(argv[0], X_OK)) {
		print_message("# no %s\n", argv[0]);
		skip();
	}
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		execv(argv[0], (char *const *)argv);
		_exit(1);
	}
	usleep(400000); /* until its libraries are mapped */
	failed = process_read(pid, &p, &err);
	array_push(&target.processes, p);
	failed = failed ? failed : code_open(&target, NULL, &code, &err);
	if (!failed)
		hook_judge(&code, ret);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	target_done(&target);
	code_done(&code);
	if (failed)
		fail_msg("%s", err.text);
}

static void an_allocator_in_cxx_does_not_forbid_the_hook(void **state)
{
	char socket[] = "/tmp/sonde-exit-XXXXXX";
	const char *const redis[] = { "/usr/bin/redis-server", "--port", "0", "--save", "",
				      "--unixsocket",	       socket,	 NULL };
	struct judgement v = { .exit = EXIT_NONE };
	int fd = mkstemp(socket);

	assert_true(fd >= 0);
	close(fd);
	judge_running(redis, &v);
	unlink(socket);
	if (v.exit != EXIT_HOOK)
		fail_msg("%s", v.reason);
	if (strstr(v.reason, "libstdc++"))
		assert_string_equal(v.reason,
				    "libstdc++ is mapped for libjemalloc only; nothing "
				    "in redis-server can catch");
}

static void run_time_libraries_are_a_fixed_set(void **state)
{
	assert_true(hook_is_runtime("libc.so.6"));
	assert_true(hook_is_runtime("libc-2.31.so"));
	assert_true(hook_is_runtime("ld-linux-x86-64.so.2"));
	assert_true(hook_is_runtime("libjemalloc.so.2"));
	assert_true(hook_is_runtime("libstdc++.so.6.0.30"));
	assert_false(hook_is_runtime("libcurl.so.4"));
	assert_false(hook_is_runtime("libboost_context.so.1"));
	assert_false(hook_is_runtime("libc"));
}

static void what_could_not_be_read_is_not_trusted(void **state)
{
	struct code_image images[1] = { { .name = "libsecret.so", .failed = -13 } };
	struct code code = { .at = images, .count = 1, .name = (char *)"x" };
	struct judgement v;

	hook_judge(&code, &v);
	assert_int_equal(v.exit, EXIT_NONE);
	assert_non_null(strstr(v.reason, "libsecret.so"));
	images[0].failed = -22; /* no ELF: a JIT's file */
	hook_judge(&code, &v);
	assert_int_equal(v.exit, EXIT_HOOK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_throws_is_refused),
		cmocka_unit_test(a_program_with_coroutines_is_refused),
		cmocka_unit_test(a_c_program_may_be_hooked),
		cmocka_unit_test(children_forbid_the_unseen_hook),
		cmocka_unit_test(several_processes_forbid_the_hook),
		cmocka_unit_test(an_allocator_in_cxx_does_not_forbid_the_hook),
		cmocka_unit_test(run_time_libraries_are_a_fixed_set),
		cmocka_unit_test(what_could_not_be_read_is_not_trusted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
