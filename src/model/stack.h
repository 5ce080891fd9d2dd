/*
 * stack - the events about moments: samples and the spans around them.
 *
 * The half of join that runs for every sample; see model/join.h for the rules.
 */
#ifndef SONDE_MODEL_STACK_H
#define SONDE_MODEL_STACK_H

#include "model/store.h"

/* Each is given a record of its kind, at least as large as its struct. */
void join_sample(struct store *st, const struct event *e);
void join_enter(struct store *st, const struct event *e);
void join_leave(struct store *st, const struct event *e);
void join_open(struct store *st, const struct event *e);
void join_times(struct store *st, const struct event *e);

/* Extends the time the store knows to include a moment. */
void join_sees_time(struct store *st, nsec time);

/* The node of a sample's stack; its frames are all there.  off: what for (wait_place()), of a
 * thread off its CPU; else 0. */
node_id stack_node(struct store *st, const struct event_sample *sample, uint64_t off);
/* A sample that is not put yet; cause 0: the record is malformed.  lock: the number of what
 * it waited for, 0 = not known. */
struct sample stack_sample(struct store *st, const struct event_sample *from,
			   enum sample_cause cause, uint32_t lock);
/* Its number. */
uint64_t stack_put(struct store *st, const struct sample *s);

#endif
