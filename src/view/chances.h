/*
 * chances - how likely a sample is on each side of a split.
 *
 * Most are on one for sure; those of brief calls as view/odds.h has it.
 */
#ifndef SONDE_VIEW_CHANCES_H
#define SONDE_VIEW_CHANCES_H

#include "view/odds.h"

/* What samples are judged by. */
struct judge {
	const struct store *store;
	const struct split *split; /* bound */
	nsec now;		   /* the newest time known */
	struct odds odds;	   /* of the split */
};

struct chances {
	double chance[NR_SIDE]; /* sum: 1 */
	double part[NR_SIDE];	/* of it counts there (view/odds.h); sum: 1 */
	double mean[NR_SIDE];	/* nanoseconds that its call then lasts; 0: it has not ended,
				   or there is none */
};

/* Returns the call that it is about, NULL = none. */
const struct span *chances_of_sample(struct judge *j, const struct sample *s,
				     struct chances *ret);
/* Of a bucket of the cube, for a split that durations alone decide. */
void chances_of_bucket(struct judge *j, uint32_t bucket, struct chances *ret);

#endif
