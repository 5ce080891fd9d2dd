/*
 * space - what code a process has mapped where, and since when.
 *
 * Ranges of one process that hold now do not overlap: a newer one cuts what it
 * covers out of the older ones, and the part cut out stays known for samples
 * from before.  A fork copies the parent's space, an exec empties it.
 *
 * Bounds: SPACE_MAX processes (those that ended first go first), in each
 * SPACE_MAX_RANGES current ranges and SPACE_MAX_OLD former ones, in all of them
 * SPACE_ALL_RANGES (48 bytes each; to keep to that, what ended is forgotten).
 */
#ifndef SONDE_MODEL_SPACE_H
#define SONDE_MODEL_SPACE_H

#include "base/array.h"
#include "base/clock.h"
#include "base/table.h"

#include <stdbool.h>

#define SPACE_MAX 8192
#define SPACE_MAX_RANGES 16384
#define SPACE_MAX_OLD 1024
#define SPACE_ALL_RANGES (2u << 20)
#define SPACE_FOREVER UINT64_MAX

struct space_range {
	uint64_t start, end; /* addresses, end excluded */
	uint64_t offset;     /* in the image, of start */
	nsec since, until;   /* until: SPACE_FOREVER while it holds */
	uint32_t image;
};

struct space {
	uint32_t pid;
	uint32_t version; /* counts changes: a cache key, */
	nsec changed;	  /* for samples from this time on */
	bool ended;
	ARRAY(struct space_range) now; /* ascending, disjoint */
	ARRAY(struct space_range) old; /* in the order they ended */
};

struct spaces {
	ARRAY(struct space) list;
	struct table pids;
	uint32_t ranges;  /* of all */
	uint64_t refused; /* ranges for which there was no room */
};

void spaces_done(struct spaces *s);
/* NULL: nothing is known about the process. */
const struct space *space_find(const struct spaces *s, uint32_t pid);
/* range->until is set here.  Empty ranges are passed over. */
void space_map(struct spaces *s, uint32_t pid, const struct space_range *range);
void space_fork(struct spaces *s, uint32_t parent, uint32_t child, nsec time);
void space_exec(struct spaces *s, uint32_t pid, nsec time);
void space_exit(struct spaces *s, uint32_t pid);

/* The current range that begins last before address, or there; NULL: none does. */
const struct space_range *space_before(const struct space *s, uint64_t address);
/* The range that held address at time; where none did, the one that came to
 * hold it later (maps can be read a little after they were made).  NULL: the
 * address was never known. */
const struct space_range *space_lookup(const struct space *s, uint64_t address, nsec time);

#endif
