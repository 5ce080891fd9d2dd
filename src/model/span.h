/*
 * span - the calls of probed functions that were sampled, by id.
 *
 * Ids come from the kernel half; records about one span may arrive in any
 * order and any of them may be lost, so a span is made by whatever speaks of it
 * first (a sample, ENTER, LEAVE, OPEN) and filled in later.  Its probe is 0
 * until a record told it.
 *
 * The store is bounded: the span that ended longest ago is forgotten first,
 * and counted.  A span's parent ends after it, so it also stays longer.
 */
#ifndef SONDE_MODEL_SPAN_H
#define SONDE_MODEL_SPAN_H

#include "base/array.h"
#include "base/clock.h"
#include "base/table.h"
#include "wire/event.h"

#include <stdbool.h>

typedef uint64_t span_id;

#define SPAN_NONE UINT32_MAX
#define SPAN_MAX_NESTED 256 /* steps up a chain of parents; more is a broken record */

struct span {
	span_id id;	/* 0: a free slot */
	span_id parent; /* next open span of any probe around it, 0 = none */
	nsec began;	/* 0 = not known */
	nsec ended;
	nsec seen; /* last proof that it was still open */
	uint64_t retval;
	nsec away, queued;     /* without a CPU; of that: it could run */
	uint64_t last_sample;  /* number of the newest sample filed under it, + 1 */
	uint32_t probe;	       /* 0 = not known yet */
	uint32_t tid, pid;     /* 0 = not known */
	bool timed;	       /* away and queued hold */
	bool over;	       /* a LEAVE was seen (or concluded): ended and reason hold */
	uint8_t reason;	       /* enum span_end */
	uint32_t older, newer; /* neighbours in the list of the open or of the ended */
};

struct span_list {
	uint32_t oldest, newest; /* slots, SPAN_NONE = empty */
	uint32_t count;
};

struct spans {
	ARRAY(struct span) slots;
	struct table ids;
	uint32_t free_slot; /* chained by newer */
	struct span_list open, ended;
	uint32_t limit;
	uint64_t forgotten;	 /* ended ones */
	uint64_t forgotten_open; /* whose end was never seen */
};

void spans_init(struct spans *s, uint32_t limit);
void spans_done(struct spans *s);

/* NULL: not known (any more). */
struct span *span_find(const struct spans *s, span_id id);
/* Finds or makes it; id is not 0 and spans_full() is false. */
struct span *span_get(struct spans *s, span_id id);
/* Sets the end; a later call corrects an earlier one. */
void span_end(struct spans *s, struct span *span, nsec time, enum span_end reason);

bool spans_full(const struct spans *s);
/* The one to forget next: the one that ended first, else the oldest open one. */
struct span *spans_oldest(const struct spans *s);
void span_forget(struct spans *s, struct span *span);

/* True when the call really ended: by a return or by being left.  A call that
 * sonde stopped watching, or whose end was lost, has only a least duration. */
bool span_finished(const struct span *span);
/* Duration of a finished span; how long any other had run for sure at now
 * (0 when its begin is not known). */
nsec span_age(const struct span *span, nsec now);

#endif
