/*
 * event - the one record format of sonde.
 *
 * What the kernel half writes to the ring, what a recording stores and what
 * travels between machines are these records, little-endian, 8-byte aligned.
 * A layout never changes: what is new gets a new kind.  Readers skip kinds they
 * do not know (head.size says how far).  Times are CLOCK_MONOTONIC nanoseconds.
 *
 * This header is shared by the BPF programs and the rest; it knows nothing else.
 */
#ifndef SONDE_WIRE_EVENT_H
#define SONDE_WIRE_EVENT_H

#include <linux/types.h>

enum event_kind {
	/* written by the kernel half */
	EVENT_SAMPLE = 1,
	EVENT_ENTER = 2,
	EVENT_LEAVE = 3,
	EVENT_FORK = 4,
	EVENT_EXEC = 5,
	EVENT_EXIT = 6,
	EVENT_THREAD = 7,
	EVENT_OPEN = 8,
	EVENT_WAIT = 9,
	EVENT_STILL = 10,
	EVENT_SEEN = 11,
	EVENT_FUTEX = 12,
	EVENT_OWNER = 13,
	EVENT_TIMES = 14,
	EVENT_WAKE = 15,
	/* written by the source */
	EVENT_TARGET = 16,
	EVENT_PROCESS = 17,
	EVENT_IMAGE = 18,
	EVENT_MAP = 19,
	EVENT_SYMBOL = 20,
	EVENT_PROBE = 21,
	EVENT_CALLS = 22,
	EVENT_LOSS = 23,
	EVENT_END = 24,
	EVENT_INLINE = 25,
	EVENT_START = 26,
	EVENT_ENDS = 27,
	EVENT_UNSURE = 28,
	EVENT_PROBED = 29,
	EVENT_ARMED = 30,
	EVENT_UNPROBE = 31,
	EVENT_PROGRAM = 32,
	EVENT_CAUSES = 33,
	EVENT_VARIABLE = 34,
	EVENT_TIMED = 35,
	EVENT_AWAY = 36,
	EVENT_QUEUED = 37,
};

struct event {
	__u16 kind; /* enum event_kind */
	__u16 size; /* of the whole record in bytes, a multiple of 8 */
	__u32 tid;  /* thread it is about, 0 = none; numbers of the initial pid namespace */
	__u64 time;
};
_Static_assert(sizeof(struct event) == 16, "event is part of the format");

#define EVENT_SIZE_MAX 65528

/* Why a moment was taken; words for them: wire/sample_cause.h.  New ones come at the end;
 * readers take a number they do not know for CAUSE_WAIT. */
enum sample_cause {
	CAUSE_CPU = 1, /* a tick of the CPU clock: weight = the period */
	/* off the CPU when somebody looked: weight = the time since the look before */
	CAUSE_RUNNABLE = 2, /* it could run, and waits for a CPU */
	CAUSE_WAIT = 3,	    /* blocked; by what is not known */
	CAUSE_LOCK = 4,	    /* on a futex: a lock, a condition, another thread's end */
	CAUSE_SLEEP = 5,    /* until a time */
	CAUSE_DISK = 6,
	CAUSE_NETWORK = 7,
	CAUSE_PIPE = 8,	    /* or a terminal */
	CAUSE_FAULT = 9,    /* a page has to be read, or made */
	CAUSE_CHILD = 10,   /* the end of a process */
	CAUSE_POLL = 11,    /* any of several files: poll, select, epoll */
	CAUSE_STOPPED = 12, /* by a signal or a debugger */
	NR_SAMPLE_CAUSE = 13,
};

/* How the user stack ended. */
enum stack_end {
	STACK_WHOLE = 0,       /* the walk came to its end */
	STACK_TRUNCATED = 1,   /* more frames than the record holds */
	STACK_UNREADABLE = 2,  /* memory could not be read */
	STACK_NONE = 3,	       /* not asked for, or a kernel thread */
	STACK_NO_MAP = 4,      /* an address in no map of the process */
	STACK_NO_RULE = 5,     /* code without call frame information or frame pointer */
	STACK_UNSUPPORTED = 6, /* call frame information of a kind that is not read */
	NR_STACK_END = 7,
};

