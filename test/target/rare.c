/*
 * rare - calls with so much other work between them that the caches have lost what a probe
 * needs.  What `seldom` and its twin, which nobody watches, take of the thread's CPU time: the
 * means of all calls.
 */
#include "calls.h"

#include <time.h>

#define BETWEEN 1000000 /* nanoseconds */

KEPT uint64_t seldom(struct run *r);
KEPT uint64_t seldom_alone(struct run *r);

KEPT uint64_t seldom(struct run *r)
{
	uint64_t result = spin(r->stage->work);

	return result + 1;
}

KEPT uint64_t seldom_alone(struct run *r)
{
	uint64_t result = spin(r->stage->work);

	return result + 2;
}

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t cpu_of(uint64_t (*call)(struct run *), struct run *r)
{
	uint64_t begin = stage_now();

	while (stage_now() - begin < BETWEEN / 2)
		spin(r->stage->work);
	begin = cpu_now();
	call(r);
	return cpu_now() - begin;
}

void run_rare(struct run *r)
{
	uint64_t watched = 0, alone = 0;

	for (unsigned i = 0; i < r->stage->calls; i++) {
		alone += cpu_of(seldom_alone, r);
		watched += cpu_of(seldom, r);
	}
	r->counts[0].entries = r->counts[0].returned = r->stage->calls;
	r->alone[0] = alone / r->stage->calls;
	r->watched[0] = watched / r->stage->calls;
}
