/*
 * scatter - by how much calls differ in what they give to each function.
 *
 * Of the calls i of one side: y_i is the sampled time of a call, g_i what of it is in
 * the function; most calls have neither.  Kept are the sums of squares and products
 * that variances of means and of proportions are made of.
 *
 * They are kept by stratum.  A side has of each what the stratum's samples' parts on that side
 * have on average: only of a stratum that is torn is that no exact sum.
 */
#ifndef SONDE_VIEW_SCATTER_H
#define SONDE_VIEW_SCATTER_H

#include "view/function.h"
#include "view/strata.h"

#define SCATTER_ITSELF 0 /* the span's own code, without what it calls */
#define SCATTER_OF(function) ((function) + 1)

/* Sums over calls. */
struct scatter_sum {
	double given;	/* of g_i */
	double squares; /* of g_i^2 */
	double cross;	/* of g_i y_i */
};

/* Most functions are not in the calls of most strata. */
#define SCATTER_PAGE 64

struct scatter_stratum {
	double calls;			   /* in which samples were taken */
	double whole, whole_squares;	   /* of y_i, y_i^2 */
	ARRAY(struct scatter_sum *) pages; /* by SCATTER_OF a function; NULL: nothing there */
};

struct scatter_side {
	double whole, whole_squares; /* of y_i, y_i^2 */
	struct scatter_sum *sums;    /* by SCATTER_OF a function */
};

/* Zero with fs is valid: nothing was added. */
struct scatter {
	const struct functions *fs;
	ARRAY(struct scatter_stratum) strata; /* with the numbers that they have there */
	/* of the call at hand; arrays by SCATTER_OF a function */
	double *given;
	uint32_t *stamp; /* the last sample that gave to it */
	uint32_t room, stamps;
	double whole;
	ARRAY(uint32_t) touched;
};

/* Samples of one call (or of several that are forgotten), all of one stratum. */
void scatter_add(struct scatter *s, const struct strata_taken *taken, uint32_t count);
/* What was added of a stratum. */
void scatter_forget(struct scatter *s, uint32_t stratum);
/* What the median of a side's sampled calls was sampled for, nanoseconds; 0: there are none. */
double scatter_typical(const struct scatter *s, const struct strata *strata, enum side side);
/* Are there any in strata whose calls were sampled for more than that on average? */
bool scatter_has_longer(const struct scatter *s, const struct strata *strata, enum side side,
			double most);
/* The sums of a side of strata that were shared; net: times every weight.  Calls of strata that
 * were sampled for more than `most` nanoseconds on average count as if it were that.  ret->sums
 * is the caller's. */
void scatter_side(const struct scatter *s, const struct strata *strata, enum side side,
		  double net, double most, struct scatter_side *ret);
void scatter_done(struct scatter *s);

#endif
