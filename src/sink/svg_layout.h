/*
 * svg_layout - where the frames of a flame graph go.
 *
 * Frames come in preorder: a frame's callees follow it directly, so a subtree
 * is a run of the array; siblings are in the order of their names, which keeps
 * two graphs of one program comparable by eye.  A frame narrower than the
 * least width is left out with all its callees, and so is what is deeper than
 * LAYOUT_DEPTH rows; their weight is counted.
 */
#ifndef SONDE_SINK_SVG_LAYOUT_H
#define SONDE_SINK_SVG_LAYOUT_H

#include "view/picture.h"

#define LAYOUT_DEPTH 1000

struct layout_frame {
	uint32_t node;
	uint32_t depth;	 /* 0: the root */
	double x, width; /* pixels, from the left edge of the root */
};

struct layout {
	ARRAY(struct layout_frame) frames;
	uint32_t depth;		 /* of the deepest frame */
	uint32_t dropped;	 /* subtrees left out */
	uint64_t dropped_weight; /* what they weigh */
};

void layout_done(struct layout *l);

/* total: weight per node, its subtree included.  The root is width pixels. */
void layout_make(struct layout *l, const struct picture *p, const uint64_t *total, double width,
		 double least);

#endif
