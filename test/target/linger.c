/*
 * linger - calls that compute, sleep and compute again, and work beside them whose
 * frames lie where theirs were.
 */
#include "stage.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS_MAX 8
#define SLEEP_NSEC 4000000

struct lane {
	const struct stage *stage;
	struct durations durations;
	uint64_t cpu_inside, cpu;
};

static void nap(void)
{
	struct timespec t = { .tv_nsec = SLEEP_NSEC };

	nanosleep(&t, NULL);
}

KEPT uint64_t linger_in(struct lane *l)
{
	uint64_t begin = stage_now(), cpu = stage_cpu(), result = spin(l->stage->work);

	nap();
	result ^= spin(l->stage->work);
	l->cpu_inside += stage_cpu() - cpu;
	durations_add(&l->durations, stage_now() - begin);
	return result;
}

/* What it does not write is what linger_in left there. */
KEPT uint64_t work_beside(struct lane *l)
{
	volatile char room[4096];
	uint64_t result;

	room[0] = room[sizeof(room) - 1] = 0;
	result = spin(2 * l->stage->work);
	nap();
	return result + room[0];
}

static void *lane_run(void *context)
{
	struct lane *l = context;
	uint64_t cpu = stage_cpu();

	for (unsigned i = 0; i < l->stage->calls; i++) {
		linger_in(l);
		work_beside(l);
	}
	l->cpu = stage_cpu() - cpu;
	return NULL;
}

int main(int argc, char **argv)
{
	struct stage stage = { .threads = 2, .calls = 60, .work = 3000000, .seconds = 60 };
	struct lane lanes[THREADS_MAX];
	struct durations all;
	pthread_t ids[THREADS_MAX];
	uint64_t inside = 0, cpu = 0, sum = 0;
	unsigned threads;

	stage_options(&stage, argc, argv);
	threads = stage.threads < THREADS_MAX ? stage.threads : THREADS_MAX;
	durations_init(&all, threads * stage.calls);
	stage_open(&stage);
	for (unsigned i = 0; i < threads; i++) {
		lanes[i] = (struct lane){ .stage = &stage };
		durations_init(&lanes[i].durations, stage.calls);
		if (pthread_create(&ids[i], NULL, lane_run, &lanes[i]))
			return 1;
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		durations_append(&all, &lanes[i].durations);
		durations_done(&lanes[i].durations);
		inside += lanes[i].cpu_inside;
		cpu += lanes[i].cpu;
	}
	for (unsigned i = 0; i < all.count; i++)
		sum += all.at[i];
	printf("{\"calls\":%u,\"mean_ns\":%llu,\"cpu_inside\":%.4f,", all.count,
	       (unsigned long long)(sum / all.count), (double)inside / cpu);
	durations_print(&all, stdout);
	printf("}\n");
	durations_done(&all);
	return 0;
}
