/*
 * backend - a server whose slow requests are slow for four reasons.
 *
 * handle_request() takes half a millisecond; one of 21 takes --work nanoseconds more: for want
 * of a lock ("refresher" has it, in rebuild_cache), as it computes more, as it sleeps, or as it
 * writes to a disk, each as often as the others.  --variant is a list of these (lock, compute,
 * sleep, disk); without, it is all.  It prints how many requests there were and were slow,
 * their nanoseconds, and by reason those of the slow ones, measured around the place where each
 * takes its time.
 */
extern "C" {
#include "stage.h"
}

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

std::mutex cache_mu;

enum reason { LOCK, COMPUTE, SLEEP, DISK, NR_REASON, NONE };

namespace
{
#define ORDINARY 500000 /* rounds of spin() in one */
#define SLOW_ONE_OF 21

const char *const reason_names[NR_REASON] = { "lock", "compute", "sleep", "disk" };

uint64_t spent[NR_REASON]; /* nanoseconds, in slow requests */
uint64_t length;	   /* nanoseconds of a reason */
int log_file = -1;
sem_t asked, held;

void pause_for(uint64_t nsec)
{
	std::this_thread::sleep_for(std::chrono::nanoseconds(nsec));
}

class timer
{
      public:
	explicit timer(enum reason now, enum reason of) : to_(now == of ? &spent[of] : nullptr)
	{
	}
	~timer()
	{
		if (to_)
			*to_ += stage_now() - began_;
	}

      private:
	uint64_t *to_, began_ = stage_now();
};
} // namespace

KEPT void rebuild_cache()
{
	std::lock_guard<std::mutex> guard(cache_mu);

	sem_post(&held);
	pause_for(length);
}

static void refresh()
{
	pthread_setname_np(pthread_self(), "refresher");
	for (;;) {
		sem_wait(&asked);
		rebuild_cache();
	}
}

/* By now the refresher has the lock. */
static void have_it_refreshed()
{
	sem_post(&asked);
	while (sem_trywait(&held)) /* not asleep: that would be another reason */
		continue;
}

KEPT void find_in_cache(enum reason why)
{
	if (why == LOCK)
		have_it_refreshed();
	timer t(why, LOCK);
	std::lock_guard<std::mutex> guard(cache_mu);
	spin(ORDINARY / 50);
}

KEPT void expand_macros(enum reason why)
{
	timer t(why, COMPUTE);
	uint64_t until = stage_now() + length;

	spin(ORDINARY / 5);
	while (why == COMPUTE && stage_now() < until)
		spin(1000);
}

KEPT void render_page(enum reason why)
{
	spin(ORDINARY / 2);
	expand_macros(why);
}

KEPT void throttle(enum reason why)
{
	timer t(why, SLEEP);

	if (why == SLEEP)
		pause_for(length);
}

KEPT void write_log(enum reason why)
{
	static char block[1 << 16];
	timer t(why, DISK);

	if (why != DISK)
		return;
	for (uint64_t until = stage_now() + length; stage_now() < until;) {
		memset(block, (int)until, sizeof(block));
		if (pwrite(log_file, block, sizeof(block), 0) < 0 || fdatasync(log_file))
			exit(4);
	}
}

KEPT void handle_request(enum reason why)
{
	spin(ORDINARY / 5);
	find_in_cache(why);
	throttle(why);
	render_page(why);
	write_log(why);
}

int main(int argc, char **argv)
{
	stage s{};
	uint64_t state = 88172645463325252ull, all = 0, slow_nsec = 0;
	enum reason chosen[NR_REASON];
	unsigned count = 0, slow = 0;
	char path[] = "backend-XXXXXX";

	s.mode = "";
	s.calls = 4000;
	s.work = 5000000;
	s.seconds = 60;
	stage_options(&s, argc, argv);
	length = s.work;
	for (unsigned i = 0; i < NR_REASON; i++)
		if (!s.variant || strstr(s.variant, reason_names[i]))
			chosen[count++] = (enum reason)i;
	if (!count) {
		fprintf(stderr, "backend: --variant is a list of reasons, as in lock,disk\n");
		return 2;
	}
	sem_init(&asked, 0, 0);
	sem_init(&held, 0, 0);
	log_file = mkstemp(path);
	if (log_file >= 0)
		unlink(path);
	std::thread(refresh).detach();
	stage_open(&s);
	uint64_t next = stage_now();
	for (unsigned i = 0; i < s.calls; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		/* in turn, where chance has it: as often as each other */
		bool is_slow = state % SLOW_ONE_OF == 0;
		enum reason why = is_slow ? chosen[slow % count] : NONE;
		uint64_t began = stage_now();

		handle_request(why);
		uint64_t took = stage_now() - began;
		all += took;
		slow += is_slow;
		slow_nsec += is_slow ? took : 0;
		if (s.rate)
			stage_pace(&next, s.rate);
	}
	printf("{\"calls\":%u,\"slow\":%u,\"ns\":%llu,\"slow_ns\":%llu,\"cpu_ns\":%llu",
	       s.calls, slow, (unsigned long long)all, (unsigned long long)slow_nsec,
	       (unsigned long long)stage_cpu());
	for (unsigned i = 0; i < NR_REASON; i++)
		printf(",\"%s\":%llu", reason_names[i], (unsigned long long)spent[i]);
	printf("}\n");
	fflush(stdout);
	_exit(0);
}
