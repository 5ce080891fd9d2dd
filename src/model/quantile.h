/*
 * quantile - of what the sampled calls say, for that of which no histogram of all is kept.
 */
#ifndef SONDE_MODEL_QUANTILE_H
#define SONDE_MODEL_QUANTILE_H

#include "model/expression.h"
#include "model/store.h"

/* The time (in nanoseconds) that a part of a probe's calls within a (resolved) window have less
 * of: each sampled call counts for as many as have to be made until one like it is
 * sampled, 1 / (1 - exp(-length / period)); if only waiting is sampled, by how long it waited.
 * 0 < part < 1.  INFINITY: of none it is known. */
double quantile_of_calls(const struct store *st, const struct window *w, uint32_t probe,
			 enum expression_subject subject, double part);

#endif
