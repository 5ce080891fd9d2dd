/*
 * scene_stacks - calls that leave the stack they began on, and signal handlers that
 * interrupt them, on a stack of their own or not, and do not always come back.
 */
#include "scene.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_SIZE (128 * 1024)
#define CONTEXTS 3

/* ------------------------------------------------------------------ coroutines */

static ucontext_t scheduler, contexts[CONTEXTS];
static unsigned left[CONTEXTS];
static uint64_t sums[CONTEXTS];

/* Others run in its middle, in the middle of the same function. */
KEPT uint64_t w_ucontext(unsigned which, uint64_t value);
KEPT uint64_t w_ucontext(unsigned which, uint64_t value)
{
	scene_entered();
	swapcontext(&contexts[which], &scheduler);
	return value * 7 + which;
}

static void context_run(int which)
{
	for (left[which] = 3; left[which]; left[which]--)
		sums[which] += w_ucontext((unsigned)which, left[which]);
}

static void play_ucontext(unsigned round)
{
	static char stacks[CONTEXTS][STACK_SIZE];

	for (int i = 0; i < CONTEXTS; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = STACK_SIZE;
		contexts[i].uc_link = &scheduler;
		sums[i] = round;
		left[i] = 1;
		makecontext(&contexts[i], (void (*)(void))context_run, 1, i);
	}
	for (int running = CONTEXTS; running;) {
		running = 0;
		for (int i = 0; i < CONTEXTS; i++) {
			if (!left[i])
				continue;
			swapcontext(&scheduler, &contexts[i]);
			running += left[i] > 0;
		}
	}
	for (int i = 0; i < CONTEXTS; i++)
		printf(" %llx", (unsigned long long)sums[i]);
}

/* -------------------------------------------------------------------- handlers */

static sigjmp_buf left_to;
static unsigned handled;
static uint64_t answered;

static void handler_set(int number, void (*handler)(int), char *stack)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = stack ? SA_ONSTACK : 0 };
	stack_t alternative = { .ss_sp = stack,
				.ss_size = STACK_SIZE,
				.ss_flags = stack ? 0 : SS_DISABLE };

	if (sigaltstack(&alternative, NULL) || sigaction(number, &action, NULL))
		exit(4);
}

KEPT uint64_t w_signal(uint64_t value, bool interrupted);
KEPT uint64_t w_signal(uint64_t value, bool interrupted)
{
	scene_entered();
	if (interrupted)
		raise(SIGUSR1);
	return value * 3 + 1;
}

static void on_signal(int number)
{
	handled++;
	answered += w_signal(handled, false);
}

/* Goes on where left_to was set, over the call it interrupted and one of its own. */
KEPT uint64_t w_signal_left(unsigned depth);
KEPT uint64_t w_signal_left(unsigned depth)
{
	uint64_t value;

	scene_entered();
	if (depth) {
		value = w_signal_left(depth - 1);
		SCENE_STAYS(value);
		return value + 1;
	}
	if (handled)
		siglongjmp(left_to, 1);
	return 0;
}

static void on_signal_leave(int number)
{
	handled++;
	answered += w_signal_left(2);
}

KEPT uint64_t w_signal_fault(volatile uint64_t *at);
KEPT uint64_t w_signal_fault(volatile uint64_t *at)
{
	scene_entered();
	return *at + 1;
}

/* Where a handler runs: on the stack it interrupts, or on one of its own that lies
 * above or below it. */
enum where { SAME, ABOVE, BELOW };

struct interruption {
	unsigned round;
	enum where where;
	bool leaves;
	char *stacks; /* three: below, the thread's own, above */
};

static void *interrupted_run(void *context)
{
	const struct interruption *n = context;
	char *stack = n->where == SAME	  ? NULL
		      : n->where == BELOW ? n->stacks
					  : n->stacks + 2 * STACK_SIZE;

	if (!n->leaves) {
		handler_set(SIGUSR1, on_signal, stack);
		printf(" %llx", (unsigned long long)w_signal(n->round, true));
	} else {
		handler_set(SIGUSR1, on_signal_leave, stack);
		handler_set(SIGSEGV, on_signal_leave, stack);
		if (!sigsetjmp(left_to, 1))
			printf(" %llx", (unsigned long long)w_signal(n->round, true));
		if (!sigsetjmp(left_to, 1))
			printf(" %llx", (unsigned long long)w_signal_fault(NULL));
		handler_set(SIGSEGV, SIG_DFL, NULL);
	}
	handler_set(SIGUSR1, SIG_DFL, NULL);
	printf(" %u %llx", handled, (unsigned long long)answered);
	return NULL;
}

static void interrupt(unsigned round, enum where where, bool leaves)
{
	static char *stacks;
	struct interruption n = { .round = round, .where = where, .leaves = leaves };
	pthread_attr_t attributes;
	pthread_t thread;

	if (!stacks)
		stacks = mmap(NULL, 3 * STACK_SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stacks == MAP_FAILED)
		exit(4);
	n.stacks = stacks;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stacks + STACK_SIZE, STACK_SIZE);
	if (pthread_create(&thread, &attributes, interrupted_run, &n))
		exit(4);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}

static void play_signal(unsigned round)
{
	interrupt(round, SAME, false);
}

static void play_signal_above(unsigned round)
{
	interrupt(round, ABOVE, false);
}

static void play_signal_below(unsigned round)
{
	interrupt(round, BELOW, false);
}

static void play_signal_left(unsigned round)
{
	interrupt(round, SAME, true);
}

static void play_signal_left_above(unsigned round)
{
	interrupt(round, ABOVE, true);
}

static void play_signal_left_below(unsigned round)
{
	interrupt(round, BELOW, true);
}

static const struct scene scenes[] = {
	{ "ucontext", play_ucontext, 0 },
	{ "signal", play_signal, 0 },
	{ "signal_above", play_signal_above, 0 },
	{ "signal_below", play_signal_below, 0 },
	{ "signal_left", play_signal_left, 0 },
	{ "signal_left_above", play_signal_left_above, 0 },
	{ "signal_left_below", play_signal_left_below, 0 },
	{ 0 },
};

int main(int argc, char **argv)
{
	return scene_main(argc, argv, scenes);
}
