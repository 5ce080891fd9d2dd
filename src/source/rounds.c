#include "source/rounds.h"

#include "base/helper.h"
#include "base/mem.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 2 /* seconds, at the end, for a look that is stuck */

struct rounds {
	struct rounds_shared shared;
	int links[ROUNDS_PROCESSES]; /* one for each process, if all of them have one */
	uint32_t nr_links;
	int everywhere;
	nsec period;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* under the lock */
	bool over;
	bool left; /* nobody waits for the thread any more: nothing that is shared is there */
	uint64_t chance;
};

/* xorshift64 (Marsaglia, 2003) */
static uint64_t next_chance(struct rounds *r)
{
	r->chance ^= r->chance << 13;
	r->chance ^= r->chance >> 7;
	r->chance ^= r->chance << 17;
	return r->chance;
}

/* Of include/uapi/linux/bpf.h, union bpf_iter_link_info, Linux 6.1: headers may be older. */
struct iterated_task {
	uint32_t tid, pid, pid_fd;
};

static void open_links(struct rounds *r, int program, const uint32_t *pids, uint32_t count)
{
	if (count > ROUNDS_PROCESSES)
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct iterated_task task = { .pid = pids[i] };
		LIBBPF_OPTS(bpf_link_create_opts, options, .iter_info = (void *)&task,
			    .iter_info_len = sizeof(task));

		r->links[i] = bpf_link_create(program, 0, BPF_TRACE_ITER, &options);
		if (r->links[i] < 0)
			return; /* it has ended, or this kernel cannot */
		r->nr_links = i + 1;
	}
}

static void close_links(struct rounds *r)
{
	for (uint32_t i = 0; i < r->nr_links; i++)
		close(r->links[i]);
	close(r->everywhere);
}

static void look_through(int link)
{
	int fd = bpf_iter_create(link);
	char byte;

	if (fd < 0)
		return;
	while (read(fd, &byte, 1) > 0)
		continue;
	close(fd);
}

static void look(const struct rounds *r, bool everywhere)
{
	for (uint32_t i = 0; i < r->nr_links && !everywhere; i++)
		look_through(r->links[i]);
	if (!r->nr_links || everywhere)
		look_through(r->everywhere);
}

/* Waits for the time of the next look, or the end. */
static void wait_until(struct rounds *r, nsec time)
{
	struct timespec at = { .tv_sec = time / NSEC_PER_SEC, .tv_nsec = time % NSEC_PER_SEC };

	while (!r->over && pthread_cond_timedwait(&r->wake, &r->lock, &at) == 0)
		continue;
}

static void look_unlocked(struct rounds *r)
{
	bool everywhere = *r->shared.children;

	pthread_mutex_unlock(&r->lock);
	look(r, everywhere);
	pthread_mutex_lock(&r->lock);
}

static void rounds_free(struct rounds *r)
{
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->wake);
	close_links(r);
	free(r);
}

static void *go_round(void *rounds)
{
	struct rounds *r = rounds;
	nsec last, now;
	bool left;

	pthread_setname_np(pthread_self(), "sonde-rounds");
	helper_hurry(-20); /* or its looks would be at moments that others choose */
	pthread_mutex_lock(&r->lock);
	*r->shared.is_first = 1;
	look_unlocked(r);
	*r->shared.is_first = 0;
	last = clock_now();
	for (;;) {
		wait_until(r, last + r->period / 2 + next_chance(r) % r->period);
		if (r->over)
			break;
		now = clock_now();
		*r->shared.weight = now - last;
		last = now;
		look_unlocked(r);
	}
	if (!r->left) {
		*r->shared.is_last = 1;
		look_unlocked(r);
	}
	left = r->left;
	pthread_mutex_unlock(&r->lock);
	if (left)
		rounds_free(r);
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
	code = helper_start(&r->thread, NULL, go_round, r);
	if (code) {
		pthread_mutex_destroy(&r->lock);
		pthread_cond_destroy(&r->wake);
	}
	return code;
}

int rounds_open(int program, unsigned hz, const uint32_t *pids, uint32_t count,
		struct rounds_shared shared, struct rounds **ret, struct error *err)
{
	struct rounds *r;
	int link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL), code;

	if (link < 0)
		return error_set(err, errno, "cannot look at threads that wait: %s",
				 strerror(errno));
	r = NEW(struct rounds);
	r->shared = shared;
	r->everywhere = link;
	open_links(r, program, pids, count);
	if (r->nr_links < count) /* one that is missing would not be seen */
		for (; r->nr_links; r->nr_links--)
			close(r->links[r->nr_links - 1]);
	r->period = NSEC_PER_SEC / hz;
	if (getrandom(&r->chance, sizeof(r->chance), GRND_NONBLOCK) < 0 || !r->chance)
		r->chance = clock_now() | 1;
	code = start(r);
	if (code) {
		close_links(r);
		free(r);
		return error_set(err, code, "cannot start a thread that looks at threads: %s",
				 strerror(code));
	}
	*ret = r;
	return 0;
}

void rounds_close(struct rounds *r)
{
	struct timespec until;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->over = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE;
	if (pthread_timedjoin_np(r->thread, NULL, &until) == 0) {
		rounds_free(r);
		return;
	}
	pthread_mutex_lock(&r->lock);
	r->left = true;
	pthread_mutex_unlock(&r->lock);
	pthread_detach(r->thread);
}
