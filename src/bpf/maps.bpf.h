/*
 * maps - what the programs share: the target, the ring, the counters, and the
 * state of each thread.
 */
#ifndef SONDE_BPF_MAPS_BPF_H
#define SONDE_BPF_MAPS_BPF_H

#include "bpf/kernel.h"
#include "wire/control.h"
#include "wire/name_rule.h"

#include <asm/ptrace.h>
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define SPAN_SAMPLED 1u /* a tick fell into it */
#define SPAN_HOOKED 2u	/* the kernel has hooked its return */
#define SPAN_FOLLOWS 4u /* may go on in a function that it jumps to */
/* A foreign call: it is being taken away; any other, in PHASE_CLOSING: it is counted. */
#define SPAN_ENDED 8u
#define SPAN_BRACKET 16u /* no probe sees it end */
#define SPAN_STEPPED 32u /* the instruction at its entry is single-stepped */

struct open_span {
	__u64 id;
	__u64 began;
	__u64 slot;    /* where its return address lies on the user stack */
	__u64 entry;   /* the address of the probe that opened it */
	__u64 ra;      /* what lay in the slot, if it is hooked, follows or is bracketed: where
			  the caller goes on */
	__u64 seen;    /* if it is bracketed: when it was last known to be open */
	__u64 ticked;  /* thread_state.ticked at entry */
	__u64 probed;  /* thread_state.probed at entry */
	__u64 away;    /* thread_state.away at entry */
	__u64 yielded; /* thread_state.yielded at entry */
	__u64 queued;  /* how long the thread had waited for a CPU by then */
	__u32 probe;
	__u32 flags;
};

#define LANDING_UNKNOWN 0
#define LANDING_CALLER 1 /* where the return address at site_sp says */

#define NR_RECENT 32 /* a power of two */

/*
 * A thread's open spans, or a goroutine's, outermost first.  Written by the thread
 * itself (that runs it) only, but for its stack's bounds before its first call
 * (thread_prepare()); a tick may interrupt it anywhere, so a span is written before depth
 * counts it, and depth is lowered before the span is read for the last time.
 */
struct thread_state {
	__u32 depth;
	__u32 named;   /* its name was sent */
	__u64 next_id; /* last span id given; high 24 bits: serial number of the thread */
	__u64 stack_low, stack_high; /* its own stack, 0 = not looked up yet */
	__u64 site_pc, site_sp;	     /* where the last probe met it */
	__u64 landing;		     /* where it goes on behind that, or LANDING_ */
	__u64 landed_at;	     /* when that probe's program was about done; 0: not told */
	__u64 ticked;		     /* nanoseconds that ticks took from this thread */
	__u64 probed;		     /* nanoseconds that probes took; a tick must not touch it:
					it may have interrupted the addition */
	__u32 trap;		     /* enum trap: by what the last probe met it */
	__u32 busy;		     /* a probe's program is running */
	__u32 leaving;		     /* END_THROW, END_EXIT: while frames are left so */
	__u32 tid;		     /* of a goroutine: the thread that met its last probe */
	__u64 base;		     /* of a goroutine: the top of its stack, now; slots are
					told from there.  Of a thread 0 */
	__u64 outer; /* the span of another state that the outermost is nested in, as the last
			tick saw it; 0: none */
	__u64 rested_at; /* since when it has no CPU, if bracketed calls are open then */
	__u64 left_at;	 /* since when it has no CPU, if calls are open then */
	__u64 away;	 /* nanoseconds without one, while calls were open; and besides, */
	__u64 yielded;	 /* because sonde itself had it */
	/* on stacks that are not its own */
	__u64 thrown_at;	 /* where an exception that flies there was thrown; 0: none */
	__u64 recent[NR_RECENT]; /* slots of the last calls that began there */
	__u32 nr_recent;	 /* ever written */
	__u32 flights;		 /* exceptions in flight there, each thrown while cleaning up
				    for the one before */
	struct open_span spans[MAX_OPEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_state);
} threads SEC(".maps");

/* Calls on stacks that are not the thread's own (foreign.bpf.h). */
#define MAX_FOREIGN 16384 /* open at once, in all processes */
#define MAX_JUMPS 4	  /* at one slot: each reached by a jump from the one before */

struct foreign_key {
	__u64 slot;
	__u32 pid;
	__u32 jumps; /* how many calls before it were made at this slot */
};

struct foreign_call {
	struct open_span span; /* ticked: by ticks that fell into it */
	__u64 parent;	       /* as the last tick saw it */
	__u32 tid;	       /* of the thread that began it */
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_FOREIGN);
	__type(key, struct foreign_key);
	__type(value, struct foreign_call);
} foreign_calls SEC(".maps");

