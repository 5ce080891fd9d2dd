#include "elf/reader.h"

#include "base/array.h"
#include "base/helper.h"
#include "elf/symtab.h"

#include <pthread.h>
#include <time.h>

struct reader {
	pthread_mutex_t lock; /* of all */
	pthread_cond_t more, done;
	ARRAY(struct image *) queue; /* the first one is being read; ours */
	uint32_t users;		     /* who made it, and its thread */
	bool started, ended;
};

struct reader *reader_new(void)
{
	struct reader *r = NEW(struct reader);
	pthread_condattr_t attr;

	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->more, &attr);
	pthread_cond_init(&r->done, &attr);
	pthread_condattr_destroy(&attr);
	r->users = 1;
	return r;
}

/* With the lock held, which it gives up. */
static void leave(struct reader *r)
{
	bool last = --r->users == 0;

	pthread_mutex_unlock(&r->lock);
	if (!last)
		return;
	for (uint32_t i = 0; i < r->queue.count; i++)
		image_close(r->queue.at[i]);
	array_done(&r->queue);
	pthread_cond_destroy(&r->more);
	pthread_cond_destroy(&r->done);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->ended = true;
	pthread_cond_signal(&r->more);
	leave(r);
}

/* The first of the queue. */
static void read_one(struct reader *r)
{
	struct image *image = r->queue.at[0];

	pthread_mutex_unlock(&r->lock);
	image_symbols(image);
	pthread_mutex_lock(&r->lock);
	memmove(r->queue.at, r->queue.at + 1, --r->queue.count * sizeof(r->queue.at[0]));
	pthread_cond_broadcast(&r->done);
	image_close(image);
}

static void *run(void *context)
{
	struct reader *r = context;

	pthread_mutex_lock(&r->lock);
	while (!r->ended) {
		if (r->queue.count)
			read_one(r);
		else
			pthread_cond_wait(&r->more, &r->lock);
	}
	leave(r);
	return NULL;
}

/* With the lock held. */
static bool start(struct reader *r)
{
	pthread_attr_t attr;

	if (r->started)
		return true;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r->started = helper_start(&(pthread_t){ 0 }, &attr, run, r) == 0;
	pthread_attr_destroy(&attr);
	r->users += r->started;
	return r->started;
}

static bool is_queued(const struct reader *r, const struct image *image)
{
	for (uint32_t i = 0; i < r->queue.count; i++)
		if (r->queue.at[i] == image)
			return true;
	return false;
}

/* With the lock held.  False: it must be read here. */
static bool enqueue(struct reader *r, struct image *image)
{
	if (is_queued(r, image))
		return true;
	if (!start(r))
		return false;
	array_push(&r->queue, image_use(image));
	pthread_cond_signal(&r->more);
	return true;
}

bool reader_has(struct reader *r, struct image *image)
{
	return reader_wait(r, image, 0);
}

static struct timespec after(nsec time)
{
	nsec now = clock_now(), end = time < UINT64_MAX - now ? now + time : UINT64_MAX;

	return (struct timespec){ end / NSEC_PER_SEC, end % NSEC_PER_SEC };
}

bool reader_wait(struct reader *r, struct image *image, nsec time)
{
	struct timespec end = after(time);
	bool queued;

	if (image_symbols_are_read(image))
		return true;
	pthread_mutex_lock(&r->lock);
	queued = enqueue(r, image);
	while (queued && time && !image_symbols_are_read(image))
		if (pthread_cond_timedwait(&r->done, &r->lock, &end))
			break;
	pthread_mutex_unlock(&r->lock);
	if (!queued)
		image_symbols(image);
	return image_symbols_are_read(image);
}
