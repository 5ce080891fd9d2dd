/*
 * counts - the kernel's counters of all calls, read as what was new.
 */
#ifndef SONDE_SOURCE_COUNTS_H
#define SONDE_SOURCE_COUNTS_H

#include "base/clock.h"
#include "base/error.h"
#include "source/hits.h"
#include "source/source.h"
#include "wire/control.h"

#include <stddef.h>

struct counts {
	const volatile struct call_counts *slots; /* the map, shared with the kernel */
	size_t mapped;				  /* bytes */
	struct call_counts *sum;		  /* [probe - 1]: all stripes, when last read */
	nsec *since;				  /* [probe - 1]: when last read */
	struct hits *hits;			  /* [probe - 1] */
	struct hit_rule rule;			  /* set before the first read */
	uint32_t probes, stripes;
};

/* Maps the array map fd of probes x stripes slots. */
int counts_open(struct counts *c, int fd, uint32_t probes, uint32_t stripes, struct error *err);
void counts_close(struct counts *c);
/* A call has ended, as event is told of all that come. */
void counts_leave(struct counts *c, const struct event_leave *e);
/* A probe (from 1) begins to count now. */
void counts_begin(struct counts *c, uint32_t probe, nsec now);
/* Writes an EVENT_CALLS with what is new since the last read of it. */
void counts_read(struct counts *c, uint32_t probe, nsec now, source_event event, void *context);

#endif
