/*
 * cube - what is left of samples that had to go: weights by (node, probe,
 * duration of the call).
 *
 * A forgotten sample adds to one cell for all time (probe 0) and to one for
 * each probe it was in a call of, under the bucket of wire/bucket.h that the
 * call's duration falls into (the outermost call, as model/split judges).  So a
 * duration threshold can still be moved over all time, exact to a bucket (3 %
 * of the duration).  Threads and times are not kept.
 *
 * Bounded in cells; a sample that finds no room is refused as a whole and
 * counted, so cells of one sample always go together.
 */
#ifndef SONDE_MODEL_CUBE_H
#define SONDE_MODEL_CUBE_H

#include "base/clock.h"
#include "base/table.h"
#include "model/tree.h"
#include "wire/bucket.h"

#define CUBE_OPEN NR_BUCKET	    /* its call had not ended (or has no known end) */
#define CUBE_BEFORE (NR_BUCKET + 1) /* taken before the probe was armed */
#define CUBE_MAX_PROBE 0xfffffu	    /* largest probe id that a cell can hold */

struct cube_cell {
	node_id node;
	uint32_t probe; /* 0: every sample of the node */
	uint32_t bucket;
	uint32_t pad;
	uint64_t samples;
	nsec weight;
};

struct cube {
	ARRAY(struct cube_cell) cells;
	struct table index;
	uint32_t limit;
	uint64_t samples; /* that it holds */
	uint64_t refused; /* that found no room, or whose call was never known */
	nsec newest;	  /* the latest time of any sample it was given */
};

void cube_init(struct cube *c, uint32_t limit);
void cube_done(struct cube *c);
/* True when n more cells fit for sure. */
bool cube_has_room(const struct cube *c, uint32_t n);
/* Adds to a cell; there is room. */
void cube_add(struct cube *c, const struct cube_cell *samples);
/* A probe is armed: all that it holds was taken before.  false: there is no room for that. */
bool cube_arm(struct cube *c, uint32_t probe);
/* Drops the cells of a probe (not 0). */
void cube_forget(struct cube *c, uint32_t probe);

#endif
