/*
 * landmark - places in the target's own run-time libraries where it shows what no
 * probe of a call can see: that calls are left by an exception, that a thread is
 * being ended, that the maps change.
 *
 *	landmarks_find(&code, LANDMARKS_LEAVING | LANDMARKS_MAPS, &landmarks);
 *	for each: a plain site at .site.offset of the file .image, with .site.role
 *
 * They are looked for by the names that their specifications give them, or their
 * library has kept; where they are missing, or dear, sonde does without.
 */
#ifndef SONDE_PROBE_LANDMARK_H
#define SONDE_PROBE_LANDMARK_H

#include "probe/probe.h"

enum landmark_kind {
	LANDMARKS_LEAVING = 1, /* how calls are left without a return */
	LANDMARKS_MAPS = 2,    /* when other code comes */
};

struct landmark {
	struct image *image; /* of the code's image, as path that one */
	const char *path;
	struct site site; /* SP is there what it is at the function's entry, but in Go */
	struct goroutine_layout layout; /* as of struct probe_function */
};

struct landmarks {
	ARRAY(struct landmark); /* valid as long as the code */
};

/* Of the kinds that are asked for, a set of enum landmark_kind; in each file only those that
 * were not looked for before.  searched: hash of a file -> kinds; the caller's, empty at first.
 */
void landmarks_find(struct code *code, unsigned kinds, struct table *searched,
		    struct landmarks *ret);

#endif
