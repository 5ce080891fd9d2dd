/*
 * nest - which of a table's functions lie within which.
 *
 * A function lies within another when nine tenths of its time are spent with the other
 * around it: then its line is a part of the other's.  One that is called from several
 * places may be a part of other lines too, with less: what is shown then does not add up,
 * and that is to be said.
 */
#ifndef SONDE_VIEW_NEST_H
#define SONDE_VIEW_NEST_H

#include "view/picture.h"

#define NEST_MOST 64 /* functions */
#define NEST_NONE UINT32_MAX

struct nest {
	uint32_t count;
	uint32_t within[NEST_MOST]; /* the innermost that it lies within, or NEST_NONE */
	bool shared[NEST_MOST];	    /* more than a tenth is a part of other lines, too */
};

/* of: indices into p->functions, at most NEST_MOST.  A function's time is that of SIDE_IN,
 * or of SIDE_REST where a call spends more there. */
void nest_make(struct nest *n, const struct picture *p, const uint32_t *of, uint32_t count);

#endif
