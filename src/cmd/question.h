/*
 * question - asks the model what the options say: the split, the window.
 */
#ifndef SONDE_CMD_QUESTION_H
#define SONDE_CMD_QUESTION_H

#include "cmd/run_option.h"
#include "session/feed.h"
#include "sink/sink.h"

/* Is the split an expression at all?  Before anything is recorded for it. */
int question_check(const struct run_option *o, struct error *err);
/* The picture that the options ask for, folded as the sink wants it (sink may be
 * NULL). */
int question_ask(const struct run_option *o, const struct sink *sink, struct feed *feed,
		 struct picture **ret, struct error *err);

/* "19,012 calls (all accounted for; 12 not timed: too_deep)", and of children. */
void question_calls(const struct picture *p, struct text *to);
/* "9,604 samples (0 lost, 2 truncated, 0.3 % of frames unnamed), 19,012 calls
 * (all accounted for; 12 not timed: too_deep)". */
void question_losses(const struct picture *p, struct text *to);

#endif
