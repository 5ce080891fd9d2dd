/*
 * tails - the functions in which a function's calls go on after a tail call.
 *
 * A jump to another function keeps the return address: what is jumped to returns to
 * the caller of the first.  So the exits of what is jumped to are exits of the first
 * as well, at the same slot.  A jump is followed where the file says where it goes
 * (jmp, jcc), where all exits of the other function can be probed, and where few
 * places lead to it: its exits are met by each of its calls, whoever makes it.
 *
 * Whether a jump is followed does not depend on whose calls are watched: at a jump
 * that is not, the calls of all that led there end.  Thus jumps within a circle of
 * functions are not followed, and of what is too much none.
 */
#ifndef SONDE_PROBE_TAILS_H
#define SONDE_PROBE_TAILS_H

#include "probe/exits.h"
#include "probe/plan.h"

#define TAIL_FUNCTIONS_MAX 16 /* that one leads to, itself counted */
/* Places that lead to a function which is followed, if its exits are emulated, or if
 * one is single-stepped. */
#define TAIL_CALLERS_MAX 64
#define TAIL_CALLERS_STEPPED_MAX 16

struct tail_function {
	const struct symbol *symbol;
	struct flow flow;
	struct exit_plan plan;
	uint32_t next; /* which of all it jumps to; a bit each */
	bool usable;   /* its exits can be probed */
};

/* at[0] is the function itself, planned with its entry. */
struct tails {
	ARRAY(struct tail_function);
};

/* ret must be empty; plan.refused of at[0] as of exits_plan(). */
void tails_plan(const struct plan_request *request, struct tails *ret);
void tails_done(struct tails *t);

#endif
