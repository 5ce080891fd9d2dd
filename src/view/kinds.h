/*
 * kinds - to which stratum a sample belongs.
 */
#ifndef SONDE_VIEW_KINDS_H
#define SONDE_VIEW_KINDS_H

#include "view/strata.h"

/* What samples are judged by. */
struct kinds {
	const struct store *store;
	const struct split *split; /* bound */
	nsec now;		   /* the newest time known */
	bool by_duration;	   /* which decides, together with what all samples share */
	struct odds *odds;	   /* of the split; by_duration: not asked */
};

/* left_out: by the question's filter.  Returns the call that it is about, NULL = none. */
const struct span *kind_of_sample(const struct kinds *k, const struct sample *s, bool left_out,
				  struct stratum_kind *ret);
/* Of a bucket of the cube; only where durations decide. */
struct stratum_kind kind_of_bucket(const struct kinds *k, uint32_t bucket);
struct stratum_kind kind_of_side(enum side side);

#endif
