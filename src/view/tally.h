/*
 * tally - how long the calls of a probe took, and on which side of a split
 * they fall.
 *
 * Where the split is decided by the duration alone, calls per side are read
 * off the histogram, which counts all calls.  Otherwise they are estimated:
 * in each octave of durations the histogram says how many calls there were,
 * and the sampled ones among them (each weighted by 1 / (1 - exp(-d / T)), the
 * inverse of its chance to be hit by a tick every T while it ran for d; Horvitz
 * and Thompson 1952) say which part is on which side; an octave where none was
 * sampled takes the parts of all.  Totals thus always equal the histogram's.
 * Calls that have not ended are added to the side their samples are on.
 */
#ifndef SONDE_VIEW_TALLY_H
#define SONDE_VIEW_TALLY_H

#include "view/query.h"
#include "view/strata.h"

/* Adds a probe's numbers to the picture's spans. */
void calls_add_span(struct picture *p, const struct store *st, const struct store_probe *probe,
		    const struct window *w);

struct calls_question {
	const struct store *store;
	const struct window *window; /* resolved */
	const struct split *split;   /* bound */
	bool filtered;		     /* the query takes only some threads */
};

/* Fills calls, calls_exact and mean_nsec of the picture's sides, from strata that were
 * shared. */
void calls_by_side(struct picture *p, const struct calls_question *q,
		   const struct strata *strata);

#endif
