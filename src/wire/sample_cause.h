/*
 * sample_cause - why moments of threads are taken: what each cause is called, and what it is
 * about.
 *
 * The numbers are enum sample_cause (wire/event.h).  A newer sonde may know more of them;
 * whoever reads a number goes through cause_known() first.
 */
#ifndef SONDE_WIRE_SAMPLE_CAUSE_H
#define SONDE_WIRE_SAMPLE_CAUSE_H

#include "wire/event.h"

struct cause_word {
	const char *name;  /* for scripts: "cpu", "lock" */
	const char *frame; /* a stack of it ends its user half so; NULL: it has no such frame */
};

extern const struct cause_word cause_words[NR_SAMPLE_CAUSE];

#define CAUSE_BIT(cause) (1u << (cause))
#define CAUSES_ON CAUSE_BIT(CAUSE_CPU)					 /* -e cpu */
#define CAUSES_OFF ((CAUSE_BIT(NR_SAMPLE_CAUSE) - 1) & ~(CAUSES_ON | 1)) /* -e offcpu */
#define CAUSES_WALL (CAUSES_ON | CAUSES_OFF)				 /* -e wall */

/* The cause itself, CAUSE_WAIT for one that this version does not know. */
enum sample_cause cause_known(__u32 cause);

#endif
