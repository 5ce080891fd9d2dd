#include "base/helper.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLICE 100000 /* nanoseconds: the least that the kernel takes */

/* Of include/uapi/linux/sched/types.h: headers may be older. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

int helper_start(pthread_t *ret, const pthread_attr_t *attr, void *(*run)(void *),
		 void *context)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(ret, attr, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

void helper_hurry(int nice)
{
	struct sched_attributes a = {
		.size = sizeof(a), .policy = SCHED_OTHER, .nice = nice, .runtime = SLICE
	};

	if (syscall(SYS_sched_setattr, 0, &a, 0))
		setpriority(PRIO_PROCESS, 0, nice);
}
