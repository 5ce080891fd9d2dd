#include "name/wake_kind.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

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
static enum wake_by kind(const char *const *names, enum wake_by by)
{
	struct naming naming = { .find = find, .context = (void *)names };
	struct event_wake *wake = mem_alloc(sizeof(*wake) + 16 * sizeof(wake->frames[0]));
	enum wake_by ret;

	*wake = (struct event_wake){ .by = by };
	for (; names[wake->nr_kernel]; wake->nr_kernel++)
		wake->frames[wake->nr_kernel] = AT(wake->nr_kernel);
	ret = wake_kind(&naming, wake);
	free(wake);
	return ret;
}

#define KIND(by, ...) \
	kind((const char *const[]){ "try_to_wake_up", __VA_ARGS__, "do_syscall_64", NULL }, by)

/* Stacks as Linux 6.18 has them. */
static void the_kernel_says_what_ended_a_wait(void **state)
{
	assert_int_equal(KIND(WAKE_THREAD, "wake_up_q", "futex_wake", "do_futex"), WAKE_THREAD);
	assert_int_equal(KIND(WAKE_THREAD, "hrtimer_wakeup", "__hrtimer_run_queues",
			      "hrtimer_interrupt", "asm_sysvec_apic_timer_interrupt"),
			 WAKE_TIMER);
	assert_int_equal(KIND(WAKE_INTERRUPT, "hrtimer_wakeup", "cpuidle_enter_state"),
			 WAKE_TIMER);
	assert_int_equal(KIND(WAKE_THREAD, "blk_mq_complete_request", "asm_common_interrupt"),
			 WAKE_INTERRUPT);
	/* what is sent over loopback is received on the sender's stack */
	assert_int_equal(KIND(WAKE_THREAD, "sock_def_readable", "tcp_v4_rcv", "handle_softirqs",
			      "__local_bh_enable_ip", "tcp_sendmsg"),
			 WAKE_THREAD);
	assert_int_equal(KIND(WAKE_THREAD, "sock_def_readable", "tcp_v4_rcv", "handle_softirqs",
			      "run_ksoftirqd", "smpboot_thread_fn"),
			 WAKE_INTERRUPT);
}

static void without_names_it_stays_what_it_is(void **state)
{
	assert_int_equal(KIND(WAKE_THREAD, "", ""), WAKE_THREAD);
	assert_int_equal(KIND(WAKE_INTERRUPT, "", ""), WAKE_INTERRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_says_what_ended_a_wait),
		cmocka_unit_test(without_names_it_stays_what_it_is),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("wake_kind", tests, NULL, NULL);
}
