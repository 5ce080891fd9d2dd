/*
 * answer - puts a query to a store; the answer is a whole picture.
 *
 * With an expression: the sides of model/split.h, about the calls of its main
 * probe.  Without one, but with something watched: SIDE_IN is inside any call
 * of the first probe, SIDE_OUT outside (and SIDE_BEFORE), and a function's
 * extra time is simply its time a call.  With nothing watched everything is
 * SIDE_IN.
 *
 * A sample weighs what the target ran for it: a period less what the tick itself took, as
 * far as that is known (it is measured where something is watched).
 *
 * A brief call's side is known by chance only (view/odds.h): its samples are on each side
 * in part.
 *
 * WINDOW_ALL also takes in the samples that are only left in the cube, where
 * the duration of the main probe's calls alone decides; else they are counted
 * as forgotten, as far as they lie in the window.
 */
#ifndef SONDE_VIEW_ANSWER_H
#define SONDE_VIEW_ANSWER_H

#include "base/error.h"
#include "view/gather.h"

/* 0 and *ret (free it by picture_free), or -EINVAL when the expression is
 * wrong: the sentence, the expression and a caret under the place.  naming may
 * be NULL. */
int view_answer(const struct store *st, const struct query *q, const struct naming *naming,
		struct picture **ret, struct error *err);

#define ANSWERS_KEPT 3

/* What is kept for questions like those before (view/gather.h).  Zero is valid and empty. */
struct answers {
	struct gather at[ANSWERS_KEPT];
	uint64_t used[ANSWERS_KEPT], asked; /* when, by number of questions */
};

/* As view_answer(), always with the same naming; *ret stays theirs, until they are asked
 * again. */
int answers_ask(struct answers *kept, const struct store *st, const struct query *q,
		const struct naming *naming, struct picture **ret, struct error *err);
/* Is that what they answered to question number `asked` still? */
bool answers_hold(const struct answers *kept, const struct picture *p, uint64_t asked);
void answers_done(struct answers *kept);

#endif
