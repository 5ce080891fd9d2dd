/*
 * wait - the events about threads that are off their CPU.
 *
 * See model/join.h for the rules.
 */
#ifndef SONDE_MODEL_WAIT_H
#define SONDE_MODEL_WAIT_H

#include "model/store.h"

/* Each is given a record of its kind, at least as large as its struct. */
void join_wait(struct store *st, const struct event *e);
void join_still(struct store *st, const struct event *e);
void join_wake(struct store *st, const struct event *e);
void join_owner(struct store *st, const struct event *e);

/* The thread was seen on a CPU: how long it waited will be told. */
void wait_breaks(struct store *st, uint32_t tid, nsec time);
/* Nothing more will be told of its wait. */
void wait_ends(struct store *st, uint32_t tid, nsec time);
/* Nothing more will be told of any. */
void wait_close(struct store *st, nsec time);

#endif
