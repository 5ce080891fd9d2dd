/*
 * spread - plain calls, of durations that are spread as a server's are: many
 * ordinary ones, some three times as long, a few ten times.
 */
#include "calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 64

struct lane {
	struct run *run;
	struct durations durations;
	uint64_t (*call)(struct call *c);
	unsigned seed;
	pthread_barrier_t *all; /* passed when every thread is there */
};

/* Rounds of the i-th call: a fixed pattern, varied by up to a quarter. */
static uint64_t rounds_of(const struct stage *s, unsigned seed, unsigned i)
{
	uint64_t rounds = s->work, mix = (i + 1) * 2654435761u ^ seed * 40503u;

	if (i % 60 == 0)
		rounds *= 10;
	else if (i % 12 == 0)
		rounds *= 3;
	return rounds + rounds * (mix >> 7 & 255) / 1024;
}

static void *lane_run(void *context)
{
	struct lane *l = context;
	const struct stage *s = l->run->stage;
	uint64_t next;

	/* a thread that comes changes the process's maps; nobody calls meanwhile */
	pthread_barrier_wait(l->all);
	next = stage_now();
	for (unsigned i = 0; i < s->calls; i++) {
		struct call call = { .run = l->run, .rounds = rounds_of(s, l->seed, i) };

		l->call(&call);
		durations_add(&l->durations, call.nsec);
		stage_pace(&next, s->rate);
	}
	return NULL;
}

void run_steady(struct run *r)
{
	const struct stage *s = r->stage;
	unsigned threads = s->threads < THREADS_MAX ? s->threads : THREADS_MAX;
	struct lane lanes[THREADS_MAX];
	pthread_t ids[THREADS_MAX];
	pthread_barrier_t all;

	durations_init(&r->durations, threads * s->calls);
	if (pthread_barrier_init(&all, NULL, threads))
		exit(4);
	for (unsigned i = 0; i < threads; i++) {
		lanes[i] = (struct lane){ .run = r, .call = f_push, .seed = i, .all = &all };
		if (s->variant && !strcmp(s->variant, "mov"))
			lanes[i].call = f_mov;
		durations_init(&lanes[i].durations, s->calls);
		if (pthread_create(&ids[i], NULL, lane_run, &lanes[i]))
			exit(4);
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		durations_append(&r->durations, &lanes[i].durations);
		durations_done(&lanes[i].durations);
	}
	pthread_barrier_destroy(&all);
}

static void *one_call(void *context)
{
	struct call call = { .run = context };

	call.rounds = call.run->stage->work;
	f_push(&call);
	return NULL;
}

void run_threads(struct run *r)
{
	const struct stage *s = r->stage;
	unsigned together = s->threads < THREADS_MAX ? s->threads : THREADS_MAX;

	for (unsigned done = 0; done < s->calls; done += together) {
		unsigned n = s->calls - done < together ? s->calls - done : together;
		pthread_t ids[THREADS_MAX];

		for (unsigned i = 0; i < n; i++)
			if (pthread_create(&ids[i], NULL, one_call, r))
				exit(4);
		for (unsigned i = 0; i < n; i++)
			pthread_join(ids[i], NULL);
	}
}
