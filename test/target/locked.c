/*
 * locked - threads that hang: five in a circle of mutexes, three at one of those, readers of a
 * lock that one is writing with, one that waits for another's end, one for a lock it has
 * itself, one for a lock whose owner has ended.
 *
 * Prints its threads by name, and who has what they wait for.
 */
#include "stage.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CIRCLE 5

static pthread_mutex_t locks[CIRCLE] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
					 PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t special[2]; /* recursive, robust */
static pthread_mutex_t twice = PTHREAD_MUTEX_INITIALIZER, left = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t together;
static pthread_t writer_thread;
static sem_t never;

struct one {
	const char *name;
	void (*hang)(unsigned number);
	unsigned number;
	const char *owner; /* "" = none, "ended" */
	int tid;
};

static void circle(unsigned number)
{
	pthread_mutex_lock(&locks[number]);
	pthread_barrier_wait(&together);
	pthread_mutex_lock(&locks[(number + 1) % CIRCLE]);
}

static void queue(unsigned number)
{
	pthread_barrier_wait(&together);
	pthread_mutex_lock(&locks[number]);
}

static void keep(unsigned number)
{
	(void)number;
	pthread_rwlock_wrlock(&shared);
	pthread_mutex_lock(&special[0]);
	pthread_mutex_lock(&special[1]);
	pthread_barrier_wait(&together);
	sem_wait(&never);
}

static void read_it(unsigned number)
{
	(void)number;
	pthread_barrier_wait(&together);
	pthread_rwlock_rdlock(&shared);
}

static void write_it(unsigned number)
{
	(void)number;
	pthread_barrier_wait(&together);
	pthread_rwlock_wrlock(&shared);
}

static void want_special(unsigned number)
{
	pthread_barrier_wait(&together);
	pthread_mutex_lock(&special[number]);
}

static void lock_twice(unsigned number)
{
	(void)number;
	pthread_mutex_lock(&twice);
	pthread_barrier_wait(&together);
	pthread_mutex_lock(&twice);
}

static void want_left(unsigned number)
{
	(void)number;
	pthread_barrier_wait(&together);
	pthread_mutex_lock(&left);
}

static void *leave_locked(void *context)
{
	(void)context;
	pthread_mutex_lock(&left);
	return NULL;
}

static void join(unsigned number)
{
	(void)number;
	pthread_barrier_wait(&together);
	pthread_join(writer_thread, NULL);
}

static struct one ones[] = {
	{ "circle-0", circle, 0, "circle-1" },
	{ "circle-1", circle, 1, "circle-2" },
	{ "circle-2", circle, 2, "circle-3" },
	{ "circle-3", circle, 3, "circle-4" },
	{ "circle-4", circle, 4, "circle-0" },
	{ "queue", queue, 2, "circle-2" },
	{ "queue", queue, 2, "circle-2" },
	{ "queue", queue, 2, "circle-2" },
	{ "keeper", keep, 0, "" },
	{ "reader", read_it, 0, "keeper" },
	{ "writer", write_it, 0, "keeper" },
	{ "recursive", want_special, 0, "keeper" },
	{ "robust", want_special, 1, "keeper" },
	{ "joiner", join, 0, "keeper" },
	{ "twice", lock_twice, 0, "twice" },
	{ "haunted", want_left, 0, "ended" },
};

#define NR_ONE (sizeof(ones) / sizeof(ones[0]))

static void *hang(void *context)
{
	struct one *o = context;

	pthread_setname_np(pthread_self(), o->name);
	o->tid = (int)syscall(SYS_gettid);
	o->hang(o->number);
	return NULL;
}

static void set_up(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&special[0], &attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&special[1], &attr);
	for (unsigned i = 0; i < CIRCLE; i++)
		pthread_mutex_init(&locks[i], NULL);
	sem_init(&never, 0, 0);
	pthread_barrier_init(&together, NULL, NR_ONE + 1);
}

static int tid_of(const char *name)
{
	for (unsigned i = 0; i < NR_ONE; i++)
		if (!strcmp(ones[i].name, name))
			return ones[i].tid;
	return 0;
}

int main(int argc, char **argv)
{
	struct stage stage = { .seconds = 30 };
	pthread_t ended;

	stage_options(&stage, argc, argv);
	set_up();
	if (pthread_create(&ended, NULL, leave_locked, NULL) || pthread_join(ended, NULL))
		return 4;
	for (unsigned i = 0; i < NR_ONE; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, hang, &ones[i]))
			return 4;
		if (!strcmp(ones[i].name, "keeper"))
			writer_thread = thread;
	}
	pthread_barrier_wait(&together);
	usleep(200000);
	stage_open(&stage);
	printf("[");
	for (unsigned i = 0; i < NR_ONE; i++)
		printf("%s{\"name\":\"%s\",\"tid\":%d,\"owner\":%d}", i ? "," : "",
		       ones[i].name, ones[i].tid, tid_of(ones[i].owner));
	printf("]\n");
	fflush(stdout);
	sem_wait(&never);
	return 0;
}