/* Not a return address (none has such bits, on x86-64 with 4 or 5 levels of page tables): the
 * frame before it returns to where a watched call was made, that of the function with its probe
 * at FRAME_CALL_ENTRY().  Mostly it is that function's own; after a jump to another, it is
 * that other's.  Of several calls at one place the innermost comes first. */
#define FRAME_CALL (0xc5ull << 56)
#define FRAME_IS_CALL(frame) ((frame) >> 56 == FRAME_CALL >> 56)
#define FRAME_CALL_ENTRY(frame) ((frame) & ((1ull << 56) - 1))

#define SAMPLE_MAX_KERNEL 127 /* perf_event_max_stack's default */
#define SAMPLE_MAX_USER 1024

/* One moment of one thread.  Addresses follow: nr_kernel of them, then nr_user,
 * each half leaf first; all but the first of each half are return addresses
 * (the first of the user half too is exact: where the thread left user mode).
 * In the user half there are FRAME_CALLs as well. */
struct event_sample {
	struct event head;
	__u64 span;   /* innermost open span, 0 = none */
	__u64 weight; /* nanoseconds this sample stands for */
	__u32 pid;
	__u16 cpu;
	__u8 cause;    /* enum sample_cause */
	__u8 user_end; /* enum stack_end */
	__u16 nr_kernel;
	__u16 nr_user;
	__u32 in_probe; /* 1: the tick fell into a probe's own program */
#ifndef __bpf__
	__u64 frames[];
#endif
};
_Static_assert(sizeof(struct event_sample) == 48, "event_sample is part of the format");

/* One moment of a thread that is off the CPU, as EVENT_SAMPLE: where it left user mode, and
 * where in the kernel it gave the CPU away. */
struct event_wait {
	struct event head;
	__u64 span;
	__u64 weight;
	__u32 pid;
	__u16 cpu; /* where it ran last */
	__u8 cause;
	__u8 user_end;
	__u16 nr_kernel;
	__u16 nr_user;
	__s32 call; /* number of the system call it is in, -1 = in none */
#ifndef __bpf__
	__u64 frames[];
#endif
};
_Static_assert(sizeof(struct event_wait) == sizeof(struct event_sample),
	       "event_wait is part of the format");

#define STILL_ENDED 0x80000000u

/* The thread's last EVENT_WAIT went on, and stands for so much more. */
struct event_still {
	struct event head;
	__u64 weight; /* 0: it was not seen again */
	__u32 pid;
	__u32 looks; /* how often it was seen so; STILL_ENDED: and then no more */
};
_Static_assert(sizeof(struct event_still) == 32, "event_still is part of the format");

/* A thread as a look found it, running or not. */
struct event_seen {
	struct event head;
	__u64 ran;    /* when it got a CPU last, 0 = not known */
	__u32 number; /* as its own pid namespace knows it */
	__u32 pid;
};
_Static_assert(sizeof(struct event_seen) == 32, "event_seen is part of the format");

#define FUTEX_WORDS 8

/* What the thread of an EVENT_WAIT (the next of that thread, of the same time) asks futex(2)
 * for, and what lies there by now; later ones tell of the same wait. */
struct event_futex {
	struct event head;
	__u64 address;
	__u32 op, val;
	__u32 nr_words; /* that could be read: FUTEX_WORDS or 0 */
	__u32 words[FUTEX_WORDS];
	__u32 pad;
};
_Static_assert(sizeof(struct event_futex) == 72, "event_futex is part of the format");

/* Another thread has a mutex that one waits for since it was last told of (EVENT_FUTEX,
 * EVENT_OWNER). */
struct event_owner {
	struct event head; /* tid: one that waits for it */
	__u64 address;	   /* of the futex */
	__u64 seen;	   /* so long the one before was seen to have it; 0: not known */
	__u32 pid;
	__u32 number; /* of the thread that has it, in its own pid namespace */
};
_Static_assert(sizeof(struct event_owner) == 40, "event_owner is part of the format");

/* What ended a wait.  New ones come at the end; readers take a number they do not know for
 * WAKE_INTERRUPT. */
