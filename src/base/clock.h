/*
 * clock - time, in nanoseconds.
 */
#ifndef SONDE_BASE_CLOCK_H
#define SONDE_BASE_CLOCK_H

#include <stdint.h>

typedef uint64_t nsec;

#define NSEC_PER_SEC 1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_USEC 1000ull

/* CLOCK_MONOTONIC: the clock of every event (bpf_ktime_get_ns()). */
nsec clock_now(void);
/* CLOCK_REALTIME, since 1970. */
nsec clock_wall(void);
/* CPU time this thread has used. */
nsec clock_cpu(void);

#endif
