/*
 * pick - of the functions that a place stands for, those that can be watched.
 *
 * One function, or the copies a compiler made of one, is watched or refused.  A
 * pattern watches what can be watched, and what it leaves out is said, with reasons.
 */
#ifndef SONDE_PROBE_PICK_H
#define SONDE_PROBE_PICK_H

#include "probe/match.h"
#include "probe/probe.h"

struct pick_option {
	const uint64_t *exact; /* bytes from the function's start, NULL = its entry */
	bool pattern;
	struct ways ways; /* that the target allows */
};

/* Fills p's functions, judgement, note and left_out; p has its place.  The judgement is
 * EXIT_NONE where the function's ends cannot be seen.  Errors as of probe_resolve();
 * 0 with no function: all were parts of one. */
int pick_functions(struct code *code, const struct match_list *all,
		   const struct pick_option *option, struct probe *p, struct error *err);

#endif
