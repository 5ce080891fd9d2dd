/*
 * split - a question with two sides, put to every sample.
 *
 * The question is about calls of one probe, its main one: the first place that
 * the expression names, else the only probe there is.  A sample is judged by
 * the OUTERMOST call of that probe around it: a recursive function's samples
 * all belong to the call that came from outside, whose duration is what the
 * caller waited for.  (The distribution, and so pNN and the number of calls,
 * counts every call, inner ones too.)
 *
 *	OUT     in no call of the probe; BEFORE if older than its arming, or younger than
 *	        its removal
 *	IN      the expression is true; of a call that has not ended: only if it
 *	        stays true however long it goes on (dur > t, and longer than t)
 *	REST    it is false; of "EXPR against EXPR" also: and the second is true
 *	OUT     neither is true
 *	OPEN    the call has not ended and is not surely IN, its end is not known
 *	        (END_DETACHED, END_LOST), or nothing was told about it
 *
 * A comparison with the duration of another place that is not around the
 * sample is false.
 */
#ifndef SONDE_MODEL_SPLIT_H
#define SONDE_MODEL_SPLIT_H

#include "model/expression.h"
#include "model/side.h"
#include "model/store.h"

struct split;

/* 0, or -EINVAL with the sentence, the expression and a caret. */
int split_parse(const char *text, struct split **ret, struct error *err);
/* The question without an expression: IN every call of one probe, which may be
 * 0 (then everything is IN); needs no split_bind. */
struct split *split_inside(uint32_t probe);
bool split_is_inside(const struct split *q);
void split_free(struct split *q); /* NULL is fine */

/* Finds the probes that the places mean (by their text or function name) and
 * the times that the pNN stand for now: durations of all calls in the
 * (resolved) window, or of the whole run when none returned in it; other times of sampled
 * calls, so weighed that they stand for all.  May be
 * called again at any time. */
int split_bind(struct split *q, const struct store *st, const struct window *w,
	       struct error *err);

/* now: the newest time known.  While span records are lost, what is open is
 * aged by the last proof of it instead. */
enum side split_side(const struct split *q, const struct store *st, const struct sample *s,
		     nsec now);
/* The same, and the call that decided (NULL for OUT and BEFORE); valid until
 * the store changes. */
enum side split_judge(const struct split *q, const struct store *st, const struct sample *s,
		      nsec now, const struct span **ret_call);
/* The same sample, if its (finished) call had lasted so long; nanoseconds, > 0. */
enum side split_judge_as(const struct split *q, const struct store *st, const struct sample *s,
			 const struct span *call, double nsec);

/* Id of the main probe, 0 = none. */
uint32_t split_probe(const struct split *q);
/* What its first bound on a time of the main call stands for (the low one of a range), 0 =
 * there is none; and whether that is its duration. */
nsec split_threshold(const struct split *q, bool *ret_of_duration);

/* A finished call by its duration alone: SIDE_IN, SIDE_REST, SIDE_OUT, or SIDE_OPEN when
 * that does not decide (threads or other places are asked for). */
enum side split_side_of_duration(const struct split *q, double nsec);
/* True when a duration always decides. */
bool split_is_by_duration(const struct split *q);
/* The durations where split_side_of_duration can change, ascending; at most
 * room of them.  Returns how many. */
uint32_t split_bounds(const struct split *q, double *ret_bounds, uint32_t room);

#endif
