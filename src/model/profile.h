/*
 * profile - weights on the nodes of a prefix tree.
 *
 * A plain vector over node ids; nodes behind its end weigh nothing.  Because a
 * parent is older than its children, differences, decay, merging and totals
 * are arithmetic on vectors.  Weights are doubles: whole samples and
 * nanoseconds stay exact up to 2^53.
 */
#ifndef SONDE_MODEL_PROFILE_H
#define SONDE_MODEL_PROFILE_H

#include "base/array.h"

#include <stdint.h>

/* Zero is valid and empty. */
struct profile {
	ARRAY(double) weights;
};

void profile_done(struct profile *p);
/* Adds weight to one node. */
void profile_put(struct profile *p, uint32_t node, double weight);
double profile_at(const struct profile *p, uint32_t node);
/* p += factor * more; a factor of -1 subtracts. */
void profile_add(struct profile *p, const struct profile *more, double factor);
void profile_scale(struct profile *p, double factor);
double profile_sum(const struct profile *p);

/* ret_total[node] = weight of its whole subtree, for count nodes whose parents
 * are parents[node] < node (of node 0: itself). */
void profile_total(const struct profile *p, const uint32_t *parents, uint32_t count,
		   double *ret_total);

/* The nearest whole number, within what one can be: hostile counts can add up
 * to more than 64 bits. */
uint64_t whole_number(double v);

/*
 * Rounding of weights, one after the other, to whole numbers such that the sums over any run
 * of them stay within one of the exact sum: the error is carried to the next.  A weight of less
 * than nothing gets nothing, and the next ones have less.
 */
struct rounding {
	double exact, given;
};

static inline uint64_t rounding_next(struct rounding *r, double weight)
{
	uint64_t whole;
	double due;

	r->exact += weight;
	due = r->exact - r->given + 0.5;
	if (weight <= 0 || due < 1)
		return 0; /* the carry waits for one that has weight */
	whole = due < 0x1p63 ? (uint64_t)(int64_t)due : (uint64_t)1 << 63;
	r->given += whole;
	return whole;
}

/* Behind the last one, from there backwards: what of it is given too much. */
uint64_t rounding_back(struct rounding *r, uint64_t whole);

/* All weights of count nodes. */
void profile_round(const struct profile *p, uint32_t count, uint64_t *ret_whole);

#endif
