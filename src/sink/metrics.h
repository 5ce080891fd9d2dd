/*
 * metrics - how sonde and what it watches are doing, for Prometheus.
 *
 * Text exposition format 0.0.4.  Counters are of all that was gathered.
 */
#ifndef SONDE_SINK_METRICS_H
#define SONDE_SINK_METRICS_H

#include "base/text.h"
#include "view/picture.h"

/* What sonde itself has used. */
struct metrics_own {
	double cpu_seconds;
	uint64_t peak_bytes; /* of memory */
};

/* A picture of all there is. */
void metrics_write(const struct picture *p, const struct metrics_own *own, struct text *to);

#endif
