#include "source/gauge.h"

#include "base/clock.h"
#include "proc/maps.h"
#include "wire/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCHES 7
#define CALLS 300
#define CALLS_STEPPED 30
#define CALLS_AGAIN 5 /* the part of them that is enough later */

int gauge_push(int x);
int gauge_nop5(int x);
int gauge_mov(int x);
int gauge_exit_jmp(int x);
int gauge_exit_ret(int x);
int gauge_mov_jmp(int x);

#if defined(__x86_64__)
#define FUNCTION(name, first, last)                                                   \
	__asm__(".text\n.globl " name "\n.type " name ",@function\n.p2align 4\n" name \
		":\n\t" first "\n\tpush %rbx\n\tmov %edi,%eax\n\tpop %rbx\n" name     \
		"_end:\n\t" last "ret\n.size " name ",.-" name "\n")

/* The nop must not cross a page: aligned. */
FUNCTION("gauge_push", "", "");
FUNCTION("gauge_nop5", ".byte 0x0f,0x1f,0x44,0x00,0x00", "");
FUNCTION("gauge_mov", "mov %edi,%eax", "");
FUNCTION("gauge_exit_jmp", "", "jmp 1f\n1:\t");
FUNCTION("gauge_exit_ret", "", "");
FUNCTION("gauge_mov_jmp", "mov %edi,%eax", "jmp 1f\n1:\t");
extern const char gauge_exit_jmp_end[], gauge_exit_ret_end[], gauge_mov_jmp_end[];
#else
#define FUNCTION(name)                             \
	__attribute__((noinline)) int name(int x)  \
	{                                          \
		__asm__ volatile("" ::: "memory"); \
		return x;                          \
	}
FUNCTION(gauge_push)
FUNCTION(gauge_nop5)
FUNCTION(gauge_mov)
FUNCTION(gauge_exit_jmp)
FUNCTION(gauge_exit_ret)
FUNCTION(gauge_mov_jmp)
#define gauge_exit_jmp_end NULL
#define gauge_exit_ret_end NULL
#define gauge_mov_jmp_end NULL
#endif

struct gauge_function {
	int (*call)(int);
	const char *exit; /* of one that ends by a plain site */
	int calls;	  /* in a batch */
	bool plain;
};

/* What a call takes, of so many. */
static double call_batch(int (*call)(int), int calls)
{
	double t = clock_now();
	volatile int x = 0;

	for (int i = 0; i < calls; i++)
		x = call(x);
	return (clock_now() - t) / calls;
}

static double call_alone(int (*call)(int), int calls)
{
	double least = call_batch(call, calls);

	for (int i = 1; i < BATCHES; i++)
		least = fmin(least, call_batch(call, calls));
	return least;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, unsigned count)
{
	double sorted[GAUGE_BATCHES];

	memcpy(sorted, values, count * sizeof(*values));
	qsort(sorted, count, sizeof(*sorted), by_size);
	return sorted[count / 2];
}

static bool own_offset(const struct maps *maps, uintptr_t address, uint64_t *ret)
{
	const struct map *map = maps_find(maps, address);

	if (!map || map->kind != MAP_KIND_FILE)
		return false;
	*ret = address - map->start + map->offset;
	return true;
}

/* The exit comes first, so that no call is opened that cannot end. */
static bool own_sites(const struct gauge_function *f, uint64_t *offsets)
{
	struct maps maps = { 0 };
	bool found = (f->exit || !f->plain) && !maps_read(getpid(), &maps, NULL) &&
		     own_offset(&maps, (uintptr_t)f->call, &offsets[f->plain]) &&
		     (!f->plain || own_offset(&maps, (uintptr_t)f->exit, &offsets[0]));

	maps_done(&maps);
	return found;
}

static const struct gauge_function functions[NR_GAUGE] = {
	[GAUGE_PUSH] = { gauge_push, NULL, CALLS },
	[GAUGE_NOP5] = { gauge_nop5, NULL, CALLS },
	[GAUGE_MOV] = { gauge_mov, NULL, CALLS_STEPPED },
	[GAUGE_EXIT_JMP] = { gauge_exit_jmp, gauge_exit_jmp_end, CALLS, true },
	[GAUGE_EXIT_RET] = { gauge_exit_ret, gauge_exit_ret_end, CALLS_STEPPED, true },
	[GAUGE_MOV_JMP] = { gauge_mov_jmp, gauge_mov_jmp_end, CALLS_STEPPED, true },
};

static void call_watched(struct gauge_trial *t, int calls)
{
	unsigned i = t->batches++ % GAUGE_BATCHES;
	uint64_t measured = t->sum ? *t->sum : 0;
	double whole = call_batch(functions[t->which].call, calls);

	t->more = fmax(fmin(t->more, whole - t->alone), 0);
	t->measured_of[i] = t->sum ? (double)(*t->sum - measured) / calls : 0;
	t->measured =
		median(t->measured_of, t->batches < GAUGE_BATCHES ? t->batches : GAUGE_BATCHES);
}

void gauge_watch(struct attach_links *links, enum attach_kind kind,
		 const struct attach_programs *programs, enum gauge which,
		 const volatile __u64 *sum, struct gauge_trial *ret)
{
	static const uint64_t hook[] = { 0 };
	static const uint64_t plain[] = { COOKIE(0, SITE_EXIT, 0, RULE_ENTRY),
					  COOKIE(0, SITE_ENTRY, 0, RULE_ENTRY) };
	const struct gauge_function *f = &functions[which];
	uint64_t offsets[2];
	struct attach_sites sites = {
		.path = "/proc/self/exe",
		.pid = getpid(),
		.offsets = offsets,
		.cookies = f->plain ? plain : hook,
		.count = f->plain ? 2 : 1,
		.plain = f->plain,
	};

	*ret = (struct gauge_trial){ .which = which, .sum = sum };
	if (!own_sites(f, offsets))
		return;
	ret->alone = call_alone(f->call, CALLS);
	if (attach_add(links, kind, programs, &sites, NULL))
		return;
	(void)f->call(0); /* gives it a page of its own */
	ret->more = INFINITY;
	for (int i = 0; i < BATCHES; i++)
		call_watched(ret, f->calls);
}

void gauge_again(struct gauge_trial *t)
{
	int calls = functions[t->which].calls / CALLS_AGAIN;

	if (!t->batches)
		return;
	(void)call_batch(functions[t->which].call, calls); /* after a while all is cold */
	call_watched(t, calls);
}
