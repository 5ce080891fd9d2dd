/*
 * altstack - a signal handler on a stack of its own, above or below the stack of
 * the thread it interrupts (--variant high, low), calls the watched function
 * while the thread is in it.
 */
#include "calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STACK_SIZE (256 * 1024)

/* A handler gets no argument of ours. */
static _Thread_local struct run *handled;

static void on_signal(int number)
{
	struct call call = { .run = handled, .rounds = handled->stage->work / 4 };

	f_push(&call);
}

static void interrupt(struct call *c)
{
	pthread_kill(pthread_self(), SIGUSR1);
}

struct interrupted {
	struct run *run;
	void *altstack;
};

static void *call_interrupted(void *context)
{
	struct interrupted *t = context;
	stack_t stack = { .ss_sp = t->altstack, .ss_size = STACK_SIZE };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	handled = t->run;
	if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL))
		exit(4);
	for (unsigned i = 0; i < t->run->stage->calls; i++) {
		struct call call = { .run = t->run,
				     .rounds = t->run->stage->work,
				     .inside = interrupt };

		f_push(&call);
	}
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	return NULL;
}

void run_signal(struct run *r)
{
	bool high = !r->stage->variant || !strcmp(r->stage->variant, "high");
	char *both = mmap(NULL, 2 * STACK_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct interrupted t = { .run = r, .altstack = high ? both + STACK_SIZE : both };
	pthread_attr_t attributes;
	pthread_t id;

	if (both == MAP_FAILED || pthread_attr_init(&attributes) ||
	    pthread_attr_setstack(&attributes, high ? both : both + STACK_SIZE, STACK_SIZE) ||
	    pthread_create(&id, &attributes, call_interrupted, &t))
		exit(4);
	pthread_join(id, NULL);
	pthread_attr_destroy(&attributes);
	munmap(both, 2 * STACK_SIZE);
}
