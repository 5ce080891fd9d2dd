/*
 * hold - what a thread on a futex waits for, and who has it.
 *
 * The function that called futex(2) says what the words at its address mean (wire/futex.h).
 */
#ifndef SONDE_VIEW_HOLD_H
#define SONDE_VIEW_HOLD_H

#include "model/lock.h"
#include "model/naming.h"
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
/* What the variable is called that it lies in, "locks+40", as an id in texts; 0: it is not
 * known.  Where it lies as in naming.variable. */
text_id hold_variable(const struct hold *hold, const struct naming *naming,
		      const struct lock *at, struct intern *texts);

/* node: of the picture, where the thread waits; its callers are looked at. */
struct hold hold_of(const struct picture *p, uint32_t node, const struct event_futex *futex);

#endif
