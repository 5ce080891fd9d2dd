/*
 * control - what the two halves agree on besides events: the maps' layouts.
 *
 * Shared by the BPF programs and source/.
 */
#ifndef SONDE_WIRE_CONTROL_H
#define SONDE_WIRE_CONTROL_H

#include "wire/bucket.h"
#include "wire/event.h"
#include "wire/rule.h"

/* Open calls kept for one thread; the kernel hooks at most 64 returns of a
 * thread, of all tracers together (MAX_URETPROBE_DEPTH). */
#define MAX_OPEN 64
#define MAX_HOOKED 60

/* Where a program in Go keeps what a thread runs (probe/goroutine.h); bytes from the
 * begin of each. */
struct goroutine_layout {
	__s32 tls;    /* of the thread's goroutine, from the thread pointer */
	__u16 g_m;    /* of a goroutine: the thread that runs it */
	__u16 m_curg; /* of that: what it runs, while the scheduler is at work too */
};

#define MAX_LAYOUTS 15 /* of different programs in Go at once */

/* Set before the programs are loaded; never changes. */
struct control {
	__u64 period;	   /* ns a tick stands for */
	__u64 brief;	   /* ns: of a shorter call in which a tick fell the duration is not
			      counted (source/hits.h) */
	__u32 stripe_mask; /* copies of the counters (a power of two) - 1; a cpu uses cpu & mask
			    */
	__u32 slot_mask;   /* probes that count at once (a power of two) - 1 */
	__u8 want_user;	   /* user stacks */
	__u8 want_kernel;  /* kernel stacks */
	__u8 follow;	   /* children of the target belong to it */
	__u8 every;	   /* 1: the target is every process */
	__u8 by_thread;	   /* 1: only threads in the map 'tids' */
	__u8 spans;	   /* calls are watched */
	__u8 times;	   /* how long calls have no CPU is told */
	__u8 brackets;	   /* some have no end that a probe sees, now or later */
	__u8 goroutines;   /* some are of programs in Go, now or later */
	__u8 rounds;	   /* threads that are off their CPU are looked at */
	__u8 wakes;	   /* with rounds: who wakes those that wait is told */
	__u8 seen;	   /* with rounds: of every thread, what a look sees is told */
	__u8 by_name; /* with by_thread: those threads whose name fits 'names', as it is now */
	__u32 self;   /* sonde's own process: never sampled in 'every' */
};

/* What a site is to the span of its function. */
enum site_role {
	SITE_ENTRY, /* a call begins */
	SITE_EXIT,  /* its innermost call ends, if the site's condition holds */
	SITE_BOTH,  /* a call begins; if the condition holds it ends at once */
	/* of no probe, at the entries of functions of the target's run-time libraries: */
	SITE_THROW,	 /* an exception is about to fly */
	SITE_THREAD_END, /* the thread is being ended, frame by frame */
	SITE_RESUME,	 /* one of the two flies on: the calls below were left */
	SITE_CATCH,	 /* an exception was caught: the calls below were left */
	SITE_LOADER,	 /* the process's loader has changed what is mapped */
	SITE_GOROUTINE_END,
	NR_SITE_ROLE,
};

/*
 * What a program reads by bpf_get_attach_cookie(); of a return hook's site the
 * condition and the rule are 0.
 *
 *	63   60 59        58        57       56    41 40       36 35  32 31   28 27    0
 *	|layout| stepped | bracket | follows | rule  | condition | role | length | probe |
 *
 * probe	its id, never that of another one; 0 = sonde's own trial, or a site of no
 *		probe
 * length	bytes, of the instruction under the probe, if the thread goes on behind it,
 *		or of a SITE_EXIT if it is a ret; 0: where it goes on is not told
 * role		enum site_role
 * condition	of the flags, with which the call ends; of SITE_ENTRY and of no probe,
 *		with which it is one: 0 = always, else 1 + the low four bits of a
 *		conditional jump's opcode
 * rule		type and value of the rule that leads to the call's CFA (wire/rule.h)
 * follows	of an entry: the call may jump to another function, and ends there
 * bracket	of an entry: no probe sees the call end
 * stepped	the kernel single-steps the instruction under the probe: it is dear
 * layout	of code in Go: whose goroutines these calls are of, 1 + its index; else 0
 */
#define COOKIE(probe, role, condition, rule)                                             \
	((__u64)((rule) >> RULE_VALUE_SHIFT & 0xffff) << 41 | (__u64)(condition) << 36 | \
	 (__u64)(role) << 32 | (probe))
