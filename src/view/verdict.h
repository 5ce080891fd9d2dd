/*
 * verdict - the conclusion of a comparison: which function makes slow calls slow.
 */
#ifndef SONDE_VIEW_VERDICT_H
#define SONDE_VIEW_VERDICT_H

#include "view/picture.h"

/* What a comparison says, from clearest to none. */
enum verdict_kind {
	VERDICT_FUNCTION, /* most of the extra time is in one function */
	VERDICT_ITSELF,	  /* most of it is in the span's own code */
	VERDICT_SPREAD,	  /* it is spread over several */
	VERDICT_WAITING,  /* most of it is not on a CPU */
	VERDICT_ALIKE,	  /* all functions take longer, each by about the same factor */
	VERDICT_NOISE,	  /* nothing stands out from the noise */
	VERDICT_BLURRED,  /* the sides cannot be told apart: calls are shorter than a sample */
	NR_VERDICT
};

#define VERDICT_CAUSES 3

struct verdict {
	enum verdict_kind kind;
	/* what makes these calls longer, the largest share first; may be some for
	 * VERDICT_WAITING too */
	const struct picture_function *causes[VERDICT_CAUSES];
	unsigned nr_causes;
	/* of VERDICT_ALIKE: with most of the time, on both sides; NULL = none has */
	const struct picture_function *most;
	double waiting_share; /* of the extra time, 0..1: not on a CPU; 0 = within noise */
};

/* A cause stands out from chance, has a tenth of the extra CPU time, and more of that than
 * of the rest's time: what only takes part in a longer call is none.  Of several that are
 * most of it, it is the outermost one that the rest never runs; where the rest runs them
 * all, the innermost one. */
struct verdict verdict_reach(const struct picture *p);

/* Extra CPU time a call, sampled; nanoseconds. */
double verdict_extra_cpu(const struct picture *p);
/* Of it, has this function most? */
bool verdict_has_most(const struct picture *p, const struct picture_function *f);

/* For scripts: "function", "itself", ... */
const char *verdict_name(enum verdict_kind kind);

/* Whether samples' sides are known too badly for anything to be said about causes. */
bool verdict_is_blurred(const struct picture *p);
/* Whether the difference stands out from chance, among so many that are looked at. */
bool function_is_significant(const struct picture *p, const struct picture_function *f);

#endif
