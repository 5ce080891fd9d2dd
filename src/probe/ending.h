/*
 * ending - the ways in which the end of a call can be seen.
 *
 * One row a way; whoever names one, offers one or chooses one reads it here.
 * The numbers are enum probe_exit (wire/event.h); a number of a newer sonde's
 * recording is read as EXIT_NONE, by ending_of().
 */
#ifndef SONDE_PROBE_ENDING_H
#define SONDE_PROBE_ENDING_H

#include "probe/hook.h"

struct plan_request;
struct probe_function;

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
	/* May it be used in this target?  Fills ret, also with the reason why so. */
	bool (*judge)(const struct code *code, struct judgement *ret);
	/* Fills the function's sites and parts. */
	enum plan_result (*plan)(const struct plan_request *request, struct probe_function *ret,
				 const char **ret_why);
};

/* By enum probe_exit. */
extern const struct ending endings[NR_PROBE_EXIT];

/* The row of a number from outside. */
const struct ending *ending_of(unsigned exit);

/* The ways that a target allows under a wish. */
struct ways {
	/* Which most functions take; .exit EXIT_NONE: no way is allowed, and why. */
	struct judgement first;
	/* The hook for functions that the first does not fit or that it makes dear;
	 * .exit EXIT_NONE: never, and why, or "" if it was not asked. */
	struct judgement second;
};

/*
 * auto: probes at the exits; where one would be single-stepped, cannot stand, or is a
 * jump to another function, whose time belongs to the call, the hook, if nobody in the
 * target could see it.  Any other wish allows that way alone.
 */
void ending_judge(const struct code *code, enum exit_wish wish, struct ways *ret);
/* Does this way stand among them? */
bool ways_allow(const struct ways *w, enum probe_exit exit);
/* Plans a function by the way that suits it best, ret->exit; where none is allowed
 * just its entry, with EXIT_NONE.  Errors as of struct ending.plan, of the first way. */
enum plan_result ways_plan(const struct ways *w, const struct plan_request *request,
			   struct probe_function *ret, const char **ret_why);
/* The way that a wish asks for; EXIT_NONE for auto, which asks for none in
 * particular. */
enum probe_exit ending_wished(enum exit_wish wish);

#endif
