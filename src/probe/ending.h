/*
 * ending - the ways in which the end of a call can be seen.
 *
 * One row a way; whoever names one, offers one or chooses one reads it here.
 * The numbers are enum probe_exit (wire/event.h); a number of a newer sonde's
 * recording is read as EXIT_NONE, by ending_of().
 */
#ifndef SONDE_PROBE_ENDING_H
#define SONDE_PROBE_ENDING_H

#include "wire/event.h"

#include <stdbool.h>

struct code;
struct plan_request;
struct probe_function;
struct verdict;

/* --exit; counts as OPTION_CHOICE does, 0 = not given, which is auto. */
enum exit_wish {
	EXIT_WISH_UNSET,
	EXIT_WISH_AUTO,
	EXIT_WISH_HOOK,
	EXIT_WISH_RET,
	EXIT_WISH_BRACKET,
};
#define EXIT_WISHES "auto|hook|ret|bracket"

/* What came of planning one function's sites; why not is static. */
enum plan_result {
	PLAN_DONE,
	PLAN_NO_PLACE,	  /* nowhere at its entry may a probe stand */
	PLAN_NO_END,	  /* the ends of its calls cannot be seen so */
	PLAN_NO_FUNCTION, /* nor is it a function: a part of one, or a label */
};

struct ending {
	enum exit_wish wish; /* that asks for it; EXIT_WISH_UNSET: none does */
	const char *name;    /* one word, in tables and for scripts: "exits" */
	const char *phrase;  /* in a sentence: "probes at its exits" */
	const char *yet;     /* what this version lacks for it, NULL = nothing */
	/* May it be used in this target?  Fills ret, also with the reason why so. */
	bool (*judge)(const struct code *code, struct verdict *ret);
	/* Fills the function's sites and parts. */
	enum plan_result (*plan)(const struct plan_request *request, struct probe_function *ret,
				 const char **ret_why);
};

/* By enum probe_exit. */
extern const struct ending endings[NR_PROBE_EXIT];

/* The row of a number from outside. */
const struct ending *ending_of(unsigned exit);
/* How the ends of this target's calls would be seen, and why so; EXIT_NONE: not at
 * all.  A function may still refuse it, see plan. */
void ending_judge(const struct code *code, enum exit_wish wish, struct verdict *ret);
/* The way that a wish asks for; EXIT_NONE for auto, which asks for none in
 * particular. */
enum probe_exit ending_wished(enum exit_wish wish);

#endif
