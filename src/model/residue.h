/*
 * residue - what a tick adds to the call it falls into, beyond what was taken off for it.
 *
 * Ticks are known to take some time, and as much is taken off every duration they fell
 * into; what they really took differs by microseconds from one to the next.  A call of
 * 4 us in which a tick fell is thus observed as lasting 4 us and a residue.
 *
 * How long it really was can be told in part: a tick falls into calls in proportion to
 * their duration d, calls that no tick fell into say how many there are of each (clean),
 * and so, by Bayes, of a call observed with o:
 *
 *	P(d | o)  ~  clean(d) * d * density(o - d)
 *
 * and each call so judged tells in turn how ticks are (Dempster, Laird and Rubin 1977, in
 * steps: Cappe and Moulines 2009).
 *
 * That is worth it for brief calls: of longer ones a tick is but a few per cent.
 */
#ifndef SONDE_MODEL_RESIDUE_H
#define SONDE_MODEL_RESIDUE_H

#include "model/dist.h"

#define RESIDUE_STEP 500.0 /* nanoseconds */
#define RESIDUE_CELLS 256
#define RESIDUE_BELOW 64 /* cells that stand for less than nothing */

/* Of a tick's residue: how often it was what, over [-32, 96) us. */
struct residue {
	double part[RESIDUE_CELLS];
	double total; /* their sum */
};

/* Calls that are observed as shorter (nanoseconds) are brief, where a tick comes every
 * period. */
uint64_t residue_brief(uint64_t period);
/* How much ticks differ, when so much is taken off for each (nanoseconds). */
double residue_spread(uint64_t taken);

/* Where nothing is known but how much ticks differ (nanoseconds, > 0): it falls off by e
 * within it to the left, and within twice of it to the right, where the chances are. */
void residue_guess(struct residue *r, double spread);
/* The part of all that is in a cell there; 0 outside of the cells. */
double residue_density(const struct residue *r, double nsec);

/* A call that was observed as lasting so long (nanoseconds): in which buckets it may be,
 * *ret_end being the one behind the last, and how likely, as weights.  Returns their sum,
 * 0 when no clean call is near. */
double residue_weigh(const struct residue *r, const struct dist *clean, double observed,
		     double ret[NR_BUCKET], uint32_t *ret_end);
/* What such a call tells of ticks, being so many cases (a part of one too); sum > 0.  What
 * was learned fades when a few thousand are known. */
void residue_learn_from(struct residue *r, double observed, double cases, const double *weights,
			uint32_t end, double sum);
/* From a guess, what all calls tell that ticks fell into; hit: as they were observed. */
void residue_fit(struct residue *r, double spread, const struct dist *clean,
		 const struct dist *hit);

#endif
