#include "base/crew.h"

#include "base/array.h"
#include "base/helper.h"

#include <pthread.h>
#include <stdbool.h>

struct job {
	void (*run)(void *);
	void *context;
};

struct jobs {
	ARRAY(struct job);
	uint32_t done; /* of them; less than half */
};

struct crew {
	uint32_t most, patient;

	pthread_mutex_t lock; /* of what follows */
	struct jobs now, later;
	ARRAY(pthread_t) threads;
	uint32_t idle, running_later;
	bool ending; /* threads go home when nothing is left */
	pthread_cond_t more;
};

struct crew *crew_new(uint32_t threads, uint32_t patient)
{
	struct crew *c = NEW(struct crew);

	c->most = threads;
	c->patient = patient;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->more, NULL);
	return c;
}

/* With the lock held, here and below. */
static bool take(struct jobs *from, struct job *job)
{
	if (from->done == from->count)
		return false;
	*job = from->at[from->done++];
	if (from->done >= from->count - from->done) {
		from->count -= from->done;
		memmove(from->at, from->at + from->done, from->count * sizeof(*job));
		from->done = 0;
	}
	return true;
}

static bool work(struct crew *c)
{
	struct job job;
	bool later = false;

	if (!take(&c->now, &job)) {
		if (c->running_later >= c->patient || !take(&c->later, &job))
			return false;
		later = true;
	}
	c->running_later += later;
	pthread_mutex_unlock(&c->lock);
	job.run(job.context);
	pthread_mutex_lock(&c->lock);
	c->running_later -= later;
	return true;
}

static void *thread(void *context)
{
	struct crew *c = context;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		if (work(c))
			continue;
		if (c->ending)
			break;
		c->idle++;
		pthread_cond_wait(&c->more, &c->lock);
		c->idle--;
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

static uint32_t waiting(const struct crew *c)
{
	return c->now.count - c->now.done + c->later.count - c->later.done;
}

static void give(struct crew *c, struct jobs *to, struct job job)
{
	pthread_mutex_lock(&c->lock);
	array_push(to, job);
	if (c->idle < waiting(c) && c->threads.count < c->most) {
		pthread_t *t = array_add(&c->threads);

		if (helper_start(t, NULL, thread, c))
			c->threads.count--;
	}
	if (c->threads.count)
		pthread_cond_signal(&c->more);
	else
		work(c);
	pthread_mutex_unlock(&c->lock);
}

void crew_do(struct crew *c, void (*job)(void *), void *context)
{
	give(c, &c->now, (struct job){ job, context });
}

void crew_do_later(struct crew *c, void (*job)(void *), void *context)
{
	give(c, &c->later, (struct job){ job, context });
}

void crew_finish(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->ending = true;
	pthread_cond_broadcast(&c->more);
	/* a job that is still running may give more, and that may make a thread */
	while (c->threads.count) {
		pthread_t t = c->threads.at[--c->threads.count];

		pthread_mutex_unlock(&c->lock);
		pthread_join(t, NULL);
		pthread_mutex_lock(&c->lock);
	}
	c->ending = false;
	pthread_mutex_unlock(&c->lock);
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	crew_finish(c);
	array_done(&c->now);
	array_done(&c->later);
	array_done(&c->threads);
	pthread_cond_destroy(&c->more);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
