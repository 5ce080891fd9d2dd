/*
 * scene_threads - calls that end with their thread, and threads so short that there
 * is hardly time to see them.
 */
#include "scene.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define AT_ONCE 10

static unsigned ended;
static int never[2];

static void thread_add(pthread_t *thread, void *(*run)(void *), void *context)
{
	if (pthread_create(thread, NULL, run, context))
		exit(4);
}

static void on_end(void *context)
{
	ended += *(unsigned *)context;
}

KEPT unsigned w_exit(unsigned depth, unsigned value);
KEPT unsigned w_exit(unsigned depth, unsigned value)
{
	scene_entered();
	if (depth) {
		value = w_exit(depth - 1, value);
		SCENE_STAYS(value);
		return value + 1;
	}
	if (value != UINT32_MAX)
		pthread_exit((void *)(uintptr_t)value);
	return value;
}

static void *exit_run(void *context)
{
	unsigned one = 1;

	pthread_cleanup_push(on_end, &one);
	w_exit(5, *(unsigned *)context);
	pthread_cleanup_pop(0);
	return NULL;
}

static void play_exit(unsigned round)
{
	pthread_t thread;
	void *value;

	thread_add(&thread, exit_run, &round);
	pthread_join(thread, &value);
	printf(" %lu %u", (unsigned long)(uintptr_t)value, ended);
}

/* Waits where a thread may be cancelled. */
KEPT uint64_t w_cancel(unsigned depth, unsigned *arrived);
KEPT uint64_t w_cancel(unsigned depth, unsigned *arrived)
{
	uint64_t value;
	char byte;

	scene_entered();
	if (!depth) {
		__atomic_store_n(arrived, 1, __ATOMIC_RELEASE);
		return (uint64_t)read(never[0], &byte, 1);
	}
	value = w_cancel(depth - 1, arrived);
	SCENE_STAYS(value);
	return value + 1;
}

/* Computes, and may be cancelled anywhere. */
KEPT uint64_t w_cancel_anywhere(unsigned depth, unsigned *arrived);
KEPT uint64_t w_cancel_anywhere(unsigned depth, unsigned *arrived)
{
	uint64_t value;

	scene_entered();
	if (depth) {
		value = w_cancel_anywhere(depth - 1, arrived);
		SCENE_STAYS(value);
		return value + 1;
	}
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	__atomic_store_n(arrived, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(arrived, __ATOMIC_RELAXED))
		;
	return 0;
}

static void *cancel_run(void *context)
{
	unsigned one = 1;

	pthread_cleanup_push(on_end, &one);
	w_cancel(5, context);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *cancel_anywhere_run(void *context)
{
	unsigned one = 1;

	pthread_cleanup_push(on_end, &one);
	w_cancel_anywhere(5, context);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancelled(void *(*run)(void *))
{
	unsigned arrived = 0;
	pthread_t thread;
	void *value;

	if (!never[1] && pipe(never))
		exit(4);
	thread_add(&thread, run, &arrived);
	while (!__atomic_load_n(&arrived, __ATOMIC_ACQUIRE))
		usleep(100);
	pthread_cancel(thread);
	pthread_join(thread, &value);
	printf(" %s %u", value == PTHREAD_CANCELED ? "cancelled" : "not cancelled", ended);
}

static void play_cancel(unsigned round)
{
	cancelled(cancel_run);
}

static void play_cancel_anywhere(unsigned round)
{
	cancelled(cancel_anywhere_run);
}

KEPT uint64_t w_short(uint64_t value);
KEPT uint64_t w_short(uint64_t value)
{
	scene_entered();
	return value * 5 + 3;
}

static void *short_run(void *context)
{
	return (void *)(uintptr_t)w_short((uintptr_t)context);
}

static void play_short(unsigned round)
{
	uintptr_t sum = 0;

	for (unsigned i = 0; i < 200; i += AT_ONCE) {
		pthread_t threads[AT_ONCE];
		void *value;

		for (unsigned j = 0; j < AT_ONCE; j++)
			thread_add(&threads[j], short_run, (void *)(uintptr_t)(round + i + j));
		for (unsigned j = 0; j < AT_ONCE; j++) {
			pthread_join(threads[j], &value);
			sum += (uintptr_t)value;
		}
	}
	printf(" %lu", (unsigned long)sum);
}

static const struct scene scenes[] = {
	{ "exit", play_exit, 0 },
	{ "cancel", play_cancel, 0 },
	{ "cancel_anywhere", play_cancel_anywhere, 0 },
	{ "short", play_short, 100 }, /* 20,000 threads */
	{ 0 },
};

int main(int argc, char **argv)
{
	return scene_main(argc, argv, scenes);
}