enum wake_by {
	WAKE_THREAD = 1, /* another thread, or the kernel on its behalf */
	WAKE_TIMER = 2,	 /* its time was over */
	WAKE_INTERRUPT =
		3, /* of a device or another CPU: whatever thread that one interrupted */
	NR_WAKE_BY = 4,
};

/* A thread whose last EVENT_WAIT was CAUSE_WAIT (as the kernel half told it) is woken, and what
 * the one does that wakes it; frames as of EVENT_SAMPLE. */
struct event_wake {
	struct event head; /* tid: the one that waited */
	char name[16];	   /* of the thread that wakes it, NUL-padded */
	__u32 pid;	   /* its process */
	__u16 cpu;
	__u8 by; /* enum wake_by */
	__u8 user_end;
	__u16 nr_kernel;
	__u16 nr_user;
	__u32 tid; /* of the thread that wakes it */
#ifndef __bpf__
	__u64 frames[];
#endif
};
_Static_assert(sizeof(struct event_wake) == sizeof(struct event_sample),
	       "event_wake is part of the format");

/* A span was sampled for the first time (head.time is that moment). */
struct event_enter {
	struct event head;
	__u64 span;
	__u64 parent; /* next open span below it on this thread, 0 = none */
	__u64 began;
	__u32 probe;
	__u32 pid;
};
_Static_assert(sizeof(struct event_enter) == 48, "event_enter is part of the format");

/* Of a call that was sampled and is over (its EVENT_LEAVE comes next): how long its thread had
 * no CPU meanwhile. */
struct event_times {
	struct event head;
	__u64 span;
	__u64 away;
	__u64 queued; /* of that: it could run */
	__u32 probe;
	__u32 pad;
};
_Static_assert(sizeof(struct event_times) == 48, "event_times is part of the format");

/* How a call ended; words and meaning: wire/span_end.h.  New ones come at the end;
 * readers take a number they do not know for END_LOST. */
enum span_end {
	END_RETURN = 0,
	END_LONGJMP = 1,  /* its frame was left without a return */
	END_EXIT = 2,	  /* the thread ended in it, cancelled or by itself */
	END_EXEC = 3,	  /* the process became another program in it */
	END_DETACHED = 4, /* sonde stopped watching while it ran */
	END_LOST = 5,	  /* the return was never seen and no reason is known */
	/* entries that were never opened ("discarded") */
	END_TOO_DEEP = 6,  /* more open calls on one thread than are kept */
	END_FOREIGN = 7,   /* on a signal stack or a coroutine's: not hooked, to be safe; or
			       more such calls open than are kept */
	END_UNTRACKED = 8, /* no memory for the thread's state, or the process was
			       changing its maps: its stack could not be told */
	END_UNJUDGED = 9,  /* the process maps code that might see a hook, or that nobody
			       has looked at yet: not hooked, to be safe */
	END_THROW = 10,	   /* left by an exception, or a panic */
	END_BRACKET = 11,  /* it was over when somebody looked: when and how is not known */
	NR_SPAN_END = 12,
};

/* A sampled span ended (head.time is its end, less the time that sonde's own
 * ticks and probes took from it: time - began is its duration). */
struct event_leave {
	struct event head;
	__u64 span;
	__u64 parent;
	__u64 began;
	__u32 probe;
	__u32 reason; /* enum span_end */
	__u64 retval; /* of END_BRACKET: it ended within so many nanoseconds, of which
			 head.time is the middle */
};
_Static_assert(sizeof(struct event_leave) == 56, "event_leave is part of the format");

/* A span still open when watching ended (or when asked for). */
struct event_open {
	struct event head;
	__u64 span;
	__u64 parent;
	__u64 began;
	__u32 probe;
	__u32 pid;
};
_Static_assert(sizeof(struct event_open) == 48, "event_open is part of the format");

/* A process of the target was forked (tid: the child's first thread). */
struct event_fork {
	struct event head;
	__u32 pid, parent_pid;
};

struct event_exec {
	struct event head;
	__u32 pid, pad;
};

/* A child carries probes of its own from head.time on; its calls before are not known.
 * head.time = since: it never did (it had ended, or the kernel refused). */
