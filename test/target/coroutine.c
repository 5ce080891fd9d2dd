/*
 * coroutine - two coroutines on stacks of their own that take turns in the
 * middle of a watched function: returns come in another order than entries.
 */
#include "stage.h"

#include <stdlib.h>
#include <ucontext.h>

#define STACK_SIZE (256 * 1024)

struct turn {
	ucontext_t scheduler, self[2];
	const struct stage *stage;
	uint64_t entries, returned, sum[2];
	int running;
};

KEPT uint64_t step(struct turn *t, int which, uint64_t value);

KEPT uint64_t step(struct turn *t, int which, uint64_t value)
{
	t->entries++;
	spin(t->stage->work);
	swapcontext(&t->self[which], &t->self[!which]);
	spin(t->stage->work / 2);
	t->returned++;
	return value * 2 + (uint64_t)which;
}

static void coroutine(unsigned high, unsigned low, int which)
{
	struct turn *t = (struct turn *)((uintptr_t)high << 32 | low);

	for (unsigned i = 0; i < t->stage->calls; i++)
		t->sum[which] += step(t, which, i);
	t->running--;
	/* Let the other one end too; the last goes back by uc_link. */
	if (t->running)
		swapcontext(&t->self[which], &t->self[!which]);
}

static void turn_add(struct turn *t, int which)
{
	ucontext_t *c = &t->self[which];
	uintptr_t self = (uintptr_t)t;

	if (getcontext(c))
		exit(4);
	c->uc_stack.ss_sp = malloc(STACK_SIZE);
	c->uc_stack.ss_size = STACK_SIZE;
	c->uc_link = &t->scheduler;
	makecontext(c, (void (*)(void))coroutine, 3, (unsigned)(self >> 32), (unsigned)self,
		    which);
	t->running++;
}

int main(int argc, char **argv)
{
	struct stage stage = { .mode = "", .calls = 500, .work = 20000, .seconds = 20 };
	struct turn turn = { .stage = &stage };

	stage_options(&stage, argc, argv);
	stage_open(&stage);
	turn_add(&turn, 0);
	turn_add(&turn, 1);
	swapcontext(&turn.scheduler, &turn.self[0]);
	printf("{\"mode\":\"coroutine\",\"entries\":%llu,\"returned\":%llu,\"sums\":[%llu,%llu]}\n",
	       (unsigned long long)turn.entries, (unsigned long long)turn.returned,
	       (unsigned long long)turn.sum[0], (unsigned long long)turn.sum[1]);
	free(turn.self[0].uc_stack.ss_sp);
	free(turn.self[1].uc_stack.ss_sp);
	return 0;
}
