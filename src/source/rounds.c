#include "source/rounds.h"

#include "base/mem.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct rounds {
	struct rounds_shared shared;
	int link;
	nsec period;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool over; /* under the lock */
	uint64_t chance;
	_Atomic uint64_t longest, count;
};

/* xorshift64 (Marsaglia, 2003) */
static uint64_t next_chance(struct rounds *r)
{
	r->chance ^= r->chance << 13;
	r->chance ^= r->chance >> 7;
	r->chance ^= r->chance << 17;
	return r->chance;
}

static int look(const struct rounds *r)
{
	int fd = bpf_iter_create(r->link);
	char byte;

	if (fd < 0)
		return -errno;
	while (read(fd, &byte, 1) > 0)
		continue;
	close(fd);
	return 0;
}

/* False: it is over. */
static bool wait_until(struct rounds *r, nsec time)
{
	struct timespec at = { .tv_sec = time / NSEC_PER_SEC, .tv_nsec = time % NSEC_PER_SEC };
	bool over;

	pthread_mutex_lock(&r->lock);
	while (!r->over && pthread_cond_timedwait(&r->wake, &r->lock, &at) == 0)
		continue;
	over = r->over;
	pthread_mutex_unlock(&r->lock);
	return !over;
}

static void *go_round(void *rounds)
{
	struct rounds *r = rounds;
	nsec last = clock_now(), now;

	pthread_setname_np(pthread_self(), "sonde-rounds");
	while (wait_until(r, last + r->period / 2 + next_chance(r) % r->period)) {
		now = clock_now();
		*r->shared.weight = now - last;
		if (now - last > r->longest)
			r->longest = now - last;
		r->count++;
		last = now;
		look(r);
	}
	*r->shared.is_last = 1;
	look(r);
	return NULL;
}

static int start(struct rounds *r)
{
	pthread_condattr_t attr;
	int code;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->wake, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&r->lock, NULL);
	code = pthread_create(&r->thread, NULL, go_round, r);
	if (code) {
		pthread_mutex_destroy(&r->lock);
		pthread_cond_destroy(&r->wake);
	}
	return code;
}

int rounds_open(int program, unsigned hz, struct rounds_shared shared, struct rounds **ret,
		struct error *err)
{
	struct rounds *r;
	int link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL), code;

	if (link < 0)
		return error_set(err, errno, "cannot look at threads that wait: %s",
				 strerror(errno));
	r = NEW(struct rounds);
	r->shared = shared;
	r->link = link;
	r->period = NSEC_PER_SEC / hz;
	if (getrandom(&r->chance, sizeof(r->chance), GRND_NONBLOCK) < 0 || !r->chance)
		r->chance = clock_now() | 1;
	code = start(r);
	if (code) {
		close(link);
		free(r);
		return error_set(err, code, "cannot start a thread that looks at threads: %s",
				 strerror(code));
	}
	*ret = r;
	return 0;
}

void rounds_close(struct rounds *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->over = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->wake);
	close(r->link);
	free(r);
}

nsec rounds_longest(const struct rounds *r)
{
	return r->longest;
}

uint64_t rounds_count(const struct rounds *r)
{
	return r->count;
}
