#include "source/gauge.h"

#include "base/clock.h"
#include "proc/maps.h"

#include <unistd.h>

#define BATCHES 7
#define CALLS 300
#define CALLS_STEPPED 30

int gauge_push(int x);
int gauge_push_again(int x);
int gauge_nop5(int x);
int gauge_mov(int x);

#if defined(__x86_64__)
#define FUNCTION(name, first)                                                        \
	".globl " name "\n.type " name ",@function\n.p2align 4\n" name ":\n\t" first \
	"\n\tpush %rbx\n\tmov %edi,%eax\n\tpop %rbx\n\tret\n.size " name ",.-" name "\n"

/* The nop must not cross a page: aligned. */
__asm__(".text\n" FUNCTION("gauge_push", "") FUNCTION("gauge_push_again", "")
		FUNCTION("gauge_nop5", ".byte 0x0f,0x1f,0x44,0x00,0x00")
			FUNCTION("gauge_mov", "mov %edi,%eax"));
#else
#define FUNCTION(name)                             \
	__attribute__((noinline)) int name(int x)  \
	{                                          \
		__asm__ volatile("" ::: "memory"); \
		return x;                          \
	}
FUNCTION(gauge_push)
FUNCTION(gauge_push_again)
FUNCTION(gauge_nop5)
FUNCTION(gauge_mov)
#endif

/* The least of several batches: what disturbs a batch only adds. */
static double call_nsec(int (*call)(int), int calls)
{
	volatile int x = call(0);
	nsec best = UINT64_MAX;

	for (int b = 0; b < BATCHES; b++) {
		nsec t = clock_now();

		for (int i = 0; i < calls; i++)
			x = call(x);
		t = clock_now() - t;
		best = t < best ? t : best;
	}
	return (double)best / calls;
}

static bool own_offset(const struct maps *maps, int (*call)(int), uint64_t *ret)
{
	uint64_t address = (uintptr_t)call;
	const struct map *map = maps_find(maps, address);

	if (!map || map->kind != MAP_KIND_FILE)
		return false;
	*ret = address - map->start + map->offset;
	return true;
}

double gauge_watched(struct attach_links *links, enum attach_kind kind,
		     const struct attach_programs *programs, enum gauge which)
{
	static int (*const functions[])(int) = { gauge_push, gauge_push_again, gauge_nop5,
						 gauge_mov };
	int (*call)(int) = functions[which];
	int calls = which == GAUGE_MOV ? CALLS_STEPPED : CALLS;
	struct maps maps = { 0 };
	uint64_t offset, cookie = 0;
	struct attach_sites sites = { "/proc/self/exe", getpid(), &offset, &cookie, 1 };
	double alone = call_nsec(call, CALLS), more = 0;

	if (!maps_read(getpid(), &maps, NULL) && own_offset(&maps, call, &offset) &&
	    !attach_add(links, kind, programs, &sites, NULL))
		more = call_nsec(call, calls) - alone;
	maps_done(&maps);
	return more > 0 ? more : 0;
}
