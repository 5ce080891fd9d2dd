/*
 * fibers - many coroutines, their stacks side by side in one mapping, that take turns
 * in the middle of watched functions: calls end in another order than they began.
 *
 *	turns	on one thread
 *	roam	on --threads threads: a fiber goes on wherever one is free
 *	leave	every fifth call is jumped out of, on the fiber's own stack
 *	abandon	the program ends while each fiber is in the middle of a call
 */
#include "stage.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_SIZE (64 * 1024)
#define FIBERS 50
#define EVERY 5
#define MAX_THREADS 16

struct fiber {
	ucontext_t self, *worker; /* of the thread that runs it now */
	jmp_buf back;
	unsigned turns;
	bool leaves, done;
	uint64_t sum;
};

static struct count {
	const char *name;
	_Atomic uint64_t entries, returned, longjmp;
} serves = { "serve", 0, 0, 0 }, fetches = { "fetch", 0, 0, 0 },
  polls = { "poll_once", 0, 0, 0 };

static const struct stage *stage_of;
static struct fiber fibers[FIBERS];
static struct fiber *queue[FIBERS];
static unsigned queued, alive, last_turn;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

KEPT uint64_t serve(struct fiber *f, uint64_t value);
KEPT uint64_t fetch(struct fiber *f, uint64_t value);
KEPT uint64_t poll_once(struct fiber *f);
KEPT uint64_t burn_served(void);
KEPT uint64_t burn_fetched(void);

/* The fiber goes on later, maybe on another thread. */
static KEPT void yield(struct fiber *f)
{
	swapcontext(&f->self, f->worker);
}

KEPT uint64_t burn_served(void)
{
	return spin(stage_of->work) + 1;
}

KEPT uint64_t burn_fetched(void)
{
	return spin(stage_of->work / 2) + 1;
}

KEPT uint64_t fetch(struct fiber *f, uint64_t value)
{
	uint64_t burnt;

	atomic_fetch_add(&fetches.entries, 1);
	yield(f);
	burnt = burn_fetched();
	if (f->leaves) {
		atomic_fetch_add(&fetches.longjmp, 1);
		atomic_fetch_add(&serves.longjmp, 1);
		longjmp(f->back, 1);
	}
	yield(f);
	atomic_fetch_add(&fetches.returned, 1);
	return value * 3 + !burnt;
}

KEPT uint64_t serve(struct fiber *f, uint64_t value)
{
	uint64_t burnt;

	atomic_fetch_add(&serves.entries, 1);
	burnt = burn_served();
	yield(f);
	value = fetch(f, value);
	value += fetch(f, value);
	atomic_fetch_add(&serves.returned, 1);
	return value + !burnt;
}

static void fiber_run(unsigned number)
{
	struct fiber *f = &fibers[number];

	for (volatile unsigned i = 0; i < stage_of->calls; i++) {
		f->leaves = !strcmp(stage_of->mode, "leave") && i % EVERY == 0;
		if (!setjmp(f->back))
			f->sum += serve(f, i);
	}
	f->done = true;
	yield(f);
}

/* On the thread's own stack, around what the fiber does: one turn. */
KEPT uint64_t poll_once(struct fiber *f)
{
	ucontext_t here;

	atomic_fetch_add(&polls.entries, 1);
	f->worker = &here;
	swapcontext(&here, &f->self);
	atomic_fetch_add(&polls.returned, 1);
	return ++f->turns;
}

static struct fiber *take(void)
{
	struct fiber *f = NULL;

	pthread_mutex_lock(&mutex);
	if (queued) {
		f = queue[0];
		memmove(queue, queue + 1, --queued * sizeof(queue[0]));
	}
	pthread_mutex_unlock(&mutex);
	return f;
}

static void give(struct fiber *f)
{
	pthread_mutex_lock(&mutex);
	if (f->done || f->turns == last_turn)
		alive--;
	else
		queue[queued++] = f;
	pthread_mutex_unlock(&mutex);
}

static bool any_alive(void)
{
	bool any;

	pthread_mutex_lock(&mutex);
	any = alive > 0;
	pthread_mutex_unlock(&mutex);
	return any;
}

static void *work(void *context)
{
	while (any_alive()) {
		struct fiber *f = take();

		if (!f)
			continue;
		poll_once(f);
		give(f);
	}
	return context;
}

static void fiber_make(unsigned number, void *stack)
{
	struct fiber *f = &fibers[number];

	if (getcontext(&f->self))
		exit(4);
	f->self.uc_stack.ss_sp = stack;
	f->self.uc_stack.ss_size = STACK_SIZE;
	makecontext(&f->self, (void (*)(void))fiber_run, 1, number);
	queue[queued++] = f;
	alive++;
}

static void print_count(const struct count *c, const char *after)
{
	unsigned long long entries = c->entries, returned = c->returned, longjmp = c->longjmp;

	printf("\"%s\":{\"entries\":%llu,\"return\":%llu,\"longjmp\":%llu,\"exit\":%llu}%s",
	       c->name, entries, returned, longjmp, entries - returned - longjmp, after);
}

int main(int argc, char **argv)
{
	struct stage stage = {
		.mode = "turns", .threads = 1, .calls = 40, .work = 20000, .seconds = 30
	};
	char *stacks = mmap(NULL, (size_t)FIBERS * STACK_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t threads[MAX_THREADS];
	uint64_t sum = 0, wall;

	stage_options(&stage, argc, argv);
	if (stacks == MAP_FAILED || stage.threads > MAX_THREADS)
		return 4;
	stage_of = &stage;
	if (!strcmp(stage.mode, "abandon"))
		last_turn = stage.calls * 2 + 3;
	stage_open(&stage);
	for (unsigned i = 0; i < FIBERS; i++)
		fiber_make(i, stacks + (size_t)i * STACK_SIZE);
	wall = stage_now();
	for (unsigned i = 0; i < stage.threads; i++) {
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 4;
	}
	for (unsigned i = 0; i < stage.threads; i++)
		pthread_join(threads[i], NULL);
	wall = stage_now() - wall;
	for (unsigned i = 0; i < FIBERS; i++)
		sum += fibers[i].sum;
	printf("{\"mode\":\"%s\",\"sum\":%llu,\"functions\":{", stage.mode,
	       (unsigned long long)sum);
	print_count(&serves, ",");
	print_count(&fetches, ",");
	print_count(&polls, "},");
	printf("\"wall_ns\":%llu}\n", (unsigned long long)wall);
	munmap(stacks, (size_t)FIBERS * STACK_SIZE);
	return 0;
}
