#include "proc/access.h"
#include "proc/target.h"
#include "proc/thread.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>

static void comm_may_hold_anything(void **state)
{
	struct process p = { 0 };

	assert_int_equal(
		process_parse("42 (a) R 1 (x)) S 7 1 1 0 -1 2097152 0 0 0 0 0 0 0 0 20 0 1 "
			      "0 12345 0 0",
			      &p),
		0);
	assert_int_equal(p.pid, 42);
	assert_string_equal(p.comm, "a) R 1 (x)");
	assert_int_equal(p.state, 'S');
	assert_int_equal(p.parent, 7);
	assert_int_equal(p.started, 12345);
	assert_true(p.kernel);
	assert_int_equal(process_parse("42 (a", &p), -EINVAL);
	assert_int_equal(process_parse("", &p), -EINVAL);
	assert_int_equal(process_parse("42 (a) R", &p), -EINVAL);
}

static void a_main_thread_may_end_before_its_process(void **state)
{
	struct process p = { 0 };

	assert_int_equal(
		process_parse("42 (a) Z 7 1 1 0 -1 64 0 0 0 0 0 0 0 0 20 0 3 0 9 0 0", &p), 0);
	assert_true(p.headless && !p.ended);
	assert_int_equal(
		process_parse("42 (a) Z 7 1 1 0 -1 64 0 0 0 0 0 0 0 0 20 0 1 0 9 0 0", &p), 0);
	assert_true(p.ended && !p.headless);
	assert_int_equal(process_face(getpid()), getpid());
	assert_int_equal(process_face(0x7ffffff0), 0x7ffffff0);
}

static int find_pid(uint32_t pid, struct target *t, struct error *err)
{
	struct target_query q = { .pids = &pid, .nr_pids = 1 };

	return target_find(&q, t, err);
}

static void what_is_no_target_is_said(void **state)
{
	struct target t;
	struct error err;

	assert_int_equal(find_pid(getpid(), &t, &err), -EINVAL);
	assert_non_null(strstr(err.text, "this sonde"));
	assert_int_equal(find_pid(0x7ffffff0, &t, &err), -ESRCH);
	assert_non_null(strstr(err.text, "2147483632"));
}

static void a_kernel_thread_is_no_target(void **state)
{
	struct process p;
	struct target t;
	struct error err;

	/* kthreadd; a container may not show it */
	if (process_read(2, &p, NULL) || !p.kernel)
		skip();
	assert_int_equal(find_pid(2, &t, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "kernel thread"));
}

static void a_query_is_one_question(void **state)
{
	uint32_t pid = 1;
	struct target_query none = { .all = false },
			    two = { .pids = &pid, .nr_pids = 1, .all = true };
	struct target t;
	struct error err;

	assert_int_equal(target_find(&none, &t, &err), -EINVAL);
	assert_int_equal(target_find(&two, &t, &err), -EINVAL);
}

static pid_t start_child(const char *name)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, name);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void a_process_is_found_by_number_and_name(void **state)
{
	pid_t pid = start_child("sonde-tst (x)");
	struct target_query by_name = { .name = "sonde-tst*" };
	struct target t = { 0 };
	struct thread_list threads = { 0 };
	struct text said = { 0 };
	struct error err = { "" };

	assert_int_equal(find_pid(pid, &t, &err), 0);
	assert_int_equal(t.processes.count, 1);
	assert_string_equal(t.processes.at[0].comm, "sonde-tst (x)");
	assert_true(process_is_alive(&t.processes.at[0]));
	target_done(&t);
	assert_int_equal(target_find(&by_name, &t, &err), 0);
	assert_int_equal(t.processes.at[0].pid, pid);
	target_option(&t, &said);
	assert_true(text_starts(text_string(&said), "-p "));
	assert_int_equal(thread_list_read(pid, &threads, &err), 0);
	assert_int_equal(threads.count, 1);
	assert_string_equal(threads.at[0].comm, "sonde-tst (x)");
	array_done(&threads);
	text_done(&said);
	kill(pid, SIGKILL);
	/* dead and not waited for: a zombie */
	while (process_is_alive(&t.processes.at[0]))
		usleep(1000);
	target_done(&t);
	assert_int_equal(find_pid(pid, &t, &err), -ESRCH);
	assert_non_null(strstr(err.text, "zombie"));
	waitpid(pid, NULL, 0);
	by_name.name = "no-such-process-here";
	assert_int_equal(target_find(&by_name, &t, &err), -ESRCH);
}

static void a_reused_pid_is_noticed(void **state)
{
	struct process p;
	struct error err;

	assert_int_equal(process_read(getpid(), &p, &err), 0);
	assert_true(process_is_alive(&p));
	p.started--;
	assert_false(process_is_alive(&p));
}

static void threads_are_taken_by_number_and_name(void **state)
{
	char glob[] = "io-*";
	uint32_t seven = 7;
	struct target t = { .thread = glob };

	assert_true(target_takes_thread(&t, 5, "io-1"));
	assert_false(target_takes_thread(&t, 5, "main"));
	t.tids.at = &seven;
	t.tids.count = 1;
	assert_true(target_takes_thread(&t, 7, "io-1"));
	assert_false(target_takes_thread(&t, 5, "io-1"));
}

static void missing_capabilities_are_named(void **state)
{
	static const char status[] = "Name:\tx\nCapInh:\t0000\nCapEff:\t000001ff00000000\n";
	uint64_t set = access_parse(status);

	assert_true(set == 0x1ff00000000ull);
	assert_true(access_has(set, NEED_BPF));	    /* bit 39 */
	assert_true(access_has(set, NEED_SAMPLES)); /* bit 38 */
	assert_false(access_has(set, NEED_OTHERS));
	assert_true(access_has(1u << 21, NEED_BPF)); /* CAP_SYS_ADMIN does too */
	assert_false(access_has(1u << 21, NEED_OTHERS));
	assert_true(access_parse("no such line") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comm_may_hold_anything),
		cmocka_unit_test(a_main_thread_may_end_before_its_process),
		cmocka_unit_test(what_is_no_target_is_said),
		cmocka_unit_test(a_kernel_thread_is_no_target),
		cmocka_unit_test(a_query_is_one_question),
		cmocka_unit_test(a_process_is_found_by_number_and_name),
		cmocka_unit_test(a_reused_pid_is_noticed),
		cmocka_unit_test(threads_are_taken_by_number_and_name),
		cmocka_unit_test(missing_capabilities_are_named),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
