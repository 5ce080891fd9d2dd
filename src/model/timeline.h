/*
 * timeline - what a probe counted, interval by interval: all its calls.
 *
 * Each EVENT_CALLS is one interval with its sparse distribution.  The number
 * of intervals and of their buckets is bounded: the oldest are merged into a
 * base, which answers only for windows that reach back to the beginning.
 */
#ifndef SONDE_MODEL_TIMELINE_H
#define SONDE_MODEL_TIMELINE_H

#include "base/array.h"
#include "base/clock.h"
#include "model/dist.h"
#include "model/window.h"
#include "wire/event.h"

#define TIMELINE_INTERVALS 4096
#define TIMELINE_BUCKETS (256 * 1024) /* of one probe's intervals together */

/* Nanoseconds that are summed over calls. */
enum call_sum {
	SUM_UNSURE, /* the intervals in which those of [END_BRACKET] ended */
	SUM_PROBED, /* what was taken off their durations for probes */
	NR_CALL_SUM,
};

struct interval {
	nsec since, time; /* (since, time] */
	uint64_t entries;
	uint64_t ended[NR_SPAN_END];
	uint64_t sum[NR_CALL_SUM];
	struct call_bucket *buckets; /* its own */
	uint32_t nr_bucket;
};

/* Zero is valid and empty. */
struct timeline {
	ARRAY(struct interval) ring;
	uint32_t head;	    /* index of the oldest */
	uint32_t nr_bucket; /* of all intervals */
	nsec max;	    /* longest duration of the whole run */
	/* everything that was merged away */
	nsec base_since, base_time;
	uint64_t base_entries, base_ended[NR_SPAN_END], base_sum[NR_CALL_SUM];
	struct dist *base; /* NULL: nothing yet */
};

/* What a timeline answers for a window; counts are weighted as the window says. */
struct call_count {
	double entries, ended[NR_SPAN_END];
	double sum[NR_CALL_SUM];
	uint64_t open;	  /* running when the window ends: entered before, not ended */
	nsec max;	  /* longest call; for a part of the run, the end of its bucket */
	struct dist dist; /* of the calls that returned, or were over */
};

void timeline_done(struct timeline *t);
/* nr_bucket of e->buckets are really there. */
void timeline_add(struct timeline *t, const struct event_calls *e, uint32_t nr_bucket);
/* Adds ends to the newest interval, or to one of their own when they are not of it. */
void timeline_end(struct timeline *t, const struct event_ends *e, uint32_t nr_ends);
/* Adds to the newest interval, as timeline_end() does. */
void timeline_sum(struct timeline *t, enum call_sum sum, const struct event_call_sum *e);
/* An interval counts when its middle lies in the window. */
void timeline_count(const struct timeline *t, const struct window *w, struct call_count *ret);

#endif
