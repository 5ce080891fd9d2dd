/*
 * cause - the functions that make one kind of calls longer than the rest.
 *
 * A candidate stands out from chance, and farther where the extra CPU time does not.  It has a
 * tenth of that (or, where some functions take less, of what others take more), a twentieth of
 * all extra time, and more of it than of the rest's time: what only takes part in a longer call
 * is none.
 *
 * Candidates call one another, and a caller has all the time of what it calls.  So the
 * search goes down from the span: where one candidate has nine tenths of the extra time
 * of where the way began, or has all that is more than part of a longer call, on to it; where
 * two or three beside each other have, to each of them.  It ends where that splits up; at the
 * outermost function that the rest never runs; and at the border of the kernel, or at an
 * interrupt.  One without a name stands back for one with a name that has three quarters of it,
 * or for the function of its library through which that was called, if it has half of that; and
 * one of a library that everybody waits in for who called it.
 *
 * Then it looks again at what is left of the span without those: calls that a lock makes ten
 * times as long are not ten times as long in all they do, and what else takes so much more than
 * the rest's calls is a cause of its own.
 */
#ifndef SONDE_VIEW_CAUSE_H
#define SONDE_VIEW_CAUSE_H

#include "view/picture.h"

#define SHARE_BEYOND 0.05 /* of all: what makes a cause more than part of a longer call */
#define Z_FARTHER 1 /* standard errors more, where all extra time is no more than chance */
#define CAUSES_MAX 4
#define CAUSE_STEPS 3 /* who waits for whom */

/* What is waited for, who has that, and where that one is meanwhile.  Each is a frame, and 0
 * if it is not known, or many are. */
struct cause_step {
	uint32_t wait, owner;
	uint32_t function, caller; /* the caller only if there is a function */
	double share;		   /* of what is known of the owner: in the function */
};

struct cause {
	const struct picture_function *function; /* may be &p->itself */
	double extra_nsec; /* a call: of the function where the search came by it, not of
			      calls of it from elsewhere */
	struct cause_step steps[CAUSE_STEPS]; /* of most of it */
	unsigned nr_steps;
};

/* cpu_nsec: the extra CPU time of a call; nothing or less: what some functions take more others
 * make up for.  Returns how many there are, the largest first; no two of them share their time.
 */
unsigned cause_find(const struct picture *p, double cpu_nsec, struct cause ret[CAUSES_MAX]);

/* What most of the extra time of one is waited for; cause_find() asks. */
void cause_find_wait(const struct picture *p, struct cause *cause);
/* What the owner of the first step does, and on. */
void cause_find_steps(const struct picture *p, struct cause *cause);
/* Is it a function that everybody calls, and nobody looks for: of the kernel, of what comes
 * with a language? */
bool cause_is_common(const struct picture *p, uint32_t frame);
/* Has it a name that came with the program, not "fn_1f40~near" or "app+0x1f40"? */
bool cause_has_name(const struct picture *p, uint32_t frame);
/* Is a node of a cause, or below one? */
bool cause_has_node(const struct picture *p, const struct cause *cause, uint32_t node);

/* Whether the difference stands out from chance, among so many that are looked at. */
bool function_is_significant(const struct picture *p, const struct picture_function *f);

#endif
