/*
 * holders - calls that wait for a lock, whose holders do various things.
 *
 * `handle` is for probes; each of its calls waits for a mutex while another thread has it, for
 * --work nanoseconds of one of these, all equally often, in an order up to chance (--variant is
 * a list of them):
 *
 * compute: "keeper" has front_mu, and computes in compute_held;
 * chain: "keeper" has front_mu, and waits in take_back for back_mu, while "flusher" has that
 * and computes in write_out;
 * hand: "keeper" has turn_mu and computes in compute_held, for half of the time; "second",
 * which was there before, has it then, and computes in second_turn;
 * free: nobody has front_mu; the call computes in look_up, for an eighth of the time.
 *
 * Before and after it has a lock, the keeper computes in tidy_up.  It prints nanoseconds that
 * were waited by kind, until what they were waited for was done (then they wait for a CPU, up
 * to a millisecond and a half), and those for which "second" had the lock.
 */
#include "stage.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { COMPUTE, CHAIN, HAND, FREE, NR_KIND };

static const char *const names[NR_KIND] = { "compute", "chain", "hand", "free" };
static uint64_t waited[NR_KIND], second_had;

static pthread_mutex_t front_mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t back_mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t turn_mu; /* who waits longest gets it: it inherits priorities */
static sem_t asked, held, back_asked, back_held, second_asked, second_comes;
static enum kind now;
static uint64_t length;
static uint64_t done; /* when what the newest call waits for was */

static void compute_until(uint64_t until)
{
	while (stage_now() < until)
		spin(200);
}

/* Not asleep: that would be another wait. */
static void await(sem_t *sem)
{
	while (sem_trywait(sem))
		continue;
}

KEPT void tidy_up(void)
{
	compute_until(stage_now() + length / 4);
}

KEPT void look_up(void)
{
	compute_until(stage_now() + length / 8);
}

KEPT void compute_held(uint64_t nsec)
{
	compute_until(stage_now() + nsec);
}

KEPT void take_back(void)
{
	pthread_mutex_lock(&back_mu);
	pthread_mutex_unlock(&back_mu);
}

KEPT void write_out(void)
{
	compute_until(stage_now() + length);
}

KEPT void second_turn(void)
{
	uint64_t began = stage_now();

	compute_until(began + length / 2);
	second_had += stage_now() - began;
}

static void *flusher(void *context)
{
	pthread_setname_np(pthread_self(), "flusher");
	for (;;) {
		sem_wait(&back_asked);
		pthread_mutex_lock(&back_mu);
		sem_post(&back_held);
		write_out();
		done = stage_now();
		pthread_mutex_unlock(&back_mu);
	}
	return context;
}

static void *second(void *context)
{
	pthread_setname_np(pthread_self(), "second");
	for (;;) {
		sem_wait(&second_asked);
		sem_post(&second_comes);
		pthread_mutex_lock(&turn_mu);
		second_turn();
		done = stage_now();
		pthread_mutex_unlock(&turn_mu);
	}
	return context;
}

static void keep(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	if (now == HAND) {
		sem_post(&second_asked);
		await(&second_comes);
		compute_until(stage_now() + 200000); /* until it is in the queue */
	} else if (now == CHAIN) {
		sem_post(&back_asked);
		await(&back_held);
	}
	sem_post(&held);
	if (now == CHAIN) {
		take_back();
	} else {
		compute_held(now == HAND ? length / 2 : length);
		done = stage_now();
	}
	pthread_mutex_unlock(mutex);
}

static void *keeper(void *context)
{
	pthread_setname_np(pthread_self(), "keeper");
	for (;;) {
		sem_wait(&asked);
		tidy_up();
		keep(now == HAND ? &turn_mu : &front_mu);
		tidy_up();
	}
	return context;
}

KEPT void handle(pthread_mutex_t *mutex)
{
	uint64_t began = stage_now();

	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	if (now == FREE)
		look_up();
	else
		waited[now] += done - began;
}

static void set_up(void)
{
	void *(*const threads[])(void *) = { keeper, flusher, second };
	sem_t *const sems[] = { &asked,	    &held,	   &back_asked,
				&back_held, &second_asked, &second_comes };
	pthread_mutexattr_t attr;
	pthread_t thread;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&turn_mu, &attr);
	for (unsigned i = 0; i < sizeof(sems) / sizeof(sems[0]); i++)
		sem_init(sems[i], 0, 0);
	for (unsigned i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		if (pthread_create(&thread, NULL, threads[i], NULL))
			exit(4);
}

int main(int argc, char **argv)
{
	struct stage stage = { .calls = 300, .work = 20000000, .seconds = 60 };
	enum kind kinds[NR_KIND];
	uint64_t state = 88172645463325252ull;
	unsigned count = 0;

	stage_options(&stage, argc, argv);
	length = stage.work;
	for (unsigned i = 0; i < NR_KIND; i++)
		if (!stage.variant || strstr(stage.variant, names[i]))
			kinds[count++] = i;
	if (!count) {
		fprintf(stderr, "holders: --variant is a list of compute, chain, hand, free\n");
		return 2;
	}
	set_up();
	stage_open(&stage);
	for (unsigned i = 0; i < stage.calls; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		now = kinds[state % count];
		if (now != FREE) {
			sem_post(&asked);
			sem_wait(&held);
		}
		handle(now == HAND ? &turn_mu : &front_mu);
		usleep(length / 1000);
	}
	printf("{\"calls\":%u,\"second\":%llu", stage.calls, (unsigned long long)second_had);
	for (unsigned i = 0; i < NR_KIND; i++)
		printf(",\"%s\":%llu", names[i], (unsigned long long)waited[i]);
	printf("}\n");
	return 0;
}
