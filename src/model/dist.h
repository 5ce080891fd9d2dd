/*
 * dist - how long calls took: counts on the log-linear scale of wire/bucket.h.
 *
 * Counts are doubles, so that decayed windows and differences work as well;
 * whole counts stay exact up to 2^53.
 *
 * Inside a bucket the values are taken to lie evenly over its middle part.
 * That part is the whole bucket where the neighbours are about as full (a
 * smooth stretch), and shrinks to 0.28 of it where the bucket stands alone (a
 * spike, whose place inside is not known).  A quantile that falls into a spike
 * is then at most 0.5 * 1.28 * 1/32 = 2.0 % off, in a smooth stretch far less.
 * dist_quantile and dist_between share the rule, so they are inverse:
 * dist_above(d, dist_quantile(d, q)) = (1 - q) * total.
 */
#ifndef SONDE_MODEL_DIST_H
#define SONDE_MODEL_DIST_H

#include "wire/bucket.h"

#include <stdint.h>

/* Zero is valid and empty. */
struct dist {
	double total;
	double count[NR_BUCKET];
};

/* The middle of a bucket, in nanoseconds. */
double dist_middle(uint32_t bucket);
/* A bucket beyond the scale counts as the last one. */
void dist_add(struct dist *d, uint32_t bucket, double count);
/* d -= less; a count never falls below zero. */
void dist_subtract(struct dist *d, const struct dist *less);

/* The value that the share q (0..1) of the calls does not exceed, in
 * nanoseconds; 0 when there are no calls. */
double dist_quantile(const struct dist *d, double q);
/* Calls with low < duration <= high, and (unless NULL) the sum of their
 * durations.  high may be INFINITY; low = -1 takes all. */
double dist_between(const struct dist *d, double low, double high, double *ret_sum);
double dist_above(const struct dist *d, double nsec);
/* 0 when there are no calls. */
double dist_mean(const struct dist *d);
/* The end of the highest bucket that has calls, 0 when there are none. */
uint64_t dist_max(const struct dist *d);

#endif