struct event_armed {
	struct event head;
	__u64 since; /* when it was forked */
	__u32 pid, pad;
};

/* A process became another program (EVENT_EXEC), and in that one functions of its own are
 * watched from head.time on: its calls of them before are not known. */
struct event_program {
	struct event head;
	__u64 since; /* when it did */
	__u32 pid, pad;
};
_Static_assert(sizeof(struct event_program) == 32, "event_program is part of the format");

/* A thread ended. */
struct event_exit {
	struct event head;
	__u32 pid;
	__u32 last; /* 1: it was the last thread of its process */
};

/* What a thread is called (head.tid); the newest holds. */
struct event_thread {
	struct event head;
	__u32 pid, pad;
	char name[16]; /* NUL-padded */
};
_Static_assert(sizeof(struct event_thread) == 40, "event_thread is part of the format");

/* First in every stream: where it comes from. */
struct event_target {
	struct event head;
	__u64 wall;   /* CLOCK_REALTIME at head.time */
	__u64 period; /* nanoseconds a cpu sample stands for, 0 = no sampling */
	__u32 hz;
	__u32 cpus;
	char text[]; /* "host\0kernel release\0command line of sonde\0", padded */
};

/* A process that is looked at. */
struct event_process {
	struct event head;
	__u32 pid, parent_pid;
	char comm[]; /* NUL-padded to 8 */
};

enum image_kind {
	IMAGE_FILE = 0,
	IMAGE_KERNEL = 1, /* offsets are addresses */
	IMAGE_VDSO = 2,	  /* offsets count from its start */
	IMAGE_JIT = 3,	  /* anonymous code of one process: offsets are addresses */
	IMAGE_PROBES = 4, /* the kernel's [uprobes] page: cost of the probes themselves */
};

#define IMAGE_KERNEL_ID 1 /* always; also "no image" for addresses outside every map is 0 */

/* A file of code.  Ids are given by the source, from 1. */
struct event_image {
	struct event head;
	__u32 image;
	__u16 kind;	    /* enum image_kind */
	__u8 build_id_size; /* 0..20 */
	__u8 pad;
	__u8 build_id[20];
	__u32 pad2;
	char path[]; /* as the target sees it, NUL-padded to 8 */
};
_Static_assert(sizeof(struct event_image) == 48, "event_image is part of the format");

/* [start, end) of a process shows image from file offset on, since head.time. */
struct event_map {
	struct event head;
	__u32 pid;
	__u32 image;
	__u64 start, end, offset;
};
_Static_assert(sizeof(struct event_map) == 48, "event_map is part of the format");

/* The function at [offset, offset + size) of an image (offset as in frames:
 * the file offset; the address for the kernel). */
struct event_symbol {
	struct event head;
	__u64 offset, length;
	__u32 image;
	__u32 line;  /* of its definition, 0 = not known */
	char text[]; /* "name\0file\0", demangled, padded */
};

/* A variable of an image: offset is where it would lie in the file if all of that were mapped
 * as far from it as its code is. */
struct event_variable {
	struct event head;
	__u64 offset, length;
	__u32 image;
	__u32 pad;
	char text[]; /* "name\0", demangled, padded */
};
_Static_assert(sizeof(struct event_variable) == 40, "event_variable is part of the format");

#define INLINE_LEVELS 64

/* What the source says about the instruction at an offset of an image (as in
 * frames): `levels` such records in a row, of which level 0 is the innermost
 * inlined function and the last one the function itself. */
struct event_inline {
	struct event head;
	__u64 offset;
	__u32 image;
	__u16 level, levels; /* at most INLINE_LEVELS */
	__u32 line;	     /* of its definition, 0 = not known */
	__u32 at_line;	     /* where in it: of the next inner one's call */
	char text[];	     /* "function\0file\0at_file\0", padded */
};
_Static_assert(sizeof(struct event_inline) == 40, "event_inline is part of the format");

/* How the ends of a probe's calls are seen; words and ways: probe/ending.h.  Readers
 * take a number they do not know for EXIT_NONE. */
