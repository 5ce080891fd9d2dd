/*
 * cost - what a watched call costs here, on functions of our own.
 */
#include "source/calibrate.h"

#include "base/clock.h"
#include "base/mem.h"
#include "proc/maps.h"
#include "source/attach.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <unistd.h>

#define BATCHES 7
#define CALLS 300
#define CALLS_STEPPED 30
#define TRACE_UPROBE_MULTI 48
#define TRACE_UPROBE_SESSION 57

int cost_call_push(int x);
int cost_call_hook(int x);
int cost_call_nop5(int x);
int cost_call_mov(int x);

#if defined(__x86_64__)
#define FUNCTION(name, first)                                                        \
	".globl " name "\n.type " name ",@function\n.p2align 4\n" name ":\n\t" first \
	"\n\tpush %rbx\n\tmov %edi,%eax\n\tpop %rbx\n\tret\n.size " name ",.-" name "\n"

/* The nop must not cross a page: aligned. */
__asm__(".text\n" FUNCTION("cost_call_push", "") FUNCTION("cost_call_hook", "")
		FUNCTION("cost_call_nop5", ".byte 0x0f,0x1f,0x44,0x00,0x00")
			FUNCTION("cost_call_mov", "mov %edi,%eax"));
#else
#define FUNCTION(name)                             \
	__attribute__((noinline)) int name(int x)  \
	{                                          \
		__asm__ volatile("" ::: "memory"); \
		return x;                          \
	}
FUNCTION(cost_call_push)
FUNCTION(cost_call_hook)
FUNCTION(cost_call_nop5)
FUNCTION(cost_call_mov)
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

/* r0 = result; exit.  An entry program of a session that returns 1 asks for no
 * hook of the return. */
static int load_result(unsigned attach_type, int result)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = result },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = attach_type);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "sonde_cost", "GPL", program, 2, &options);
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

/* Nanoseconds a call takes more when it is watched; 0 = it cannot be. */
static double watched_nsec(struct attach_links *links, enum attach_kind kind, int program,
			   int (*call)(int), int calls)
{
	struct attach_programs programs = { program, program, program };
	struct maps maps = { 0 };
	uint64_t offset, cookie = 0;
	struct attach_sites sites = { "/proc/self/exe", getpid(), &offset, &cookie, 1 };
	double alone = call_nsec(call, CALLS), more = 0;

	if (!maps_read(getpid(), &maps, NULL) && own_offset(&maps, call, &offset) &&
	    !attach_add(links, kind, &programs, &sites, NULL))
		more = call_nsec(call, calls) - alone;
	maps_done(&maps);
	return more > 0 ? more : 0;
}

static void measure(const struct kernel_support *support, struct attach_links *links,
		    struct cost *ret)
{
	enum attach_kind kind = support->uprobe_session ? ATTACH_SESSION
				: support->uprobe_multi ? ATTACH_MULTI
							: ATTACH_PERF;
	unsigned type = kind == ATTACH_SESSION ? TRACE_UPROBE_SESSION
			: kind == ATTACH_MULTI ? TRACE_UPROBE_MULTI
					       : 0;
	AUTO_CLOSE int entry = load_result(type, kind == ATTACH_SESSION);
	AUTO_CLOSE int both = load_result(type, 0);

	if (entry < 0 || both < 0)
		return;
	ret->emulated = watched_nsec(links, kind, entry, cost_call_push, CALLS);
	ret->nop5 = watched_nsec(links, kind, entry, cost_call_nop5, CALLS);
	ret->stepped = watched_nsec(links, kind, entry, cost_call_mov, CALLS_STEPPED);
	/* the other kinds of links always see the return: it is in the above */
	if (kind == ATTACH_SESSION && ret->emulated > 0)
		ret->hook =
			watched_nsec(links, kind, both, cost_call_hook, CALLS) - ret->emulated;
	if (ret->hook < 0)
		ret->hook = 0;
}

void cost_measure(const struct kernel_support *support, struct cost *ret)
{
	struct attach_links links = { 0 };

	*ret = (struct cost){ 0 };
	if (support->load_bpf)
		measure(support, &links, ret);
	attach_done(&links);
}
