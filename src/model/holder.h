/*
 * holder - what threads do that have what others wait for.
 *
 * A thread that has a lock which another waits for is followed from then on: its newest
 * stretches are kept, a moment on a CPU or a wait.  What it did at a moment of that other's
 * wait is known if one of them reaches into that wait, and is near: between two samples a lock
 * may be taken and given back, and what is seen of its thread then has nothing to do with it.
 * That is asked a little later (holders_settle()), when what comes after is known too.
 */
#ifndef SONDE_MODEL_HOLDER_H
#define SONDE_MODEL_HOLDER_H

#include "base/array.h"
#include "base/table.h"
#include "model/sample.h"

#define HOLDERS_MAX 1024     /* threads that are followed, */
#define HOLDER_STRETCHES 512 /* and the newest of each (32 bytes) */
#define HELD_MAX (1u << 20)  /* 12 bytes each */
#define HELD_STEPS 10	     /* who waits for whom, at most */
#define HOLDERS_DUE 65536    /* moments of which it is to be asked (48 bytes) */

#define HELD_LATER UINT32_MAX /* instead of a number: it will be known later */

/* What a thread did, and what the one did that it waited for itself. */
struct held {
	node_id node;
	uint32_t tid;
	uint32_t next; /* number of another; 0: there is none, or it is not known */
};

struct stretch {
	nsec from, until; /* until UINT64_MAX: it lasts */
	node_id node;
	uint32_t owner; /* thread that has what it waited for, 0 = none, or not known */
};

/* A moment of a wait, and what of the wait is known. */
struct moment {
	nsec at, from, to;
};

struct holder {
	uint32_t tid;
	ARRAY(struct stretch) stretches;
};

struct holder_due {
	uint64_t sample; /* its number */
	nsec told;
	struct moment moment;
	uint32_t tid; /* who has it */
};

struct holders {
	ARRAY(struct holder) list;
	struct table tids;
	ARRAY(struct held) held;
	struct table ids;
	ARRAY(struct holder_due) due; /* in the order they were told, from `asked` on */
	uint32_t asked;
	nsec period;	  /* of samples */
	uint64_t refused; /* threads that were not followed, and what found no number */
};

void holders_done(struct holders *h);
/* now: what it is doing; NULL: that is not known. */
void holder_follow(struct holders *h, uint32_t tid, const struct stretch *now);
/* Nothing, if it is not followed.  What lasted has ended. */
void holder_does(struct holders *h, uint32_t tid, const struct stretch *stretch);
/* What began then was seen until then, whatever came after it. */
void holder_ends(struct holders *h, uint32_t tid, nsec from, nsec until);
/* What a thread did at a moment, a number from 1; 0: that is not known. */
uint32_t holder_at(struct holders *h, uint32_t tid, const struct moment *moment);
/* NULL: there is none of that number. */
const struct held *held_at(const struct holders *h, uint32_t number);
/* For a sample that is HELD_LATER. */
void holder_ask_later(struct holders *h, const struct holder_due *due);
/* Answers what was asked before a time, if the sample is there still. */
void holders_settle(struct holders *h, struct samples *samples, nsec before);

#endif
