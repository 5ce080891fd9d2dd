/*
 * blur - how much of a comparison is lost because calls are too brief for a sample to tell
 * which of them it fell in, and at which bound less would be.
 */
#ifndef SONDE_VIEW_BLUR_H
#define SONDE_VIEW_BLUR_H

#include "view/picture.h"
#include "view/strata.h"

#define BLUR_MOST 0.5 /* of the difference: more is lost than left */

/* What is lost of the difference between the sides, as the strata are shared now: 0..1.  Of
 * what they are made of, or of what a call takes longer, whichever is known better: a few
 * calls, but a hundred times as long as the others, may have nearly all samples. */
double blur_of(const struct strata *strata, double calls_in, double calls_rest);
/* A round bound on the duration at which no more than BLUR_MOST is lost, with some calls on
 * both sides: the one between kinds of calls that is nearest to what was asked, else the next
 * longer one; 0: there is none. */
nsec blur_least(const struct strata *strata, const struct odds *odds,
		const struct picture_span *span, nsec asked);

#endif
