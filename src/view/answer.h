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
#include "model/naming.h"
#include "view/query.h"

struct store;

/* 0 and *ret (free it by picture_free), or -EINVAL when the expression is
 * wrong: the sentence, the expression and a caret under the place.  naming may
 * be NULL. */
int view_answer(const struct store *st, const struct query *q, const struct naming *naming,
		struct picture **ret, struct error *err);

#endif
