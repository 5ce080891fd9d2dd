/*
 * counts - the kernel's counters of all calls, read as what was new.
 *
 * There are so many slots.  A probe's is told by its id, which is never another one's; a
 * slot is free again when its probe was taken away for good.
 */
#ifndef SONDE_SOURCE_COUNTS_H
#define SONDE_SOURCE_COUNTS_H

#include "base/clock.h"
#include "base/error.h"
#include "source/hits.h"
#include "source/source.h"
#include "wire/control.h"

#include <stddef.h>

/* What is known of a probe's calls. */
struct counted {
	uint32_t probe;		/* 0: the slot is free */
	bool over;		/* it does not count any more */
	nsec since;		/* when last read */
	nsec until;		/* since when it is over */
	struct call_counts sum; /* all stripes, when last read */
	struct hits hits;
};

struct counts {
	volatile struct call_counts *map; /* shared with the kernel */
	size_t mapped;			  /* bytes */
	struct counted *slots;
	struct hit_rule rule;	 /* set before the first read */
	uint32_t count, stripes; /* powers of two */
	uint32_t newest;	 /* id that was given last */
};

/* Maps the array map fd of count slots, each of so many stripes. */
int counts_open(struct counts *c, int fd, uint32_t count, uint32_t stripes, struct error *err);
void counts_close(struct counts *c);

/* The id for one more probe; 0: no slot is free. */
uint32_t counts_room(const struct counts *c);
/* A probe whose slot is free counts from now on.  Nothing for one that counts. */
void counts_begin(struct counts *c, uint32_t probe, nsec now);
/* What was before is of no interest. */
void counts_again(struct counts *c, nsec now);
bool counts_has(const struct counts *c, uint32_t probe);
/* It does not count any more, though probes may be met still. */
void counts_end(struct counts *c, uint32_t probe, nsec now);
/* No program looks at its counters any more: tells what is new, and that the calls that are
 * open were left (END_DETACHED).  Its slot is free.  Returns when it ended. */
nsec counts_gone(struct counts *c, uint32_t probe, source_event event, void *context);

/* A call has ended, as event is told of all that come. */
void counts_leave(struct counts *c, const struct event_leave *e);
/* Writes an EVENT_CALLS with what is new since the last read of it, of each that counts: of
 * how many. */
uint32_t counts_read(struct counts *c, nsec now, source_event event, void *context);

#endif
