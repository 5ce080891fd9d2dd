#include "name/wake_kind.h"

#include "base/array.h"

#include <string.h>

/* What timers call whose end a thread waits for, in Linux 4.18 to 6.18: kernel/time/hrtimer.c,
 * kernel/time/timer.c, fs/timerfd.c, kernel/time/posix-timers.c, kernel/time/itimer.c. */
static const char *const timers[] = {
	"hrtimer_wakeup", "process_timeout", "timerfd_tmrproc",	 "timerfd_alarmproc",
	"posix_timer_fn", "it_real_fn",	     "alarmtimer_fired", "alarmtimer_nsleep_wakeup",
};

/* Threads of the kernel's that do what interrupts leave to them (ksoftirqd runs this) are as
 * good as these. */
static bool is_interrupt(const char *function)
{
	return naming_is_interrupt(function) || strcmp(function, "run_ksoftirqd") == 0;
}

static bool is_timer(const char *function)
{
	for (unsigned i = 0; i < COUNT_OF(timers); i++)
		if (strcmp(function, timers[i]) == 0)
			return true;
	return false;
}

enum wake_by wake_kind(const struct naming *naming, const struct event_wake *wake)
{
	enum wake_by by = wake->by;

	for (uint32_t i = 0; i < wake->nr_kernel; i++) {
		struct frame_name name;

		if (!naming->find(naming->context, IMAGE_KERNEL_ID,
				  wake->frames[i] - (i && wake->frames[i] ? 1 : 0), &name))
			continue;
		if (is_timer(name.function))
			return WAKE_TIMER;
		if (by == WAKE_THREAD && is_interrupt(name.function))
			by = WAKE_INTERRUPT;
	}
	return by;
}
