/*
 * scatter - by how much calls differ in what they give to each function.
 *
 * Of the calls i of one side: y_i is the sampled time of a call, g_i what of it is in
 * the function; most calls have neither.  Kept are the sums of squares and products
 * that variances of means and of proportions are made of.
 */
#ifndef SONDE_VIEW_SCATTER_H
#define SONDE_VIEW_SCATTER_H

#include "view/function.h"
#include "view/tally.h"

struct scatter_side {
	double whole;	      /* sum of y_i */
	double whole_squares; /* of y_i^2 */
	double *squares;      /* by function: sum of g_i^2 */
	double *cross;	      /* sum of g_i y_i */
};

struct scatter {
	const struct functions *fs;
	struct scatter_side sides[2]; /* SIDE_IN and SIDE_REST */
	/* of the call (and side) at hand */
	double *given;	     /* by function */
	double whole, times; /* that is so many calls */
	uint32_t *stamp;     /* by function: the last sample that gave to it */
	ARRAY(uint32_t) touched;
};

/* The list is sorted by call.  Arrays have an element more than there are functions: the
 * span's own code, without what it calls. */
void scatter_init(struct scatter *s, const struct functions *fs,
		  const struct judged_list *list);
void scatter_done(struct scatter *s);

#endif
