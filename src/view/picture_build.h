/*
 * picture_build - pictures put together by hand, for tests.
 */
#ifndef SONDE_VIEW_PICTURE_BUILD_H
#define SONDE_VIEW_PICTURE_BUILD_H

#include "view/picture.h"

/* The node for a frame called in a node, added when it is new. */
static inline uint32_t build_child(struct picture *p, uint32_t parent, uint32_t frame)
{
	struct picture_node *node;

	for (uint32_t i = 1; i < p->nodes.count; i++)
		if (p->nodes.at[i].parent == parent && p->nodes.at[i].frame == frame)
			return i;
	node = array_add(&p->nodes);
	node->parent = parent;
	node->frame = frame;
	return p->nodes.count - 1;
}

#endif
