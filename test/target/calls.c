#include "calls.h"

#include <stdlib.h>
#include <string.h>

static const struct mode {
	const char *name;
	void (*run)(struct run *r);
	const char *functions[NR_COUNT];
	unsigned calls, depth;
	const char *help;
} modes[] = {
	{ "steady", run_steady, { "f_push" }, 2000, 0, "calls of three sizes, measured" },
	{ "threads", run_threads, { "f_push" }, 20000, 0, "each call in a thread of its own" },
	{ "recurse",
	  run_recurse,
	  { "fact" },
	  500,
	  10,
	  "fact(depth): depth + 1 entries a call" },
	{ "mutual", run_mutual, { "even", "odd" }, 500, 20, "even and odd call each other" },
	{ "nested", run_nested, { "outer", "middle", "inner" }, 500, 3, "three in each other" },
	{ "alone", run_alone, { "whole", "part" }, 4000, 0, "calls of eight calls, and alone" },
	{ "rare",
	  run_rare,
	  { "seldom" },
	  4000,
	  0,
	  "a millisecond of other work between calls" },
	{ "mixed", run_mixed, { "mix" }, 20000, 0, "one call in twenty is slower" },
	{ "planted",
	  run_planted,
	  { "serve" },
	  4000,
	  0,
	  "calls of seven functions, a cause planted" },
	{ "longjmp", run_longjmp, { "f_push" }, 500, 0, "every fifth call is jumped out of" },
	{ "exit", run_exit, { "f_push" }, 500, 0, "every fifth thread ends in the call" },
	{ "fork", run_fork, { "f_push" }, 50, 0, "forks in the call; the child returns too" },
	{ "exec", run_exec, { "f_push" }, 50, 0, "the last call becomes `after-exec`" },
	{ "after-exec", run_steady, { "f_push" }, 10, 0, "what exec becomes" },
	{ "signal", run_signal, { "f_push" }, 500, 0, "also from a handler on a sigaltstack" },
};

KEPT uint64_t f_push(struct call *c)
{
	uint64_t begin = stage_now(), result;

	atomic_fetch_add(&c->run->counts[0].entries, 1);
	result = spin(c->rounds / 2);
	if (c->inside)
		c->inside(c);
	result ^= spin(c->rounds - c->rounds / 2);
	atomic_fetch_add(&c->run->counts[0].returned, 1);
	c->nsec = stage_now() - begin;
	return result;
}

#ifdef __x86_64__
__asm__(".text\n"
	".globl f_mov\n"
	".type f_mov, @function\n"
	"f_mov:\n"
	"	mov %rdi, %rax\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	call f_push\n"
	"	pop %rbp\n"
	"	ret\n"
	".size f_mov, .-f_mov\n");
#else
KEPT uint64_t f_mov(struct call *c)
{
	return f_push(c) + 1;
}
#endif

static const struct mode *mode_find(const char *name)
{
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	fprintf(stderr,
		"usage: calls MODE [--calls N] [--depth N] [--threads N] [--rate N]\n"
		"             [--work ROUNDS] [--variant WORD] [--durations FILE] [--wait]\n");
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		fprintf(stderr, "  %-11s %s\n", modes[i].name, modes[i].help);
	exit(2);
}

static void count_print(const struct run *r, unsigned i)
{
	const struct count *c = &r->counts[i];

	printf("\"%s\":{\"entries\":%llu,\"returned\":%llu,\"longjmp\":%llu,\"exit\":%llu,"
	       "\"exec\":%llu,\"child\":%llu",
	       c->function, (unsigned long long)c->entries, (unsigned long long)c->returned,
	       (unsigned long long)c->longjmp, (unsigned long long)c->exit,
	       (unsigned long long)c->exec, (unsigned long long)c->child);
	if (r->alone[i])
		printf(",\"alone_ns\":%llu,\"watched_ns\":%llu,\"quick_ns\":%llu",
		       (unsigned long long)r->alone[i], (unsigned long long)r->watched[i],
		       (unsigned long long)r->quick[i]);
	putchar('}');
}

void run_print(struct run *r)
{
	printf("{\"mode\":\"%s\",\"calls\":%u,\"depth\":%u,\"threads\":%u,\"cleanups\":%llu",
	       r->stage->mode, r->stage->calls, r->stage->depth, r->stage->threads,
	       (unsigned long long)r->cleanups);
	if (r->durations.count) {
		durations_write(&r->durations, r->stage->durations);
		printf(",\"durations\":%u,", r->durations.count);
		durations_print(&r->durations, stdout);
	}
	if (r->least_watched)
		printf(",\"least_watched_ns\":%llu", (unsigned long long)r->least_watched);
	if (r->kinds[0])
		printf(",\"quick\":{\"calls\":%llu,\"nsec\":%llu},"
		       "\"slow\":{\"calls\":%llu,\"nsec\":%llu}",
		       (unsigned long long)r->kinds[0], (unsigned long long)r->kind_nsec[0],
		       (unsigned long long)r->kinds[1], (unsigned long long)r->kind_nsec[1]);
	if (r->cause)
		printf(",\"cause\":\"%s\"", r->cause);
	printf(",\"functions\":{");
	for (unsigned i = 0; i < NR_COUNT && r->counts[i].function; i++) {
		if (i)
			putchar(',');
		count_print(r, i);
	}
	printf("}}\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct stage stage = { .mode = "", .threads = 2, .work = 20000, .seconds = 20 };
	struct run run = { .stage = &stage };
	const struct mode *mode;

	stage_options(&stage, argc, argv);
	mode = mode_find(stage.mode);
	if (!stage.calls)
		stage.calls = mode->calls;
	if (!stage.depth)
		stage.depth = mode->depth;
	for (unsigned i = 0; i < NR_COUNT; i++)
		run.counts[i].function = mode->functions[i];
	if (mode->run == run_exit)
		prepare_exit();
	stage_open(&stage);
	mode->run(&run);
	run_print(&run);
	durations_done(&run.durations);
	return 0;
}
