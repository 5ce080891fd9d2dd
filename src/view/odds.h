/*
 * odds - on which sides of a split the brief calls are that ticks fell into.
 *
 * How long such a call was is known by chance only (model/residue.h), and so is its side.
 * The calls of the probe in the window say how many there are of each duration; what
 * ticks add is learned from all sampled ones.  So the parts of all samples on a side sum
 * up to what the histogram says of it.
 */
#ifndef SONDE_VIEW_ODDS_H
#define SONDE_VIEW_ODDS_H

#include "model/residue.h"
#include "model/split.h"

#define ODDS_MOST 32 /* intervals of durations that are told apart; the last has the rest */

/* Of a call, by interval between the split's bounds, ascending. */
struct odds_of_call {
	double part[ODDS_MOST]; /* how likely it is in there; sum: 1 */
	double mean[ODDS_MOST]; /* nanoseconds that it then lasts; 0 where part is */
};

struct odds {
	nsec brief; /* only calls that are observed as shorter */
	uint32_t intervals;
	double bounds[ODDS_MOST];
	struct residue residue;
	struct dist *calls;	  /* of the probe, in the window; NULL = none is asked about */
	struct odds_of_call **of; /* by bucket of what was observed, NULL = not asked yet */
};

/* split is bound, w resolved. */
void odds_init(struct odds *o, const struct store *st, const struct split *split,
	       const struct window *w);
/* A finished call that a tick fell into; NULL: it lasted as it was observed. */
const struct odds_of_call *odds_ask(struct odds *o, nsec observed);
void odds_done(struct odds *o);

#endif
