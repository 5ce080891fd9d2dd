/*
 * verdict - the conclusion of a comparison: which function makes slow calls slow.
 */
#ifndef SONDE_VIEW_VERDICT_H
#define SONDE_VIEW_VERDICT_H

#include "view/cause.h"

/* What a comparison says, from clearest to none. */
enum verdict_kind {
	VERDICT_FUNCTION, /* most of the extra CPU time is in one function */
	VERDICT_ITSELF,	  /* most of it is in the span's own code */
	VERDICT_SPREAD,	  /* no single one has most, several stand out */
	VERDICT_WAITING,  /* most of it is not on a CPU */
	VERDICT_LESS,	  /* these calls take less, and one function is what they lack */
	VERDICT_ALIKE,	  /* all functions take longer (or less), by about the same factor */
	VERDICT_UNCLEAR,  /* it may be that, or not: most of it is in one function */
	VERDICT_NOISE,	  /* nothing stands out from the noise */
	VERDICT_BLURRED,  /* the sides cannot be told apart: calls are shorter than a sample */
	NR_VERDICT
};

struct verdict {
	enum verdict_kind kind;
	/* what makes these calls longer, the largest first; may be some for VERDICT_WAITING
	 * too */
	struct cause causes[CAUSES_MAX];
	unsigned nr_causes;
	/* of the extra CPU time, or of what they gain if others make up for much of it: the
	 * first; all together */
	bool one_has_most, they_have_most;
	/* what these calls do less instead, or of VERDICT_LESS what they lack; NULL: they do
	 * nothing much less */
	const struct picture_function *less;
	/* of VERDICT_ALIKE: with most of the time, on both sides; NULL = none has.  Of
	 * VERDICT_UNCLEAR: with most of the extra CPU time, or of what is less. */
	const struct picture_function *most;
	double waiting_share; /* of the extra time, 0..1: not on a CPU; 0 = within noise */
};

struct verdict verdict_reach(const struct picture *p);

/* Extra CPU time a call, sampled; nanoseconds. */
double verdict_extra_cpu(const struct picture *p);
/* For scripts: "function", "itself", ... */
const char *verdict_name(enum verdict_kind kind);

/* Whether samples' sides are known too badly for anything to be said about causes. */
bool verdict_is_blurred(const struct picture *p);
#endif
