/*
 * gauge - functions of sonde's own on which the price of watching is measured.
 */
#ifndef SONDE_SOURCE_GAUGE_H
#define SONDE_SOURCE_GAUGE_H

#include "source/attach.h"

#include <linux/types.h>

/* By their first instruction; those with an exit begin with one that is emulated. */
enum gauge {
	GAUGE_PUSH,	/* emulated by the kernel */
	GAUGE_NOP5,	/* emulated; from kernel 6.18 on a call without a trap */
	GAUGE_MOV,	/* single-stepped */
	GAUGE_EXIT_JMP, /* entry and exit are plain sites; its exit is emulated */
	GAUGE_EXIT_RET, /* the same; its exit is single-stepped */
	GAUGE_MOV_JMP,	/* the same; its entry is single-stepped, its exit emulated */
	NR_GAUGE,
};

/* Batches of calls that are remembered. */
#define GAUGE_BATCHES 21

/* One of them while it is watched.  Nanoseconds, a call; 0 = it cannot be watched. */
struct gauge_trial {
	enum gauge which;
	const volatile __u64 *sum;
	/* the least of all batches */
	double alone; /* that it takes when nobody watches */
	double more;  /* that it takes more */
	/* the median of those that are remembered */
	double measured; /* that the programs took it for */
	double measured_of[GAUGE_BATCHES];
	unsigned batches; /* in all */
};

/* Watches the function by these programs, for probe 0, and calls it for a while.  sum:
 * where they add up the durations that they measure; NULL: they do not.  The link stays in
 * links: taking it away is what would take time. */
void gauge_watch(struct attach_links *links, enum attach_kind kind,
		 const struct attach_programs *programs, enum gauge which,
		 const volatile __u64 *sum, struct gauge_trial *ret);
/* Calls it again, for a moment: one more batch. */
void gauge_again(struct gauge_trial *t);

#endif
