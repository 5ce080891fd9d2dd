/*
 * mapwatch - hears of new executable mappings the moment they are made.
 *
 * One dummy perf event a CPU tells of every mmap of code (perf_event_open(2),
 * PERF_RECORD_MMAP2): a library that the target loads is read while the loader
 * is still relocating it, before its first instruction runs.
 */
#ifndef SONDE_SOURCE_MAPWATCH_H
#define SONDE_SOURCE_MAPWATCH_H

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "proc/maps.h"

#include <stdint.h>

/* Code that a process has mapped. */
struct mapwatch_mapping {
	uint32_t pid;
	nsec time;
	struct map map; /* of a file, if it has an inode; without its path */
};

struct mapwatch_cpu {
	int fd;	    /* readable when there is something to read */
	void *ring; /* shared with the kernel */
};

struct mapwatch {
	ARRAY(struct mapwatch_cpu) cpus;
	ARRAY(struct mapwatch_mapping) fresh; /* that are being read */
	uint64_t lost;			      /* records that the kernel had no room for */
};

/* Without it sonde still looks at the maps now and then: an error is no end. */
int mapwatch_open(struct mapwatch *m, struct error *err);
void mapwatch_close(struct mapwatch *m);
typedef void (*mapwatch_each)(void *context, const struct mapwatch_mapping *mapping);
/* Calls each with every new mapping since the last time (which may be any process' of the
 * machine), in the order of time: how many. */
unsigned mapwatch_read(struct mapwatch *m, mapwatch_each each, void *context);

#endif
