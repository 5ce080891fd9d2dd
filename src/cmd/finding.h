/*
 * finding - what was tried on this machine, and what to do where it failed.
 */
#ifndef SONDE_CMD_FINDING_H
#define SONDE_CMD_FINDING_H

#include "base/array.h"
#include "source/calibrate.h"

/* One thing that was tried. */
struct finding {
	const char *key;  /* in JSON */
	const char *what; /* for people */
	bool good;
	bool vital;    /* sonde does not work without it */
	char fix[400]; /* what to do; "" when nothing needs doing */
};

struct finding_list {
	ARRAY(struct finding);
};

/* Adds what the kernel can do. */
void finding_kernel(struct finding_list *l, const struct kernel_support *k);
/* Adds what this process may do. */
void finding_rights(struct finding_list *l, const struct kernel_support *k);

#endif
