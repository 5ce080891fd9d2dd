/*
 * body - all the code of one function, wherever the compiler put it.
 *
 * Parts that are seldom run are moved away (FUNC.cold), in a stripped file
 * without a name.  A jump to one is told from a jump to another function (a tail
 * call) by the stack: a tail call is made with the stack of the function's entry.
 *
 * A function of Go begins by asking whether its stack is large enough; where it is
 * not, it has it grown (runtime.morestack) and begins anew: that is no loop.
 */
#ifndef SONDE_PROBE_BODY_H
#define SONDE_PROBE_BODY_H

#include "probe/code.h"
#include "probe/flow.h"

/* Fills flow, which must be empty, with every part of the function; flow->broken
 * says why it is not understood.  The image must be open and its symbols read. */
void body_read(struct decoder *d, struct code_image *image, const struct symbol *symbol,
	       struct flow *flow);

#endif
