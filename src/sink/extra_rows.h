/*
 * extra_rows - which functions the table of differences has, and how their lines nest.
 *
 * Functions that do nothing but call one another have the same numbers: three and more share a
 * line, which has the name of the outermost; the kernel's need not be quite the same.  So a
 * long way to where the time goes takes no room from what else differs.
 */
#ifndef SONDE_SINK_EXTRA_ROWS_H
#define SONDE_SINK_EXTRA_ROWS_H

#include "view/nest.h"

struct extra_rows {
	const struct picture *p;
	uint32_t of[NEST_MOST]; /* indices of functions: what differs most comes first, what is
				   within noise last */
	uint32_t count;
	struct nest nest;
	/* the one that shares its line and is called by it, NEST_NONE: none; and whether it
	 * shares that of the one that it lies within */
	uint32_t next[NEST_MOST];
	bool follows[NEST_MOST];
	bool said[NEST_MOST]; /* the verdict names it: it is looked for here */
};

/* Lines that are a part of several others add nothing to them: they have a block of their own.
 * Does the one begin a line there, in no other of it? */
static inline bool extra_rows_apart(const struct extra_rows *t, uint32_t i)
{
	uint32_t within = t->nest.within[i];

	return t->nest.shared[i] && !t->follows[i] &&
	       (within == NEST_NONE || !t->nest.shared[within]);
}

/* Does the one begin a line directly below the other (NEST_NONE: below none)? */
static inline bool extra_rows_below(const struct extra_rows *t, uint32_t i, uint32_t parent)
{
	return t->nest.within[i] == parent && !t->follows[i] && !extra_rows_apart(t, i);
}

/* Of p, whose sides are compared. */
void extra_rows_make(struct extra_rows *t, const struct picture *p);
const struct picture_function *extra_row(const struct extra_rows *t, uint32_t i);
/* How many lines are around one, at most. */
unsigned extra_rows_depth(const struct extra_rows *t);

#endif
