/*
 * coverage - how the calls of an image's functions would be seen to end, in a target
 * as it is now: all of them planned, none probed.
 */
#ifndef SONDE_CMD_COVERAGE_H
#define SONDE_CMD_COVERAGE_H

#include "cmd/reasons.h"
#include "probe/ending.h"

struct coverage {
	uint32_t functions;
	uint32_t ends[NR_PROBE_EXIT]; /* of them by the way; EXIT_NONE: no end would be seen */
	uint32_t dear[NR_PROBE_EXIT]; /* of those: with a probe that is single-stepped */
	struct reason_list reasons;   /* why not, of those; the most frequent first */
};

/* Of an image by its index in code.  Shows progress: a hundred thousand functions take
 * seconds.  ret must be done with. */
void coverage_of(struct code *code, uint32_t image, const struct ways *ways,
		 struct coverage *ret);
void coverage_done(struct coverage *c);

#endif
