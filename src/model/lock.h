/*
 * lock - what threads waited for in futex(2), and what lay there, as small numbers.
 *
 * What a futex is tell the functions that wait there (view/hold.h), when somebody asks; here
 * is what the kernel half saw (event_futex), once for all waits that are alike.
 */
#ifndef SONDE_MODEL_LOCK_H
#define SONDE_MODEL_LOCK_H

#include "base/array.h"
#include "base/table.h"
#include "model/space.h"
#include "wire/event.h"

#define LOCKS_MAX 65535	 /* 120 bytes each */
#define LOCK_LINES 65536 /* 24 bytes each, */
#define LOCK_CHANGES 512 /* and the newest of each (24 bytes) */

struct lock {
	uint32_t pid;
	/* The code that its address lies behind, for naming.variable: data of the same file
	 * does.  image 0: there is none. */
	uint32_t image;
	uint64_t offset, distance;
	struct event_futex futex; /* head is 0 */
};

/* Another thread that had it, from one look on. */
struct lock_change {
	nsec since;
	nsec before;  /* the one before was seen to have it so long; 0 = not known */
	uint32_t tid; /* 0 = not known */
};

/* A mutex while it is waited for. */
struct lock_line {
	ARRAY(struct lock_change) changes;
	nsec lost; /* there were some until then */
};

/* Who has one, from when to when it was seen so. */
struct lock_hold {
	uint32_t tid; /* 0 = not known */
	nsec from, to;
};

struct locks {
	ARRAY(struct lock) list;
	struct table ids;
	ARRAY(struct lock_line) lines;
	struct table line_ids;
	uint64_t refused; /* waits for one that found no room, and changes of one */
};

void locks_done(struct locks *l);
/* What a thread of a process waits for, as it maps its code now. */
struct lock lock_of(const struct spaces *spaces, uint32_t pid, const struct event_futex *futex);
/* Of the words there only those that may say who has it are kept, whichever lock it is: what
 * else is counted there would make each wait another lock.  is_thread: of a process, by the
 * number that it knows its thread by. */
void lock_keep_owners(struct lock *lock,
		      bool (*is_thread)(const void *context, uint32_t pid, uint32_t number),
		      const void *context);
/* Who has it, if it is a mutex, and if it is a read-write lock; 0 = not known. */
uint32_t lock_mutex_owner(const struct event_futex *futex);
uint32_t lock_rwlock_owner(const struct event_futex *futex);
/* Says so instead. */
void lock_give(struct lock *lock, uint32_t number);
/* Will be told of if another thread has it (EVENT_OWNER). */
bool lock_is_followed(const struct event_futex *futex);
/* A number from 1 for one that is; 0: there is no room. */
uint32_t lock_line(struct locks *l, uint32_t pid, uint64_t address);
void lock_changes(struct locks *l, uint32_t line, const struct lock_change *change);
/* Who has it at a moment of a wait, of which is known who had it at first, and how long it
 * was seen. */
struct lock_hold lock_hold_at(const struct locks *l, uint32_t line, nsec at,
			      const struct lock_hold *first);
/* A number from 1, the same for the same; 0: there is no room. */
uint32_t lock_add(struct locks *l, const struct lock *lock);
/* NULL: there is none of that number. */
const struct lock *lock_at(const struct locks *l, uint32_t number);

#endif
