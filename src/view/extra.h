/*
 * extra - what slow calls do more than the others, function by function.
 *
 * For each function called within the span: the mean time a call spends in it,
 * on each side.  m = W / C, with W the weight of the samples in the function
 * and C the number of calls of that side.  These means add up over the tree.
 *
 * Its interval: a side is C calls, of which call i gives y_i of sampled time to
 * the function; most give none.  Calls and samples are both chance, and since
 * y_i varies by either, the spread of the y_i has both (a compound Poisson
 * sum): Var(m) = (sum y_i^2 - m^2 C) / C^2, and at least one sample's worth,
 * T^2 / C^2.  Estimated numbers of calls (see view/tally.h) add m^2 over the
 * number of sampled calls.
 *
 * Whether it is more than a longer call of the same kind would have is another question:
 * model/proportion.h.
 *
 * One call that is as long as twenty others makes such an interval wide, however often these
 * others were in the function: the mean is not well known then, and yet that it is more is no
 * chance.  So what is told from chance is also judged with calls that were sampled for more
 * than OUTLIER times what the median of their side was, each as if it had been sampled for that
 * (winsorized: Tukey 1962): if what is left of the difference is farther from chance, it is
 * as far.
 *
 * Nor do few samples say by their own spread how far from chance they are: eleven on one side
 * and none on the other would be z = 3.3, whatever the sides are.  How many of them are on
 * either side says more (proportion_z_of_counts()), where they are counts, and those that come
 * together in a call are one: if that is farther from chance, it is as far.
 *
 * Which frames are within the span: those below the outermost frame of the
 * probed function.  Where that frame is missing (a frame-pointer walk skips
 * the caller of a function that has not set up its frame yet), those below the
 * last function that is seen above the probed one in other stacks.
 */
#ifndef SONDE_VIEW_EXTRA_H
#define SONDE_VIEW_EXTRA_H

#include "view/fold.h"
#include "view/scatter.h"
#include "view/tally.h"

/* Zero with fold, functions.picture and scatter.fs is valid. */
struct extra {
	const struct fold *fold;
	struct functions functions;
	struct scatter scatter;
	ARRAY(uint8_t) marks; /* of each frame */
	ARRAY(uint8_t) ways;  /* of each node, from the root to it */
};

void extra_init(struct extra *x, const struct fold *f);
/* Takes in the nodes that are new; probe: of the split.  False: they tell that others are not
 * what they seemed to be, and all that was told to the scatter has to be told again, to a new
 * one. */
bool extra_reach(struct extra *x, const struct store_probe *probe);
/* Fills functions, itself, z_least, off_in_nsec and off_rest_nsec from the picture's nodes and
 * sides, and the strata that were told to the scatter and shared; net: times every weight. */
void extra_functions(struct extra *x, const struct strata *strata, double net);
void extra_done(struct extra *x);

#endif
