/*
 * leave - calls that end otherwise than by returning: jumped out of, ended with
 * their thread, replaced by another program; and one that returns twice (fork).
 */
#include "calls.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EVERY 5
#define SLEEP_USEC 400000
#define STARTS 3000   /* a second */
#define UNJOINED 6000 /* threads whose stacks are kept: two seconds of them */

static void jump_out(struct call *c)
{
	atomic_fetch_add(&c->run->counts[0].longjmp, 1);
	longjmp(*(jmp_buf *)c->context, 1);
}

void run_longjmp(struct run *r)
{
	for (volatile unsigned i = 0; i < r->stage->calls; i++) {
		jmp_buf back;
		struct call call = { .run = r, .rounds = r->stage->work, .context = &back };

		call.inside = i % EVERY == 0 ? jump_out : NULL;
		if (!setjmp(back))
			f_push(&call);
	}
}

static void end_thread(struct call *c)
{
	atomic_fetch_add(&c->run->counts[0].exit, 1);
	pthread_exit(NULL);
}

static void cleaned(void *context)
{
	struct run *r = context;

	r->cleanups++;
}

struct ending {
	struct run *run;
	bool early;
};

static void *call_and_end(void *context)
{
	struct ending *e = context;
	struct call call = { .run = e->run, .rounds = e->run->stage->work };

	call.inside = e->early ? end_thread : NULL;
	pthread_cleanup_push(cleaned, e->run);
	f_push(&call);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *just_end(void *context)
{
	pthread_exit(NULL);
}

/* The C library loads an unwinder when a thread first ends early. */
void prepare_exit(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, just_end, NULL) || pthread_join(id, NULL))
		exit(4);
}

static void sleep_and_end(struct call *c)
{
	uint64_t *nsec = c->context;
	struct timespec t = { .tv_nsec = (long)*nsec };

	nanosleep(&t, NULL);
	end_thread(c);
}

struct sleeper {
	pthread_t id;
	uint64_t nsec;
	struct run *run;
};

static void *sleep_in_call(void *context)
{
	struct sleeper *s = context;
	struct call call = { .run = s->run, .inside = sleep_and_end, .context = &s->nsec };

	f_push(&call);
	return NULL;
}

/* Threads that come and end all the time, each asleep in its call: 600 at once. */
static void run_asleep(struct run *r)
{
	unsigned count = r->stage->calls;
	struct sleeper *sleepers = calloc(count, sizeof(*sleepers));
	uint64_t next = stage_now();

	for (unsigned i = 0; sleepers && i < count; i++) {
		struct sleeper *s = &sleepers[i];

		s->run = r;
		s->nsec = (1 + i * 7919ull % SLEEP_USEC) * 1000;
		stage_pace(&next, STARTS);
		if (pthread_create(&s->id, NULL, sleep_in_call, s))
			exit(4);
		if (i >= UNJOINED) /* it has ended long since */
			pthread_join(sleepers[i - UNJOINED].id, NULL);
	}
	for (unsigned i = count > UNJOINED ? count - UNJOINED : 0; sleepers && i < count; i++)
		pthread_join(sleepers[i].id, NULL);
	free(sleepers);
}

void run_exit(struct run *r)
{
	if (r->stage->variant && !strcmp(r->stage->variant, "asleep")) {
		run_asleep(r);
		return;
	}
	for (unsigned i = 0; i < r->stage->calls; i++) {
		struct ending ending = { .run = r, .early = i % EVERY == 0 };
		pthread_t id;

		if (pthread_create(&id, NULL, call_and_end, &ending))
			exit(4);
		pthread_join(id, NULL);
	}
}

static void fork_here(struct call *c)
{
	*(pid_t *)c->context = fork();
}

void run_fork(struct run *r)
{
	for (unsigned i = 0; i < r->stage->calls; i++) {
		pid_t child = -1;
		struct call call = { .run = r,
				     .rounds = r->stage->work,
				     .inside = fork_here,
				     .context = &child };
		int status = 1;

		f_push(&call);
		if (!child)
			_exit(0); /* the child too came back from f_push */
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			exit(4);
		atomic_fetch_add(&r->counts[0].child, 1);
	}
}

static void become(struct call *c)
{
	atomic_fetch_add(&c->run->counts[0].exec, 1);
	run_print(c->run);
	execl("/proc/self/exe", "calls", "after-exec", (char *)NULL);
	_exit(4);
}

void run_exec(struct run *r)
{
	for (unsigned i = 0; i < r->stage->calls; i++) {
		struct call call = { .run = r, .rounds = r->stage->work };

		call.inside = i + 1 == r->stage->calls ? become : NULL;
		f_push(&call);
	}
}
