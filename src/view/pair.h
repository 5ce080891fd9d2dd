/*
 * pair - two pictures compared, as one picture.
 *
 * SIDE_IN is what is now, SIDE_REST what was before, each with all its own
 * sides together.  Times and samples of before are scaled to the length of
 * now, so that sides can be compared as they are; a function's time "per call"
 * is its time per second of recording (and extra_share the part of the change
 * of all CPU time).  Frames are the same when name, image name and kind are.
 */
#ifndef SONDE_VIEW_PAIR_H
#define SONDE_VIEW_PAIR_H

#include "view/picture.h"

/* Neither is changed. */
struct picture *picture_pair(const struct picture *before, const struct picture *now);

#endif
