/*
 * roll - every thread once: where it is, and what it waits for.
 *
 * Made of the newest sample of each thread that has not ended; threads whose stacks are the
 * same, address by address, are a group.  Complete and self-contained, as a picture is.
 */
#ifndef SONDE_VIEW_ROLL_H
#define SONDE_VIEW_ROLL_H

#include "model/naming.h"
#include "model/store.h"
#include "view/hold.h"
#include "view/picture.h"
#include "view/query.h"

struct roll_thread {
	uint32_t tid, pid;
	text_id name;	/* in the picture's texts */
	text_id comm;	/* of its process */
	nsec since;	/* how long ago it got a CPU last, 0 = not known, or it runs */
	uint32_t group; /* UINT32_MAX: it was not seen */
	struct hold hold;
	uint32_t owner; /* thread that has what it waits for, 0 = not known, or none has */
	text_id owner_name;
	bool gone; /* who has it has ended */
};

struct roll_group {
	uint32_t node; /* of the picture: the innermost frame */
	enum sample_cause cause;
	uint8_t user_end;      /* enum stack_end */
	uint32_t first, count; /* among threads */
};

/* Threads that wait for one another, each for the next, the last for the first. */
struct roll_cycle {
	ARRAY(uint32_t) tids;
};

struct roll {
	struct picture *picture; /* folded by address; nothing in it has a weight */
	/* as the groups are; those that were not seen come last */
	ARRAY(struct roll_thread) threads;
	/* that of the first process' first thread; those that have what others wait for; then
	 * those with few threads */
	ARRAY(struct roll_group) groups;
	ARRAY(struct roll_cycle) deadlocks;
};

/* Of the query which threads, and which halves of stacks; its fold is by address.  now: the
 * moment that waits have lasted until; threads that stay as they were are told of only twice
 * a second. */
struct roll *roll_call(const struct store *st, const struct query *q,
		       const struct naming *naming, nsec now);
/* Leaves out those that were not seen. */
void roll_drop_unseen(struct roll *r);
void roll_free(struct roll *r); /* NULL is fine */

#endif
