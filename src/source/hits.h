/*
 * hits - short calls that a tick fell into, counted as long as they were without it.
 *
 * The kernel half counts how many there are, and does not count their durations: a tick
 * lengthens them by more than they last.  Of each it sends the record of its end.  Each
 * is given one of the durations of the calls that no tick fell into, by chance, in the
 * proportions that model/residue.h has for what was observed of it.
 */
#ifndef SONDE_SOURCE_HITS_H
#define SONDE_SOURCE_HITS_H

#include "base/array.h"
#include "model/residue.h"
#include "wire/control.h"

/* Of which calls, and how far what is observed of them may be off. */
struct hit_rule {
	uint64_t brief; /* nanoseconds: those shorter */
	struct residue residue;
};

struct hits {
	ARRAY(uint64_t) lengths; /* observed, of those not counted yet; nanoseconds */
	uint64_t early; /* were counted, and their records have not come: they may be lost */
	uint64_t max;	/* of those that could not be told from their tick; nanoseconds */
	uint32_t turn;	/* for a chance that spreads evenly */
};

/* The record of a call's end has come. */
void hits_add(struct hits *h, uint64_t nsec);
/* Counts so many calls more into buckets, by the calls that no tick fell into: those in
 * buckets when it begins, or where these have none near, ever.  rule->residue learns. */
void hits_count(struct hits *h, uint64_t calls, struct hit_rule *rule,
		const __u64 ever[NR_BUCKET], __u64 buckets[NR_BUCKET]);
void hits_done(struct hits *h);

#endif
