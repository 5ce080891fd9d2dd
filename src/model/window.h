/*
 * window - which time a question is about.
 *
 * Asked in the user's words (--last 10s, --ewma 30s, --all, from..to), then
 * resolved against the time that is known.
 */
#ifndef SONDE_MODEL_WINDOW_H
#define SONDE_MODEL_WINDOW_H

#include "base/clock.h"

#include <stdbool.h>

enum window_kind {
	WINDOW_ALL,   /* everything, also what is only kept in the cube */
	WINDOW_LAST,  /* the last `length` before the newest event */
	WINDOW_RANGE, /* from <= t <= to */
	WINDOW_EWMA,  /* everything, weighing half as much with each `length` of age */
};

struct window {
	enum window_kind kind;
	nsec length;   /* WINDOW_LAST: how long; WINDOW_EWMA: the half-life; > 0 */
	nsec from, to; /* WINDOW_RANGE: given; else set by window_resolve */
};

/* The same window with from and to set; first..newest is the time known. */
struct window window_resolve(const struct window *asked, nsec first, nsec newest);
/* How much a moment counts in a resolved window: 0 outside, 1 inside, 0..1 for
 * WINDOW_EWMA: 2^-((to - time) / length). */
double window_weight(const struct window *w, nsec time);
/* What window_weight sums to over its time, in seconds: what rates divide by. */
double window_seconds(const struct window *w);

#endif
