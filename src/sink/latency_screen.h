/*
 * latency_screen - the durations of a span's calls, drawn for a person.
 */
#ifndef SONDE_SINK_LATENCY_SCREEN_H
#define SONDE_SINK_LATENCY_SCREEN_H

#include "base/text.h"
#include "view/picture.h"

/* What an interval told, beside the whole run. */
struct latency_now {
	double rate;	    /* calls a second */
	nsec p50, p95, p99; /* 0 = there were no calls */
};

/* A headline and a histogram with two rows an octave, or fewer where it would take more than
 * so many lines (0: any).  columns: of the terminal. */
void latency_draw(const struct picture *p, const struct picture_span *span,
		  const struct latency_now *now, unsigned columns, unsigned lines,
		  struct text *to);
/* The object of `latency --json`, and a newline. */
void latency_json(const struct picture *p, const struct picture_span *span,
		  const struct latency_now *now, bool final, struct text *to);

#endif
