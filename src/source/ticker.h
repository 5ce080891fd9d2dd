/*
 * ticker - the CPU clock of every CPU, with a program on each tick.
 *
 * Events are opened for CPUs, not for the target's threads: an event of a thread
 * is switched with it, which costs a busy server more than the ticks do.
 */
#ifndef SONDE_SOURCE_TICKER_H
#define SONDE_SOURCE_TICKER_H

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"

struct ticker {
	ARRAY(int) events; /* one a CPU */
};

/* The kernel's limit on ticks a second (kernel.perf_event_max_sample_rate). */
unsigned ticker_limit(void);
/* -EINVAL: hz is 0 or above the limit.  -EPERM with what is missing. */
int ticker_open(struct ticker *t, unsigned hz, int program, struct error *err);
/* What a tick takes from the thread it interrupts, without any program on it:
 * nanoseconds, measured on this thread for 24 ms, on a busy CPU for up to 96 ms; 0 = that
 * could not be. */
uint32_t ticker_cost(void);
void ticker_close(struct ticker *t);

#endif
