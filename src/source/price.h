/*
 * price - what a watched call costs on this machine, measured.
 *
 * The programs are put on functions of sonde's own, with first instructions and exits
 * that the kernel emulates and such that it has to single-step, and these are called
 * a few hundred times.  The links stay until the caller closes them: taking them away
 * is what would take time.
 */
#ifndef SONDE_SOURCE_PRICE_H
#define SONDE_SOURCE_PRICE_H

#include "probe/probe.h"
#include "source/gauge.h"
#include "wire/control.h"

/* Nanoseconds that one more of it takes; 0 = could not be measured. */
struct price_kinds {
	uint32_t cheap;	  /* on an instruction that the kernel emulates */
	uint32_t nop5;	  /* on a nop of five bytes: it may need no trap */
	uint32_t stepped; /* on any other */
};

struct price {
	struct price_kinds hooked; /* a call, by its entry: its return is hooked */
	struct price_kinds plain;  /* a site that is looked at alone: an entry, an exit */
	struct probe_prices taken; /* the same for the programs, to take it off durations */
};

struct price_trial {
	struct gauge_trial gauges[NR_GAUGE];
};

/* sum: where the programs add up the durations of the calls of probe 0. */
void price_measure(struct attach_links *links, enum attach_kind kind,
		   const struct attach_programs *programs, const volatile __u64 *sum,
		   struct price_trial *trial, struct price *ret);
/* Once more, in half a millisecond. */
void price_again(struct price_trial *trial, struct price *ret);

/* What a watched call of the function takes more, nanoseconds; 0: it has no probes, or it
 * could not be measured. */
uint32_t price_of_call(const struct price *price, const struct probe_function *f);

#endif
