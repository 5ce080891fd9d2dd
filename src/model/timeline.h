/*
 * timeline - what a probe counted, interval by interval: all its calls.
 *
 * Each EVENT_CALLS is one interval with its sparse distribution.  The number of intervals
 * and of their buckets is bounded: when there are too many, two neighbours each of the
 * older half become one.  So nothing is forgotten but where older intervals ended, and
 * the newest are as fine as they came.  No interval can be cut: a window is widened to
 * whole ones first.
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
	SUM_TIMED,  /* the durations of those of which the next two are known */
	SUM_AWAY,   /* how long they had no CPU */
	SUM_QUEUED, /* and of that, could run */
	NR_CALL_SUM,
};

struct interval_bucket {
	uint32_t bucket;
	uint64_t count;
};

struct interval {
	nsec since, time; /* (since, time] */
	uint64_t entries;
	uint64_t ended[NR_SPAN_END];
	uint64_t sum[NR_CALL_SUM];
	struct interval_bucket *buckets; /* its own */
	uint32_t nr_bucket;
};

/* Zero is valid and empty. */
struct timeline {
	ARRAY(struct interval) all; /* oldest first */
	uint32_t nr_bucket;	    /* of all intervals */
	nsec max;		    /* longest duration of the whole run */
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
/* Makes the older half of it coarser, if there are two intervals at least. */
void timeline_coarsen(struct timeline *t);
/* nr_bucket of e->buckets are really there. */
void timeline_add(struct timeline *t, const struct event_calls *e, uint32_t nr_bucket);
/* Adds ends to the newest interval, or to one of their own when they are not of it. */
void timeline_end(struct timeline *t, const struct event_ends *e, uint32_t nr_ends);
/* Adds to the newest interval, as timeline_end() does. */
void timeline_sum(struct timeline *t, enum call_sum sum, const struct event_call_sum *e);
/* Moves the ends of a resolved window that has some outwards to those of the intervals they
 * lie in: then samples and calls are of the same time. */
void timeline_widen(const struct timeline *t, struct window *w);
/* An interval counts when its middle lies in the window. */
void timeline_count(const struct timeline *t, const struct window *w, struct call_count *ret);

#endif
