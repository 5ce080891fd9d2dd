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

/* Rounds every weight, times the factor, to a whole number such that sums over any run of nodes
 * stay within one of the exact sum (the error is carried to the next node).  A node of
 * less than nothing gets nothing, and the next ones, or else those before it, have less. */
void profile_round(const struct profile *p, uint32_t count, double factor, uint64_t *ret_whole);

#endif
