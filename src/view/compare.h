/*
 * compare - what a slow call spends in each frame more than the rest do.
 *
 * Extra time per call of a node = its weight on SIDE_IN over the calls of
 * SIDE_IN, minus the same of SIDE_REST, callees included; it adds up over the
 * tree.
 *
 * Its error: n samples of mean weight w over c calls, taken as Poisson, have the
 * standard error w sqrt(n) / c.  Samples of one long call go together, so that
 * is too small; the picture's functions know their true errors (from the spread
 * between calls), and a node's is widened as that of its function was.
 */
#ifndef SONDE_VIEW_COMPARE_H
#define SONDE_VIEW_COMPARE_H

#include "view/picture.h"

#define COMPARE_Z 1.96 /* of a 95 % interval */

struct compare {
	double calls_in, calls_rest;
	uint64_t *nsec_in, *nsec_rest; /* per node, callees included */
	uint64_t *samples_in, *samples_rest;
	double *widen; /* per frame: true error over the Poisson one, at least 1 */
	double *firm;  /* and over that which it is told from chance by, at least 1 */
	double most;   /* largest |extra| of a node inside that is not noise */
};

/* What one node does on the two sides, nanoseconds a call. */
struct contrast {
	double in, rest, extra;
	double error; /* half of the 95 % interval of extra */
	double z;
};

/* False, with nothing to free, when a side has no calls: no comparison then. */
bool compare_make(struct compare *c, const struct picture *p);
void compare_done(struct compare *c);

/* In the span's function, or called by it. */
static inline bool compare_inside(const struct picture *p, uint32_t node)
{
	return p->nodes.at[node].place != PLACE_OUTER;
}
struct contrast compare_node(const struct compare *c, const struct picture *p, uint32_t node);
/* The span's own code, without what it calls; false when it has no samples or
 * a side has no calls. */
bool compare_itself(const struct picture *p, struct contrast *ret);
/* Time not on a CPU: mean duration minus sampled time, the error that of the
 * latter.  False when the durations are not known. */
bool compare_waiting(const struct picture *p, struct contrast *ret);
/* Extra time a call, on a CPU or not; 0 when the durations are not known, or it is less. */
double compare_extra_time(const struct picture *p);
/* Sampled time, in whatever function; false when a side has no calls. */
bool compare_cpu(const struct picture *p, struct contrast *ret);
struct contrast contrast_of_function(const struct picture_function *f);
bool contrast_is_noise(const struct picture *p, const struct contrast *d);

#endif
