/*
 * flight - a C++ program whose calls are left by exceptions, by the end of their
 * thread and by longjmp; destructors that run on the way call watched functions too.
 *
 *	throw	 through --depth frames of descend()
 *	plain	 as throw, and each other frame (hop) has nothing to clean up
 *	inside	 caught in the watched function that called
 *	rethrow	 caught on the way by again() and thrown again
 *	nested	 what cleans up throws and catches another one
 *	exit	 pthread_exit() in the innermost call
 *	cancel	 the thread is cancelled in it
 *	longjmp	 over frames of hop(), each time after an exception
 *
 * With --variant fiber it all happens on a coroutine's stack.
 */
extern "C" {
#include "stage.h"
}

#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <ucontext.h>
#include <unistd.h>

#define EVERY 5

namespace
{
enum way { RETURN, THROW, EXIT, LONGJMP };

struct count {
	const char *name;
	std::atomic<uint64_t> entries, ended[4];
};

struct count descents {
	"descend", {},
	{
	}
}, hops{ "hop", {}, {} }, mends{ "mend", {}, {} }, slips{ "slip", {}, {} },
	agains{ "again", {}, {} }, catchers{ "catcher", {}, {} };
struct count *const counts[] = { &descents, &hops, &mends, &slips, &agains, &catchers };

const stage *stage_of;
bool nested, mixed;
uint64_t caught;
std::atomic<bool> waits;
thread_local way leaving;
thread_local jmp_buf back;

void leave()
{
	if (leaving == THROW)
		throw std::runtime_error("out");
	if (leaving == LONGJMP)
		longjmp(back, 1);
	if (leaving != EXIT)
		return;
	if (!strcmp(stage_of->mode, "exit"))
		pthread_exit(nullptr);
	waits = true;
	for (;;)
		pause();
}
} // namespace

extern "C" KEPT void slip(bool falls)
{
	slips.entries++;
	slips.ended[falls ? THROW : RETURN]++;
	if (falls)
		throw std::logic_error("slipped");
}

/* What runs while others are left: it returns. */
extern "C" KEPT void mend()
{
	mends.entries++;
	spin(stage_of->work / 10);
	if (nested) {
		try {
			slip(true);
		} catch (const std::logic_error &) {
		}
	}
	mends.ended[RETURN]++;
}

namespace
{
class guard
{
      public:
	explicit guard(count &c) : c_(c)
	{
		c_.entries++;
	}
	~guard()
	{
		if (whole) {
			c_.ended[RETURN]++;
			return;
		}
		c_.ended[leaving]++;
		mend();
	}
	bool whole = false;

      private:
	count &c_;
};
} // namespace

extern "C" KEPT uint64_t descend(unsigned depth);

/* Nothing to clean up. */
extern "C" KEPT uint64_t hop(unsigned depth)
{
	uint64_t result;

	hops.entries++;
	if (leaving != RETURN)
		hops.ended[leaving]++;
	if (depth)
		result = leaving == LONGJMP ? hop(depth - 1) : descend(depth - 1);
	else
		leave();
	result = spin(stage_of->work);
	hops.ended[RETURN]++;
	return result;
}

extern "C" KEPT uint64_t descend(unsigned depth)
{
	guard g(descents);
	uint64_t result = 0;

	if (depth)
		result = mixed ? hop(depth - 1) : descend(depth - 1);
	else
		leave();
	result ^= spin(stage_of->work);
	g.whole = true;
	return result;
}

extern "C" KEPT uint64_t again(unsigned depth)
{
	guard g(agains);
	uint64_t result;

	try {
		result = descend(depth);
	} catch (...) {
		mend();
		slip(false);
		throw;
	}
	g.whole = true;
	return result;
}

extern "C" KEPT uint64_t catcher(unsigned depth)
{
	uint64_t result = 0;

	catchers.entries++;
	try {
		result = descend(depth);
	} catch (const std::exception &) {
		caught++;
	}
	spin(stage_of->work);
	catchers.ended[RETURN]++;
	return result;
}