enum probe_exit {
	EXIT_HOOK = 0,
	EXIT_SITES = 1,
	EXIT_BRACKET = 2,
	EXIT_NONE = 3,
	NR_PROBE_EXIT = 4,
};

/* A place is watched from head.time on. */
struct event_probe {
	struct event head;
	__u32 probe; /* ids from 1 */
	__u32 sites; /* functions it stands for, copies counted */
	__u32 exit;  /* enum probe_exit */
	__u32 image; /* of the first site */
	__u64 offset;
	__u64 length; /* bytes of the function, 0 = not known */
	__u32 cost;   /* measured nanoseconds a call, 0 = not known */
	__u32 line;
	char text[]; /* "place\0function\0file\0", padded */
};

/* It is not any more, from head.time on; an EVENT_CALLS up to then came before.  Of its calls
 * that were open nothing is told behind this. */
struct event_unprobe {
	struct event head;
	__u32 probe, pad;
};
_Static_assert(sizeof(struct event_unprobe) == 24, "event_unprobe is part of the format");

/* One bucket of a distribution of durations, see wire/bucket.h. */
struct call_bucket {
	__u32 bucket;
	__u32 count;
};

#define CALLS_ENDED 9 /* reasons that event_calls has room for */

/* What a probe counted since the last such record of it: all calls. */
struct event_calls {
	struct event head;	  /* time: the end of the interval */
	__u64 since;		  /* its begin */
	__u64 entries;		  /* calls that began in it */
	__u64 ended[CALLS_ENDED]; /* by enum span_end; later reasons are in an EVENT_ENDS;
				     [END_RETURN] + [END_BRACKET] = sum of the buckets */
	__u64 max;		  /* longest duration so far, of the whole run */
	__u32 probe;
	__u32 nr_buckets;
	struct call_bucket buckets[];
};

_Static_assert(sizeof(struct event_calls) == 120, "event_calls is part of the format");

struct end_count {
	__u32 reason; /* enum span_end */
	__u32 count;
};

/* Ends of the same interval as the EVENT_CALLS just before it, of the reasons that
 * one has no room for. */
struct event_ends {
	struct event head;
	__u64 since;
	__u32 probe;
	__u32 nr_ends;
	struct end_count ends[];
};
_Static_assert(sizeof(struct event_ends) == 32, "event_ends is part of the format");

/* Of the same interval, a sum over the calls whose durations are in its buckets.
 * EVENT_UNSURE: of the intervals in which those by END_BRACKET ended.
 * EVENT_PROBED: of what was taken off the durations for the work of probes.
 * EVENT_TIMED: of the durations of calls for which the next two are known.
 * EVENT_AWAY: of how long these had no CPU; EVENT_QUEUED: of that, could run. */
struct event_call_sum {
	struct event head;
	__u64 since;
	__u64 nsec;
	__u32 probe, pad;
};
_Static_assert(sizeof(struct event_call_sum) == 40, "event_call_sum is part of the format");

/* Everything known to be lost, since the beginning. */
struct event_loss {
	struct event head;
	__u64 ring;	 /* records that found the ring full */
	__u64 samples;	 /* of those, samples */
	__u64 spans;	 /* of those, span records */
	__u64 unmatched; /* returns with no open span */
	__u64 stacks;	 /* stacks that could not be read at all */
	__u64 throttled; /* ticks the kernel held back */
	__u64 nested;	 /* programs the kernel skipped because one was running */
	__u64 tick_nsec; /* what a tick takes from the thread it falls on, on average */
};

/* Moments of which causes are taken from head.time on.  Where there is no such record: those
 * of CAUSE_CPU. */
struct event_causes {
	struct event head;
	__u64 causes; /* bit = enum sample_cause */
};
_Static_assert(sizeof(struct event_causes) == 24, "event_causes is part of the format");

/* Everything is in place: samples and calls count from head.time on. */
struct event_start {
	struct event head;
};

enum end_reason { ENDED_BY_TIME = 0, ENDED_BY_USER = 1, ENDED_BY_TARGET = 2 };

/* Last of a stream that was ended in order. */
struct event_end {
	struct event head;
	__u32 reason; /* enum end_reason */
	__u32 status; /* exit status of the target where known, as wait(2) gives it */
};

#endif