/* States of goroutines (goroutine.bpf.h), by the address of what describes them. */
#define MAX_GOROUTINES 16384 /* with a watched call, now or before, in all processes */

struct goroutine_key {
	__u64 g;
	__u32 pid;
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, MAX_GOROUTINES);
	__type(key, struct goroutine_key);
	__type(value, struct thread_state);
} goroutines SEC(".maps");

/* What a new state is: nobody writes it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct thread_state);
} no_state SEC(".maps");

/* Of a process with goroutines in the map: its number among the layouts. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u32);
} layout_by_pid SEC(".maps");

/* Processes that are looked at: tgid -> enum target_state. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u32);
} targets SEC(".maps");

/* With control.by_thread: threads that are looked at. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u32);
} tids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} ring SEC(".maps");

/* struct birth; whoever waits for them is woken at once. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 10);
} births SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct call_counts);
} calls SEC(".maps");

const volatile struct control control;
const volatile struct name_rule names; /* with control.by_name */
struct kernel_loss loss;
__u64 ticks; /* that fell on the target */
__u64 thread_serial;
__u64 foreign_open; /* how many foreign_calls there are */
__u64 goroutines_kept;
struct goroutine_layout layouts[MAX_LAYOUTS];
__u32 phase;	   /* enum watch_phase */
__u32 born, grown; /* children that were told of; of these, those that are young no more */
__u32 brackets;	   /* calls are watched whose end no probe sees */
__u32 unwatched;   /* a probe was taken away: calls may be open that count nowhere */
__u32 tick_nsec;   /* what a tick takes besides its program: the interrupt itself */
struct probe_prices prices;
__u32 landing_nsec; /* from when a tick falls due to its program, at most */
__u64 gauge_nsec;   /* durations of calls of sonde's own trial, summed */

/* Linux 5.13; told apart from the helper's declaration: libbpf's headers may be older. */
static long (*const for_each)(void *map, void *callback, void *context,
			      __u64 flags) = (void *)164;

enum bpf_func_id___each { BPF_FUNC_for_each_map_elem___each = 164 };

/* Without it what is kept of a process that ends would stay. */
static __always_inline bool each_works(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___each,
					  BPF_FUNC_for_each_map_elem___each);
}

static __always_inline void count(__u64 *n)
{
	__sync_fetch_and_add(n, 1);
}

/* Is this task looked at? */
static __always_inline bool is_target(__u32 pid, __u32 tid)
{
	if (control.by_thread && !bpf_map_lookup_elem(&tids, &tid))
		return false;
	if (control.every)
		return pid != control.self;
	return bpf_map_lookup_elem(&targets, &pid) != NULL;
}

/* Does it have all of its probes? */
static __always_inline bool is_grown(__u32 pid)
{
	const __u32 *state;

	if (born == grown)
		return true;
	state = bpf_map_lookup_elem(&targets, &pid);
	return !state || *state != TARGET_YOUNG;
}

/* NULL: its calls count nowhere. */
static __always_inline struct call_counts *counts_of(__u32 probe)
{
	__u32 stripe = bpf_get_smp_processor_id() & control.stripe_mask;
	__u32 slot = ((probe - 1) & control.slot_mask) * (control.stripe_mask + 1) + stripe;
	struct call_counts *c = bpf_map_lookup_elem(&calls, &slot);

	return c && probe && c->probe == probe ? c : NULL;
}

/* A function of its own, so that it is verified once. */
__noinline int counts_nowhere(__u32 probe)
{
	return probe && !counts_of(probe);
}

/* A call of a probe that was taken away while it was open: nothing is told of it. */
static __always_inline bool is_stale(__u32 probe)
{
	return unwatched && counts_nowhere(probe);
}

static __always_inline void count_end(__u32 probe, __u32 reason)
{
	struct call_counts *c = counts_of(probe);

	barrier_var(reason); /* the verifier must see that it is this one that is checked */
	if (c && reason < NR_SPAN_END)
		count(&c->ended[reason]);
}

static __always_inline void event_fill(struct event *e, __u16 kind, __u16 size, __u32 tid,
				       __u64 now)
{
	e->kind = kind;
	e->size = size;
	e->tid = tid;
	e->time = now;
}

static __always_inline void send(void *e, __u32 size, __u64 *lost)
{
	if (bpf_ringbuf_output(&ring, e, size, BPF_RB_NO_WAKEUP))
		count(lost);
}

#endif
