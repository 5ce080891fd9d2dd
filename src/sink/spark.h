/*
 * spark - the shape of a distribution in one line.
 *
 * The scale is that of view/shape.h, heights are the square root of the calls per step: a slow
 * tail of one per cent is still to be seen beside the bulk.
 */
#ifndef SONDE_SINK_SPARK_H
#define SONDE_SINK_SPARK_H

#include "base/text.h"
#include "view/picture.h"

/* Adds at most `columns` characters "▁▂▅█ ▁"; nothing for no calls. */
void spark_line(struct text *t, const struct picture_span *span, unsigned columns);

#endif
