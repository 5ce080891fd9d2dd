/*
 * cause - the functions that make one kind of calls longer than the rest.
 *
 * A candidate stands out from chance, has a tenth of the extra CPU time, and more of
 * that than of the rest's time: what only takes part in a longer call is none.
 *
 * Candidates call one another, and a caller has all the time of what it calls.  So the
 * search goes down from the span: where one candidate has nine tenths of the extra time
 * of where the way began, or has all that is more than part of a longer call, on to it; where
 * two or three beside each other have, to each of them.  It ends where that splits up; at the
 * outermost function that the rest never runs; and at the border of the kernel, or at an
 * interrupt.  One without a name stands back for one with a name that has three quarters of it.
 */
#ifndef SONDE_VIEW_CAUSE_H
#define SONDE_VIEW_CAUSE_H

#include "view/picture.h"

#define CAUSES_MAX 3

struct cause {
	const struct picture_function *function; /* may be &p->itself */
	double extra_nsec; /* a call: of the function where the search came by it, not of
			      calls of it from elsewhere */
	uint32_t wait;	   /* frame of what most of it is waited for, 0 = of none */
	uint32_t owner;	   /* frame of who has that, 0 = it is not known, or many do */
};

/* cpu_nsec: the extra CPU time of a call, more than nothing.  Returns how many there are, the
 * largest first; no two of them share their time. */
unsigned cause_find(const struct picture *p, double cpu_nsec, struct cause ret[CAUSES_MAX]);

/* What most of the extra time of one is waited for; cause_find() asks. */
void cause_find_wait(const struct picture *p, struct cause *cause);

/* Whether the difference stands out from chance, among so many that are looked at. */
bool function_is_significant(const struct picture *p, const struct picture_function *f);

#endif
