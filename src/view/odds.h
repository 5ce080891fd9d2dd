/*
 * odds - on which sides of a split the brief calls are that ticks fell into.
 *
 * How long such a call was is known by chance only (model/residue.h), and so is its side.
 * The calls of the probe in the window say how many there are of each duration; what
 * ticks add is learned from all sampled ones.  So the chances of all samples for a side
 * sum up to what the histogram says of it.
 *
 * Chances alone would mix the sides: of what quick calls do, some goes to the slow ones.
 * So a sample counts on each side in parts that are stretched from the chances, such that
 * the samples of quick calls sum up to nothing among the slow ones, and the other way
 * round: with M[k][j] = the mean chance for j of calls that are in k, parts = chances x M^-1.
 * A part may be less than nothing, or more than one; their sum is one.
 */
#ifndef SONDE_VIEW_ODDS_H
#define SONDE_VIEW_ODDS_H

#include "model/matrix.h"
#include "model/residue.h"
#include "model/split.h"

#define ODDS_MOST \
	MATRIX_MOST /* intervals of durations that are told apart; the last has the rest */

/* Of a call, by interval between the split's bounds, ascending. */
struct odds_of_call {
	double chance[ODDS_MOST]; /* that it is in there; sum: 1 */
	double part[ODDS_MOST];	  /* of it counts there; sum: 1 */
	double mean[ODDS_MOST];	  /* nanoseconds that it then lasts, > 0 */
};

struct odds {
	const struct store_probe *probe;
	nsec tick;  /* what is taken off for one */
	nsec brief; /* only calls that are observed as shorter */
	uint32_t intervals;
	double bounds[ODDS_MOST];
	struct residue residue;
	struct dist *calls;	  /* of the probe, in the window; NULL = none is asked about */
	struct matrix stretch;	  /* parts = chances x this */
	struct odds_of_call **of; /* by bucket of what was observed, NULL = not asked yet */
};

/* split is bound, w resolved.  by_duration: that decides, so that nothing is asked where all
 * bounds are longer than any brief call. */
void odds_init(struct odds *o, const struct store *st, const struct split *split,
	       const struct window *w, bool by_duration);
/* To be asked first: how brief calls were observed that ticks fell into; those that fell
 * into sonde's probes are no use. */
void odds_learn(struct odds *o, const struct dist *hit);
/* A finished call that a tick fell into, by the bucket of what was observed; NULL: it lasted as
 * it was observed. */
const struct odds_of_call *odds_ask(struct odds *o, uint32_t bucket);
/* Of a call observed in a bucket: the chance that it lasted longer than each of n bounds. */
void odds_above(const struct odds *o, uint32_t bucket, const nsec *bounds, unsigned n,
		double *ret);
void odds_done(struct odds *o);

#endif
