#include "base/notice.h"

#include "base/clock.h"
#include "base/helper.h"
#include "base/log.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* One at a time, as there is one line for it. */
static struct {
	pthread_mutex_t lock; /* of ended */
	pthread_cond_t end;
	bool ended;
	unsigned depth;
	bool runs;
	pthread_t thread;
	const char *what;
	uint64_t shown; /* progress lines, when it began and by it */
} notice = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* False: it is over. */
static bool wait_until(nsec time)
{
	struct timespec end = { time / NSEC_PER_SEC, time % NSEC_PER_SEC };
	int code = 0;

	while (!notice.ended && !code)
		code = pthread_cond_timedwait(&notice.end, &notice.lock, &end);
	return !notice.ended;
}

static void *show(void *context)
{
	nsec began = clock_now();

	pthread_mutex_lock(&notice.lock);
	for (unsigned i = 1; wait_until(began + i * NSEC_PER_SEC); i++) {
		if (log_progress_count() != notice.shown)
			break;
		log_progress("%s ... %u s", notice.what, i);
		notice.shown = log_progress_count();
	}
	pthread_mutex_unlock(&notice.lock);
	return NULL;
}

static void start(void)
{
	pthread_condattr_t attr;

	notice.ended = false;
	notice.shown = log_progress_count();
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&notice.end, &attr);
	pthread_condattr_destroy(&attr);
	notice.runs = helper_start(&notice.thread, NULL, show, NULL) == 0;
}

void notice_begin(const char *what)
{
	if (notice.depth++ || !log_shows_progress())
		return;
	notice.what = what;
	start();
}

void notice_end(void)
{
	if (--notice.depth || !notice.runs)
		return;
	pthread_mutex_lock(&notice.lock);
	notice.ended = true;
	pthread_cond_signal(&notice.end);
	pthread_mutex_unlock(&notice.lock);
	pthread_join(notice.thread, NULL);
	pthread_cond_destroy(&notice.end);
	notice.runs = false;
	log_progress_done();
}
