/*
 * rounds - looks at the threads that are off their CPU, as often as there are ticks.
 *
 * A thread of sonde's own runs the program look_round (bpf/round.bpf.h) for all threads of the
 * machine, at moments a period apart on average, each up to chance within half a period: what
 * a program does in step with a clock is seen as it is.  Each look stands for the time since
 * the one before, however late it comes.
 */
#ifndef SONDE_SOURCE_ROUNDS_H
#define SONDE_SOURCE_ROUNDS_H

#include "base/clock.h"
#include "base/error.h"

#include <linux/types.h>
#include <stdint.h>

/* What the program shares with it. */
struct rounds_shared {
	__u64 *weight;	/* nanoseconds that a look stands for */
	__u32 *is_last; /* 1: only what is owed is told */
};

struct rounds;

/* program: descriptor of look_round, loaded.  -EPERM, -ENOSYS: with what is missing. */
int rounds_open(int program, unsigned hz, struct rounds_shared shared, struct rounds **ret,
		struct error *err);
/* Ends them; what is owed is in the ring then.  NULL is fine. */
void rounds_close(struct rounds *r);
/* Longest time between two looks so far, and how many there were. */
nsec rounds_longest(const struct rounds *r);
uint64_t rounds_count(const struct rounds *r);

#endif