#define COOKIE_FOLLOWS (1ull << 57)
#define COOKIE_BRACKET (1ull << 58)
#define COOKIE_STEPPED (1ull << 59)
#define COOKIE_OF_LENGTH(bytes) ((__u64)(bytes) << 28)
#define COOKIE_OF_LAYOUT(number) ((__u64)(number) << 60)
#define COOKIE_LAYOUT(cookie) ((__u32)((cookie) >> 60))
#define MAX_PROBE 0xfffffff
#define COOKIE_PROBE(cookie) ((__u32)(cookie)&0xfffffff)
#define COOKIE_LENGTH(cookie) ((__u32)(cookie) >> 28)
#define COOKIE_ROLE(cookie) ((__u32)((cookie) >> 32) & 15)
#define COOKIE_CONDITION(cookie) ((__u32)((cookie) >> 36) & 31)
#define COOKIE_RULE(cookie) (((__u32)((cookie) >> 41) & 0xffff) << RULE_VALUE_SHIFT)

/* What the map 'targets' has of a process. */
enum target_state {
	TARGET_WATCHED = 1,
	TARGET_YOUNG, /* a child that is getting its probes: its calls do not count yet, or one
		       * that begins between those at an entry and at an exit would not end */
};

/* In the ring 'births': a process of the target was forked. */
struct birth {
	__u64 time;
	__u32 pid, pad;
};

/* Where entry and return are two links, calls are cut in two while they are
 * attached and taken away one after the other. */
enum watch_phase { PHASE_ARMING, PHASE_STEADY, PHASE_CLOSING };

/* What a thread met a probe by. */
enum trap {
	TRAP_EMULATED, /* at an instruction that the kernel emulates */
	TRAP_STEPPED,  /* at one that it single-steps */
	TRAP_RETURN,   /* the hook of a return */
	NR_TRAP,
};

/*
 * What probes take from the thread that meets them, in nanoseconds, as measured at the
 * start (source/price.h); 0 = not known.  [stepped] is of the entry: 0 or 1.
 *
 *	 caller ...| entry: trap, program, |began ... | function | trap, now|, program |...
 *	            <------- entry ------------------>            <------ end -------->
 *	                                    <-- own ->            <-- own ->
 */
struct probe_prices {
	__u32 own[2][NR_TRAP]; /* between the two readings of a call's clock, both ends */
	__u32 entry[2];	       /* a plain site where a call begins */
	__u32 hooked[2];       /* the same, and the return is hooked */
	__u32 end[NR_TRAP];    /* an exit, or a site that ends nothing */
};

/* All calls of one probe, one stripe; at ((probe - 1) & slot_mask) * stripes + stripe. */
struct call_counts {
	__u32 probe; /* whose calls these are, 0: of none.  Of others that had the slot before
			calls may be open still: they count nowhere */
	__u32 pad;
	__u64 entries;
	__u64 ended[NR_SPAN_END]; /* [END_RETURN] stays 0: it is the sum of the buckets and
				     of hit, less [END_BRACKET] */
	__u64 max;
	__u64 unsure; /* nanoseconds: the sum of the intervals of [END_BRACKET] */
	__u64 probed; /* nanoseconds: what was taken off for probes, of all durations */
	__u64 timed;  /* nanoseconds: durations of those of which the next two are known: */
	__u64 away;   /* how long they had no CPU, */
	__u64 queued; /* and of that, could run */
	__u64 hit;    /* returned within control.brief, and a tick fell into them: these are
			 in none of the buckets, nor in max */
	__u64 buckets[NR_BUCKET];
};

/* The program 'forget' takes it: a probe that was taken away. */
struct probe_gone {
	__u32 probe, pad;
};

/* What of a process was found fit for return hooks; by tgid. */
struct judged {
	__u64 pages;   /* of executable code that were looked at, 0 = none fit */
	__u64 asked;   /* for which size the kernel half asks to look again, 0 = none */
	__u64 changes; /* how often its loader has changed its maps */
};

/* The program 'judge' takes it: what was found at 'changes'. */
struct judgement_made {
	__u32 pid, pad;
	__u64 pages;
	__u64 changes;
};

/* What the programs could not do, since they were loaded. */
struct kernel_loss {
	__u64 samples;	 /* ring full */
	__u64 spans;	 /* ring full */
	__u64 others;	 /* ring full */
	__u64 unmatched; /* returns with no open span */
	__u64 stacks;	 /* user stacks that could not be read */
	__u64 ticked;	 /* not a loss: nanoseconds all ticks took from the target */
};

#endif
