/*
 * walk - the stack of a picture's node, and what it weighs.
 */
#ifndef SONDE_SINK_WALK_H
#define SONDE_SINK_WALK_H

#include "view/picture.h"

/* The frames from below the root to the node, root first.  The root itself has
 * no frames: its samples had no stack.  Valid until the next call or _done. */
struct walk {
	ARRAY(uint32_t) frames; /* indices into p->frames */
};

void walk_done(struct walk *w);
void walk_stack(struct walk *w, const struct picture *p, uint32_t node);

/* What ends in the node on the sides of the mask, in samples or nanoseconds. */
uint64_t walk_self(const struct picture_node *node, unsigned sides, bool in_nsec);

/* Per frame of the picture: what was spent in it alone, and in it and what it
 * calls (recursion counted once).  Both arrays have p->frames.count elements. */
void walk_frames(const struct picture *p, unsigned sides, bool in_nsec, uint64_t *ret_self,
		 uint64_t *ret_total);

/* Name of a frame, never empty. */
const char *walk_name(const struct picture *p, uint32_t frame);

#define WALK_NO_STACK "[no stack]" /* what exports call the samples of the root */

#endif