namespace
{
void call_once(unsigned depth)
{
	if (!strcmp(stage_of->mode, "inside")) {
		catcher(depth);
		return;
	}
	try {
		if (!strcmp(stage_of->mode, "rethrow"))
			again(depth);
		else
			descend(depth);
	} catch (const std::exception &) {
		caught++;
	}
}

void *call_and_end(void *)
{
	leaving = EXIT;
	descend(stage_of->depth);
	return nullptr;
}

void end_thread()
{
	pthread_t id;

	waits = false;
	if (pthread_create(&id, nullptr, call_and_end, nullptr))
		exit(4);
	if (!strcmp(stage_of->mode, "cancel")) {
		while (!waits)
			usleep(100);
		pthread_cancel(id);
	}
	pthread_join(id, nullptr);
}

/* Cleans up when all watched calls are over. */
KEPT void unwatched()
{
	struct sweep {
		~sweep()
		{
			spin(stage_of->work / 10);
		}
	} sweep;

	descend(stage_of->depth);
}

void jump_out()
{
	leaving = THROW;
	try {
		unwatched();
	} catch (const std::exception &) {
		caught++;
	}
	leaving = LONGJMP;
	if (!setjmp(back))
		hop(stage_of->depth);
}

void run(way other)
{
	uint64_t next = stage_now();

	for (volatile unsigned i = 0; i < stage_of->calls; i++) {
		bool leaves = i % EVERY == 0;

		leaving = leaves && other != EXIT ? other : RETURN;
		if (leaves && other == EXIT)
			end_thread();
		else if (leaves && other == LONGJMP)
			jump_out();
		else
			call_once(stage_of->depth);
		stage_pace(&next, stage_of->rate);
	}
}

ucontext_t outside, fiber;

void run_way()
{
	run(!strcmp(stage_of->mode, "longjmp")					   ? LONGJMP
	    : !strcmp(stage_of->mode, "exit") || !strcmp(stage_of->mode, "cancel") ? EXIT
										   : THROW);
}

void run_in_fiber()
{
	const size_t size = 256 * 1024;

	if (getcontext(&fiber))
		exit(4);
	fiber.uc_stack.ss_sp = malloc(size);
	fiber.uc_stack.ss_size = size;
	fiber.uc_link = &outside;
	makecontext(&fiber, run_way, 0);
	swapcontext(&outside, &fiber);
	free(fiber.uc_stack.ss_sp);
}

void print()
{
	const char *between = "";

	std::printf("{\"mode\":\"%s\",\"caught\":%lu,\"functions\":{", stage_of->mode, caught);
	for (const count *c : counts) {
		std::printf("%s\"%s\":{\"entries\":%lu,\"return\":%lu,\"throw\":%lu,"
			    "\"exit\":%lu,\"longjmp\":%lu}",
			    between, c->name, c->entries.load(), c->ended[RETURN].load(),
			    c->ended[THROW].load(), c->ended[EXIT].load(),
			    c->ended[LONGJMP].load());
		between = ",";
	}
	std::printf("}}\n");
}
} // namespace

int main(int argc, char **argv)
{
	stage s{};

	s.mode = "throw";
	s.calls = 300;
	s.depth = 3;
	s.work = 2000;
	s.seconds = 30;
	stage_options(&s, argc, argv);
	stage_of = &s;
	nested = !strcmp(s.mode, "nested");
	mixed = !strcmp(s.mode, "plain") || nested;
	if (!strcmp(s.mode, "exit") || !strcmp(s.mode, "cancel"))
		end_thread(); /* the C library loads what it needs for that */
	for (count *c : counts) {
		c->entries = 0;
		for (auto &ended : c->ended)
			ended = 0;
	}
	stage_open(&s);
	if (s.variant && !strcmp(s.variant, "fiber"))
		run_in_fiber();
	else
		run_way();
	print();
	return 0;
}
