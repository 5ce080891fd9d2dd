/*
 * holder - what threads do that have what others wait for.
 *
 * A thread that has a lock which another waits for is followed from then on: its newest
 * stretches are kept, a moment on a CPU or a wait.
 */
#ifndef SONDE_MODEL_HOLDER_H
#define SONDE_MODEL_HOLDER_H

#include "base/array.h"
#include "base/intern.h"
#include "base/table.h"
#include "model/sample.h"

#define HOLDERS_MAX 1024     /* threads that are followed, */
#define HOLDER_STRETCHES 512 /* and the newest of each (32 bytes) */
#define HELD_MAX (1u << 20)  /* 20 bytes each */

#define HELD_LATER UINT32_MAX /* instead of a number: it will be known later */

/* What a thread did, and what the one did that it waited for itself; or of the one that ended
 * the wait, where it was when it did. */
struct held {
	node_id node;
	uint32_t tid;
	uint32_t next; /* number of another; 0: there is none, or it is not known */
	uint32_t by;   /* enum wake_by of the latter; 0: it has what is waited for */
	text_id name;  /* of the latter; in the store's texts */
};

struct stretch {
	nsec from, until; /* until UINT64_MAX: it lasts */
	node_id node;
	/* of a wait: thread that had what it waited for at first, and whose that is by now
	 * (lock_hold_at()); 0 = none, or not known */
	uint32_t owner, line;
};

struct holder {
	uint32_t tid;
	ARRAY(struct stretch) stretches;
};

struct holders {
	ARRAY(struct holder) list;
	struct table tids;
	ARRAY(struct held) held;
	struct table ids;
	uint64_t refused; /* threads that were not followed, and what found no number */
};

void holders_done(struct holders *h);
/* now: what it is doing; NULL: that is not known. */
void holder_follow(struct holders *h, uint32_t tid, const struct stretch *now);
/* Nothing, if it is not followed.  What lasted has ended. */
void holder_does(struct holders *h, uint32_t tid, const struct stretch *stretch);
/* What began then was seen until then, whatever came after it. */
void holder_ends(struct holders *h, uint32_t tid, nsec from, nsec until);
/* The stretch of a thread that is nearest to a moment, of those that reach into the time
 * from..to; NULL: none is near. */
const struct stretch *holder_at(const struct holders *h, uint32_t tid, nsec at, nsec from,
				nsec to, nsec reach);
/* A number from 1, the same for the same; 0: there is no room. */
uint32_t held_add(struct holders *h, const struct held *held);
/* NULL: there is none of that number. */
const struct held *held_at(const struct holders *h, uint32_t number);

#endif
