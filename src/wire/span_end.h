/*
 * span_end - the ends that a call may have: what each is called, and what it
 * proves.
 *
 * The numbers are enum span_end (wire/event.h).  A newer sonde may know more of
 * them; whoever reads a number goes through span_end_known() first.
 */
#ifndef SONDE_WIRE_SPAN_END_H
#define SONDE_WIRE_SPAN_END_H

#include "wire/event.h"

enum span_end_proof {
	SPAN_END_TRUE,	   /* the call was over: its duration is its own */
	SPAN_END_CUT,	   /* it ran for at least so long */
	SPAN_END_UNOPENED, /* it was counted, not watched: there is no duration */
};

struct span_end_word {
	const char *name; /* in every output, for people and scripts: "return", "too_deep" */
	enum span_end_proof proof;
};

extern const struct span_end_word span_end_words[NR_SPAN_END];

/* The reason itself, END_LOST for one that this version does not know. */
enum span_end span_end_known(__u32 reason);

#endif
