/*
 * side - which part of a split a sample belongs to.
 */
#ifndef SONDE_MODEL_SIDE_H
#define SONDE_MODEL_SIDE_H

enum side {
	SIDE_IN,     /* in a call for which the question is true */
	SIDE_REST,   /* in a call for which it is false */
	SIDE_OPEN,   /* in a call that has not ended, so it is not known yet */
	SIDE_OUT,    /* in no call of the probe */
	SIDE_BEFORE, /* taken while the probe was not there: before, as a rule */
	NR_SIDE,
};

#define SIDE_BIT(side) (1u << (side))
#define SIDE_ALL ((1u << NR_SIDE) - 1)

/* "in" "rest" "open" "out" "before". */
extern const char *const side_names[NR_SIDE];

#endif
