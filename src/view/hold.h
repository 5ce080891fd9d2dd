/*
 * hold - what a thread on a futex waits for, and who has it.
 *
 * The function that called futex(2) says what the words at its address mean.  Layouts of
 * glibc 2.25 to 2.41, x86-64 (sysdeps/nptl/bits/struct_mutex.h: lock at 0, owner at 8, kind at
 * 16; struct_rwlock.h: futexes at 8 and 12, writer at 24).
 */
#ifndef SONDE_VIEW_HOLD_H
#define SONDE_VIEW_HOLD_H

#include "view/picture.h"

enum hold_kind {
	HOLD_NONE,  /* it waits on no futex */
	HOLD_FUTEX, /* of which nothing is known */
	HOLD_MUTEX, /* of the C library, also std::mutex of C++ */
	HOLD_RWLOCK,
	HOLD_NATIVE_MUTEX, /* of Rust: it does not say who has it */
	HOLD_NATIVE_RWLOCK,
	HOLD_CONDITION, /* nobody has it */
	HOLD_SEMAPHORE, /* nobody has it */
	HOLD_THREAD,	/* the end of another thread */
	NR_HOLD_KIND,
};

struct hold {
	enum hold_kind kind;
	uint64_t address; /* of the futex */
	text_id name;	  /* of what lies there, in the picture's texts; 0 = not known */
	uint32_t owner;	  /* number of a thread as the process knows it, 0 = not known */
	bool shared;	  /* with other processes, of which the owner may be one */
};

/* Words for people and scripts: "mutex". */
extern const char *const hold_words[NR_HOLD_KIND];
/* Bytes of an object whose futex need not be its first: of a variable that is no larger, the
 * futex is no part to be told of. */
extern const unsigned char hold_sizes[NR_HOLD_KIND];

/* node: of the picture, where the thread waits; its callers are looked at. */
struct hold hold_of(const struct picture *p, uint32_t node, const struct event_futex *futex);

#endif
