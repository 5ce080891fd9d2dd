/*
 * verdict - the report's conclusion: which function makes slow calls slow.
 */
#ifndef SONDE_SINK_VERDICT_H
#define SONDE_SINK_VERDICT_H

#include "base/text.h"
#include "view/picture.h"

/* What a comparison says, from clearest to none. */
enum verdict_kind {
	VERDICT_FUNCTION, /* most of the extra time is in one function */
	VERDICT_ITSELF,	  /* most of it is in the span's own code */
	VERDICT_SPREAD,	  /* it is spread over several */
	VERDICT_WAITING,  /* most of it is not on a CPU */
	VERDICT_NOISE,	  /* nothing stands out from the noise */
	VERDICT_BLURRED,  /* the sides cannot be told apart: calls are shorter than a sample */
};

struct verdict {
	enum verdict_kind kind;
	/* with most of the extra CPU time; may be set for VERDICT_WAITING too */
	const struct picture_function *function;
	double waiting_share; /* of the extra time, 0..1: not on a CPU; 0 = within noise */
	double itself_share; /* of the extra CPU time, in the span's own code; of VERDICT_ITSELF
			      */
};

/* The function blamed is the outermost one that the rest never runs; where the
 * rest runs them all, the innermost one that still has most of the extra time. */
struct verdict verdict_reach(const struct picture *p);

/* Adds it as sentences with a way to go on, wrapped at columns, with newline. */
void verdict_print(struct text *t, const struct picture *p, unsigned columns);

/* Whether samples' sides are known too badly for anything to be said about causes. */
bool verdict_is_blurred(const struct picture *p);
/* Whether the difference stands out from chance (95 %). */
bool function_is_significant(const struct picture_function *f);

#endif
