/*
 * losses - what was gathered and what was not, in the last line of a run.
 *
 * Both add plain text without a newline.
 */
#ifndef SONDE_SINK_LOSSES_H
#define SONDE_SINK_LOSSES_H

#include "base/text.h"
#include "view/picture.h"

/* "19,012 calls (all accounted for; 12 not timed: too_deep)", and of children. */
void losses_of_calls(const struct picture *p, struct text *to);
/* "9,604 samples (0 lost, 2 truncated, 0.3 % of frames unnamed), 19,012 calls
 * (all accounted for; 12 not timed: too_deep)". */
void losses_of_all(const struct picture *p, struct text *to);

#endif
