/*
 * question - what the options ask: the split, the window, which frames.
 */
#ifndef SONDE_CMD_QUESTION_H
#define SONDE_CMD_QUESTION_H

#include "cmd/run_option.h"
#include "session/ask.h"
#include "sink/sink.h"

/* Folded as the sink wants it, which may be NULL.  What -e says is left out: it may be about
 * what is taken. */
struct ask question_of(const struct run_option *o, const struct sink *sink);

#endif
