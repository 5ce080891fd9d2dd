/*
 * shape - the form of a distribution of durations: its modes, and the kinds of calls around
 * them.
 *
 * The scale is logarithmic, from the shortest call (or what can be told from none) to the
 * longest.  A hump of the smoothed curve is a mode when it has 1 % of the calls and the valley
 * to the next one is clearly deeper than chance makes it.  From valley to valley calls are of
 * one kind.
 */
#ifndef SONDE_VIEW_SHAPE_H
#define SONDE_VIEW_SHAPE_H

#include "view/picture.h"

#define SHAPE_MODES 4

/* Calls of one kind. */
struct shape_mode {
	double nsec;  /* the duration around which most gather */
	double until; /* the valley behind it, nanoseconds; of the last one the longest call */
	double share; /* of all calls, 0..1 */
};

/* Spreads the calls over n equal steps of the scale; ret_bins has n elements.  Nothing for no
 * calls. */
void shape_bins(const struct picture_span *span, double *ret_bins, unsigned n);

/* Shortest first.  Those that cannot be told from none are one, at that.  Returns how many, at
 * most SHAPE_MODES; 0: there are no calls. */
unsigned shape_modes(const struct picture_span *span, struct shape_mode ret[SHAPE_MODES]);

/* The round number nearest to a duration, on the scale of the logarithm. */
nsec shape_round(double duration);

/* A bound with calls of two kinds above it. */
struct shape_mix {
	double nsec;  /* around which the shorter kind gathers */
	double share; /* of the calls above the bound: of that kind, 0..1 */
	nsec bound;   /* a round one between the kinds */
};

/* A bound that parts calls of one kind, which are longer than others. */
struct shape_cut {
	double nsec;  /* around which that kind gathers */
	double share; /* of its calls: below the bound, 0..1 */
	nsec bound;   /* a round one below all of them */
};

/* A round bound below the longest kind; 0: there is one kind, or none. */
nsec shape_longest(const struct picture_span *span);

/* Whether at least a tenth of the calls above a bound are of a kind that it cuts through, and
 * as many of longer ones. */
bool shape_mixed(const struct picture_span *span, nsec bound, struct shape_mix *ret);
/* Whether at least a tenth of a kind that is not the shortest is below a bound, and as many are
 * above. */
bool shape_parted(const struct picture_span *span, nsec bound, struct shape_cut *ret);

#endif
