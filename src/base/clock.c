#include "base/clock.h"

#include <time.h>

static nsec clock_read(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

nsec clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

nsec clock_wall(void)
{
	return clock_read(CLOCK_REALTIME);
}

nsec clock_cpu(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}
