/*
 * blame - whose it is that a thread waits, and what that one did.
 *
 * What the thread that has a lock did at a moment of another's wait is known if a stretch of it
 * reaches into what was seen of that wait, and is near: between two samples a lock may be taken
 * and given back, and what is seen of its thread then has nothing to do with it.  That is asked
 * a little later, when what comes after the moment is known too.
 */
#ifndef SONDE_MODEL_BLAME_H
#define SONDE_MODEL_BLAME_H

#include "model/store.h"

/* Who has what it waits for, at a moment of a wait: tid 0 = not known. */
struct lock_hold blame_at(const struct store *st, const struct store_thread *t, nsec at);
/* The sample's node, as if that one had it from the start. */
node_id blame_node(struct store *st, const struct store_thread *t, uint32_t tid);
/* What that one did at a moment is to be said of a sample that is HELD_LATER. */
void blame_later(struct store *st, uint64_t sample, nsec at, const struct lock_hold *hold,
		 nsec told);
/* Says so of what was told before a time. */
void blame_settle(struct store *st, nsec time);

#endif
