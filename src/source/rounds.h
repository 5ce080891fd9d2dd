/*
 * rounds - looks at the threads that are off their CPU, as often as there are ticks.
 *
 * A thread of sonde's own runs the program look_round (bpf/round.bpf.h) for all threads of a
 * few processes, or of the machine, at moments a period apart on average, each up to chance
 * within half a period: what a program does in step with a clock is seen as it is.  Each look
 * stands for the time since the one before, however late it comes.  The sooner it comes to the
 * threads it is about, the less has it changed what they would do without it.
 */
#ifndef SONDE_SOURCE_ROUNDS_H
#define SONDE_SOURCE_ROUNDS_H

#include "base/clock.h"
#include "base/error.h"

#include <linux/types.h>
#include <stdint.h>

/* What the program shares with it. */
struct rounds_shared {
	__u64 *weight;	 /* nanoseconds that a look stands for */
	__u32 *children; /* were forked that are targets, too: they are looked for everywhere */
	__u32 *is_first; /* 1: only numbers of threads are told, before who waits for them is */
	__u32 *is_last;	 /* 1: only what is owed is told */
};

struct rounds;

/* Threads of up to so many processes are found by their process (Linux 6.1), else among all. */
#define ROUNDS_PROCESSES 8

/* program: descriptor of look_round, loaded.  pids: of all of the target's processes; count 0:
 * of any.  -EPERM, -ENOSYS: with what is missing. */
int rounds_open(int program, unsigned hz, const uint32_t *pids, uint32_t count,
		struct rounds_shared shared, struct rounds **ret, struct error *err);
/* Ends them; what is owed is in the ring then.  A look that is stuck, as the memory of a
 * process cannot be read while that process holds on to its maps, is left to itself after two
 * seconds.  NULL is fine. */
void rounds_close(struct rounds *r);

#endif
