/*
 * spark - the shape of a distribution in one line, and its modes.
 *
 * The scale is logarithmic from the shortest call (or what can be told from none) to the
 * longest, heights are
 * the square root of the calls per step: a slow tail of one per cent is still
 * to be seen beside the bulk.
 */
#ifndef SONDE_SINK_SPARK_H
#define SONDE_SINK_SPARK_H

#include "base/text.h"
#include "view/picture.h"

#define SPARK_MODES 4

/* Adds at most `columns` characters "▁▂▅█ ▁"; nothing for no calls. */
void spark_line(struct text *t, const struct picture_span *span, unsigned columns);

/* The durations around which calls gather, shortest first; a hump counts when
 * it has 1 % of the calls, and the valley to the next one is clearly deeper
 * than chance makes it.  Those that cannot be told from none are one, at that.  Returns how
 * many, at most SPARK_MODES. */
unsigned spark_modes(const struct picture_span *span, double ret_modes[SPARK_MODES]);

#endif
