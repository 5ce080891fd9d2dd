/*
 * roll_text - every thread once, for people and for scripts.
 */
#ifndef SONDE_SINK_ROLL_TEXT_H
#define SONDE_SINK_ROLL_TEXT_H

#include "sink/sink.h"
#include "view/roll.h"

/* Groups of threads with their stacks, innermost frame first, in lines of option->columns. */
void roll_text(const struct roll *r, const struct sink_option *option, struct text *to);
/* The object of `stacks --json`, and a newline. */
void roll_json(const struct roll *r, struct text *to);

#endif
