/*
 * sample - the newest moments of threads, in a bounded ring.
 *
 * In order of arrival, which is nearly that of time.  Every sample has a
 * number that counts up from 0 and never changes.  When the ring is full its
 * owner takes the oldest out first (see store_drop_sample): it is forgotten as
 * a sample, but its weight stays in the cube.
 */
#ifndef SONDE_MODEL_SAMPLE_H
#define SONDE_MODEL_SAMPLE_H

#include "base/clock.h"
#include "model/span.h"
#include "model/tree.h"
#include "wire/event.h"

struct sample {
	nsec time;
	nsec weight;  /* what it stands for */
	span_id span; /* innermost open span, 0 = none */
	node_id node; /* its stack */
	uint32_t tid, pid;
	uint16_t cpu;
	uint8_t cause;	  /* enum sample_cause */
	uint8_t user_end; /* enum stack_end */
	/* what the thread did that has what this one waits for, or that woke it
	 * (model/holder.h): 0 = none has it, or it is not known; HELD_LATER */
	uint32_t held;
	/* of a wait that nobody is known to have ended: so many samples before this one is
	 * another of it; 0 = none */
	uint32_t before;
};

struct samples {
	struct sample *ring;
	uint32_t room, limit;
	uint32_t head, count;
	uint64_t dropped; /* how many left the ring: the number of the oldest in it */
};

void samples_init(struct samples *s, uint32_t limit);
void samples_done(struct samples *s);
bool samples_full(const struct samples *s);
/* A zeroed newest sample; the ring is not full. */
struct sample *sample_add(struct samples *s);
/* Takes the oldest out. */
void sample_drop(struct samples *s);

/* How many moments, a period apart, it stands for: one of a thread that runs; of one that
 * waits it may be a part of one, or many. */
static inline double sample_moments(const struct sample *s, nsec period)
{
	return s->cause == CAUSE_CPU || !period ? 1 : (double)s->weight / period;
}

/* i counts from the oldest, 0 <= i < count. */
static inline struct sample *sample_at(const struct samples *s, uint32_t i)
{
	uint64_t at = (uint64_t)s->head + i;

	return &s->ring[at < s->room ? at : at - s->room];
}

#endif
