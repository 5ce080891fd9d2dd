#include "name/wait_kind.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

/* A frame's address is that of a name: names are found one byte before return addresses. */
#define AT(i) (0x1000 + 16 * (uint64_t)(i))

static bool find(void *context, uint32_t image, uint64_t offset, struct frame_name *ret)
{
	const char *const *names = context;
	uint64_t i = (offset + 1 - 0x1000) / 16;

	*ret = (struct frame_name){ .function = names[i] };
	return image == 1 && names[i][0];
}

/* Names of the stack, leaf first; "" has none. */
static enum sample_cause kind(const char *const *names, int call, enum sample_cause cause)
{
	struct naming naming = { .find = find, .context = (void *)names };
	struct event_wait *wait = mem_alloc(sizeof(*wait) + 16 * sizeof(wait->frames[0]));
	enum sample_cause ret;

	*wait = (struct event_wait){ .call = call, .cause = cause };
	for (; names[wait->nr_kernel]; wait->nr_kernel++)
		wait->frames[wait->nr_kernel] = AT(wait->nr_kernel);
	ret = wait_kind(&naming, wait);
	free(wait);
	return ret;
}

#define KIND(call, ...)                                                                     \
	kind((const char *const[]){ "__schedule", "schedule", __VA_ARGS__, "do_syscall_64", \
				    NULL },                                                 \
	     call, CAUSE_WAIT)

/* Stacks as Linux 6.18 has them. */
static void the_kernel_says_what_is_waited_for(void **state)
{
	assert_int_equal(KIND(-1, "futex_do_wait", "__futex_wait", "futex_wait", "do_futex"),
			 CAUSE_LOCK);
	assert_int_equal(KIND(-1, "do_nanosleep", "hrtimer_nanosleep", "common_nsleep"),
			 CAUSE_SLEEP);
	assert_int_equal(KIND(-1, "schedule_hrtimeout_range_clock", "do_poll.constprop.0",
			      "do_sys_poll"),
			 CAUSE_POLL);
	assert_int_equal(KIND(-1, "schedule_hrtimeout_range", "ep_poll", "do_epoll_wait"),
			 CAUSE_POLL);
	assert_int_equal(KIND(-1, "anon_pipe_read", "vfs_read", "ksys_read"), CAUSE_PIPE);
	assert_int_equal(KIND(-1, "schedule_timeout", "unix_stream_data_wait",
			      "unix_stream_read_generic", "__sys_recvfrom"),
			 CAUSE_NETWORK);
	assert_int_equal(KIND(-1, "schedule_timeout", "wait_woken", "sk_wait_data",
			      "tcp_recvmsg_locked"),
			 CAUSE_NETWORK);
	assert_int_equal(KIND(-1, "do_wait", "kernel_wait4"), CAUSE_CHILD);
	assert_int_equal(KIND(-1, "rwsem_down_write_slowpath", "down_write_killable",
			      "__do_sys_mprotect"),
			 CAUSE_LOCK);
}

static void a_page_that_is_read_is_a_fault_or_a_file(void **state)
{
	assert_int_equal(KIND(-1, "io_schedule", "folio_wait_bit_common", "filemap_fault",
			      "__do_fault", "handle_mm_fault", "exc_page_fault"),
			 CAUSE_FAULT);
	assert_int_equal(KIND(-1, "io_schedule", "folio_wait_bit_common", "filemap_get_pages",
			      "filemap_read", "vfs_read"),
			 CAUSE_DISK);
	/* the lock of the maps, in a fault, is a lock */
	assert_int_equal(KIND(-1, "rwsem_down_read_slowpath", "down_read", "handle_mm_fault"),
			 CAUSE_LOCK);
}

static void without_names_the_call_says_it(void **state)
{
	assert_int_equal(KIND(SYS_futex, "", ""), CAUSE_LOCK);
	assert_int_equal(KIND(SYS_clock_nanosleep, "", ""), CAUSE_SLEEP);
	assert_int_equal(KIND(SYS_fsync, "some_new_function"), CAUSE_DISK);
	assert_int_equal(KIND(SYS_read, "", ""), CAUSE_WAIT); /* of what? */
	assert_int_equal(KIND(-1, "", ""), CAUSE_WAIT);
	assert_int_equal(KIND(99999, "", ""), CAUSE_WAIT);
}

static void what_is_known_stays(void **state)
{
	static const char *const names[] = { "futex_wait", NULL };

	assert_int_equal(kind(names, SYS_futex, CAUSE_RUNNABLE), CAUSE_RUNNABLE);
	assert_int_equal(kind(names, SYS_futex, CAUSE_STOPPED), CAUSE_STOPPED);
	assert_int_equal(kind(names, SYS_futex, CAUSE_WAIT), CAUSE_LOCK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_says_what_is_waited_for),
		cmocka_unit_test(a_page_that_is_read_is_a_fault_or_a_file),
		cmocka_unit_test(without_names_the_call_says_it),
		cmocka_unit_test(what_is_known_stays),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("wait_kind", tests, NULL, NULL);
}
