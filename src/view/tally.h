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

#include "model/split.h"
#include "view/query.h"

/* A sample within a call, as it was judged; one for each side that it may be on. */
struct judged {
	span_id call;	/* 0: which one is forgotten */
	nsec duration;	/* of the call, if it is on this side; 0: it has not ended */
	double chance;	/* that it is on this side */
	double samples; /* that count here (view/odds.h): a part of `of` */
	double weight;	/* nanoseconds, of all of them */
	double of;	/* a part of a sample; many, when their calls are forgotten */
	uint32_t node;	/* of the picture */
	uint8_t side;	/* enum side, NR_SIDE = the query's filter leaves it out */
};

struct judged_list {
	ARRAY(struct judged) all; /* sorted by call when calls_by_side begins */
};

/* Adds a probe's numbers to the picture's spans. */
void calls_add_span(struct picture *p, const struct store *st, const struct store_probe *probe,
		    const struct window *w);

struct calls_question {
	const struct store *store;
	const struct window *window; /* resolved */
	const struct split *split;   /* bound */
	bool filtered;		     /* the query takes only some threads */
};

/* Fills calls, calls_exact and mean_nsec of the picture's sides. */
void calls_by_side(struct picture *p, const struct calls_question *q,
		   const struct judged_list *judged);

#endif
