/*
 * recursion - the tree without functions that call themselves.
 *
 * A function below itself is a line after a line that say the same; what it calls is
 * spread over them.  Here such nodes are one, the outermost, and what they call is joined.
 * Only direct calls count: a function that comes back through another stays as it is.
 */
#ifndef SONDE_VIEW_RECURSION_H
#define SONDE_VIEW_RECURSION_H

#include "view/picture.h"

struct recursion {
	uint32_t *home;	 /* of a node: the one it is a part of, most often itself */
	uint32_t *times; /* of a home: how often it is below itself at most, and once more */
};

void recursion_find(struct recursion *r, const struct picture *p);
void recursion_done(struct recursion *r);

/* The home that a home is called in; of the root: 0. */
static inline uint32_t recursion_parent(const struct recursion *r, const struct picture *p,
					uint32_t home)
{
	return r->home[p->nodes.at[home].parent];
}

/* As picture_totals(), of homes; 0 for other nodes. */
void recursion_totals(const struct recursion *r, const struct picture *p, unsigned sides,
		      bool in_nsec, uint64_t *ret_total);

#endif
