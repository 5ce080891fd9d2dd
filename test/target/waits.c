/*
 * waits - calls that take long for several reasons: some compute, some wait, for a lock, a
 * time, a disk, a pipe, a socket, any of some files, a process.
 *
 * `handle` is for probes; each of its calls does one of these for --work nanoseconds, all
 * equally often, in an order up to chance.  --variant is a list of them (lock,sleep); without,
 * it is all but the disk, whose own time nobody can plan.  Who makes it wait is a thread of its
 * own ("refresher" holds the lock, in rebuild_cache).  --threads: so many more, called idle,
 * wait in idle_in_pool for what never comes.
 *
 * It prints nanoseconds by reason, measured around each.
 */
#include "stage.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static pthread_mutex_t cache_mu = PTHREAD_MUTEX_INITIALIZER;
static sem_t asked, held;
static int a_pipe[2], a_socket[2], a_file = -1;
static uint64_t length; /* nanoseconds of a reason */
static int waker;	/* the waker writes here; -1: to nobody */

static void pause_for(uint64_t nsec)
{
	struct timespec t = { (time_t)(nsec / 1000000000), (long)(nsec % 1000000000) };

	nanosleep(&t, NULL);
}

KEPT void rebuild_cache(void)
{
	pthread_mutex_lock(&cache_mu);
	sem_post(&held);
	pause_for(length);
	pthread_mutex_unlock(&cache_mu);
}

static void *refresher(void *context)
{
	pthread_setname_np(pthread_self(), "refresher");
	for (;;) {
		sem_wait(&asked);
		if (waker < 0) {
			rebuild_cache();
			continue;
		}
		pause_for(length);
		if (write(waker, "x", 1) != 1)
			exit(4);
	}
	return context;
}

static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t pool_mu = PTHREAD_MUTEX_INITIALIZER;

KEPT void *idle_in_pool(void *context)
{
	pthread_setname_np(pthread_self(), "idle");
	pthread_mutex_lock(&pool_mu);
	for (;;)
		pthread_cond_wait(&never, &pool_mu);
	return context;
}

static void ask(int fd)
{
	waker = fd;
	sem_post(&asked);
}

static void take_byte(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		exit(4);
}

KEPT void do_compute(void)
{
	uint64_t until = stage_now() + length;

	while (stage_now() < until)
		spin(1000);
}

KEPT void do_lock(void)
{
	ask(-1);
	while (sem_trywait(&held)) /* not asleep: that would be another reason */
		continue;
	pthread_mutex_lock(&cache_mu);
	pthread_mutex_unlock(&cache_mu);
}

KEPT void do_sleep(void)
{
	pause_for(length);
}

KEPT void do_disk(void)
{
	static char block[1 << 16];

	for (uint64_t until = stage_now() + length; stage_now() < until;) {
		memset(block, (int)until, sizeof(block));
		if (pwrite(a_file, block, sizeof(block), 0) < 0 || fdatasync(a_file))
			exit(4);
	}
}

KEPT void do_pipe(void)
{
	ask(a_pipe[1]);
	take_byte(a_pipe[0]);
}

KEPT void do_network(void)
{
	char byte;

	ask(a_socket[1]);
	if (recv(a_socket[0], &byte, 1, 0) != 1)
		exit(4);
}

KEPT void do_poll(void)
{
	struct pollfd files[2] = { { a_socket[0], POLLIN, 0 }, { a_pipe[0], POLLIN, 0 } };

	ask(a_pipe[1]);
	if (poll(files, 2, -1) != 1)
		exit(4);
	take_byte(a_pipe[0]);
}

KEPT void do_child(void)
{
	char seconds[32], *argv[] = { "sleep", seconds, NULL };
	int status;
	pid_t pid;

	snprintf(seconds, sizeof(seconds), "%.4f", (double)length / 1e9);
	if (posix_spawn(&pid, "/bin/sleep", NULL, NULL, argv, environ) ||
	    waitpid(pid, &status, 0) < 0)
		exit(4);
}

static struct reason {
	const char *name;
	void (*act)(void);
	uint64_t nsec, cpu_nsec;
	unsigned calls;
} reasons[] = {
	{ "compute", do_compute }, { "lock", do_lock },	      { "sleep", do_sleep },
	{ "pipe", do_pipe },	   { "network", do_network }, { "poll", do_poll },
	{ "child", do_child },	   { "disk", do_disk },
};

#define NR_REASON (sizeof(reasons) / sizeof(reasons[0]))

/* Here the time goes for which there is no other place. */
KEPT void handle(struct reason *r)
{
	uint64_t began = stage_now(), cpu = stage_cpu();

	r->act();
	r->nsec += stage_now() - began;
	r->cpu_nsec += stage_cpu() - cpu;
	r->calls++;
}

static unsigned choose(const char *variant, struct reason **ret)
{
	unsigned count = 0;

	for (unsigned i = 0; i < NR_REASON; i++) {
		bool listed = variant ? strstr(variant, reasons[i].name) != NULL
				      : strcmp(reasons[i].name, "disk") != 0 &&
						strcmp(reasons[i].name, "child") != 0;

		if (listed)
			ret[count++] = &reasons[i];
	}
	return count;
}

static void set_up(unsigned idle)
{
	char path[] = "waits-XXXXXX";
	pthread_t thread;

	sem_init(&asked, 0, 0);
	sem_init(&held, 0, 0);
	if (pipe(a_pipe) || socketpair(AF_UNIX, SOCK_STREAM, 0, a_socket))
		exit(4);
	a_file = mkstemp(path);
	if (a_file >= 0)
		unlink(path);
	if (pthread_create(&thread, NULL, refresher, NULL))
		exit(4);
	while (idle--)
		if (pthread_create(&thread, NULL, idle_in_pool, NULL))
			exit(4);
}

int main(int argc, char **argv)
{
	struct stage stage = { .calls = 1000, .work = 5000000, .seconds = 20 };
	struct reason *chosen[NR_REASON];
	uint64_t state = 88172645463325252ull;
	unsigned count;

	stage_options(&stage, argc, argv);
	length = stage.work;
	count = choose(stage.variant, chosen);
	if (!count) {
		fprintf(stderr, "waits: --variant is a list of reasons, as in lock,sleep\n");
		return 2;
	}
	set_up(stage.threads);
	stage_open(&stage);
	for (unsigned i = 0; i < stage.calls; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		handle(chosen[state % count]);
	}
	printf("{\"calls\":%u", stage.calls);
	for (unsigned i = 0; i < NR_REASON; i++)
		printf(",\"%s\":{\"calls\":%u,\"ns\":%llu,\"cpu_ns\":%llu}", reasons[i].name,
		       reasons[i].calls, (unsigned long long)reasons[i].nsec,
		       (unsigned long long)reasons[i].cpu_nsec);
	printf("}\n");
	return 0;
}
