/*
 * join - turns events into what the store knows.
 *
 * Every kind of wire/event.h is understood; a kind that is not known (or is
 * for names only, as EVENT_SYMBOL) is passed over.  Events may come in any
 * order around a loss: records about one span are joined by its id.
 *
 * A stack becomes a node in the order root to leaf: user callers first, the
 * user leaf, then the kernel's outermost to its leaf.  All addresses but the
 * leaf of each half are return addresses; what is looked up is one byte before,
 * so that the frame is the call.  A tick inside the probe machinery shows as
 * one frame of IMAGE_ID_PROBE instead of its kernel frames; a stack that did
 * not fit hangs below a frame of IMAGE_ID_TRUNCATED.  Where a watched call returns
 * to, there is one of IMAGE_ID_CALL between the caller and the frame that returns.
 */
#ifndef SONDE_MODEL_JOIN_H
#define SONDE_MODEL_JOIN_H

#include "model/store.h"

/* e->size bytes are there and e->size >= sizeof(*e).  What inside the record
 * does not fit in it counts as st->malformed. */
void join_event(struct store *st, const struct event *e);

#endif
