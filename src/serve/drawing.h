/*
 * drawing - what one client has been told of the tree, and what it must be told next.
 *
 * A message is little-endian (every 4 bytes a number, or an IEEE 754 single):
 *
 *	0	"snd1"
 *	4	sequence number, from 1
 *	8	epoch: another one than before means: forget strings, frames, nodes
 *	12	how many sections follow, each of
 *		0	kind, enum drawing_section
 *		4	count
 *		8	base
 *		12	bytes of what follows, a multiple of 4
 *
 *	SCENE	count bytes of JSON, padded with spaces
 *	STRINGS	count strings from number base on: a column of their lengths in bytes, then
 *		all of them (UTF-8), padded with zeroes
 *	FRAMES	count frames from number base on: columns of name, file, image (strings),
 *		line, kind (enum frame_kind)
 *	NODES	count nodes from number base on: columns of parent (a smaller number; of node
 *		0, the root, 0), frame, line in the parent where it is called (0: not known)
 *	SELF	count nodes of which side `base` (enum side) has changed: columns of node,
 *		nanoseconds, samples; all others are as they were told last, at first 0
 *
 * Numbers of strings, frames and nodes stay what they are within an epoch, so that a page can
 * keep what is zoomed, selected and hovered.
 */
#ifndef SONDE_SERVE_DRAWING_H
#define SONDE_SERVE_DRAWING_H

#include "base/text.h"
#include "view/picture.h"

enum drawing_section {
	DRAW_SCENE = 1,
	DRAW_STRINGS = 2,
	DRAW_FRAMES = 3,
	DRAW_NODES = 4,
	DRAW_SELF = 5,
};

struct drawn_node {
	uint32_t parent, frame, line;
	float nsec[NR_SIDE], samples[NR_SIDE]; /* as told */
	uint32_t seen;			       /* the message it came into the picture with */
};

struct drawn_frame {
	uint32_t name, file, image, line, kind;
};

/* Zero is valid: nothing was told. */
struct drawing {
	uint32_t seq, epoch;
	struct intern text;
	struct table frame_ids; /* hash of a frame -> its number */
	struct table node_ids;	/* parent, frame -> its number */
	ARRAY(struct drawn_frame) frames;
	ARRAY(struct drawn_node) nodes;
	bool weighs[NR_SIDE]; /* a node weighs something, as told */
	/* of the picture that was drawn last: the numbers of its frames and nodes */
	uint64_t lineage;
	ARRAY(uint32_t) frame_numbers;
	ARRAY(uint32_t) node_numbers;
};

void drawing_done(struct drawing *d);
/* Appends the message that makes of what was told this picture.  scene is JSON. */
void drawing_write(struct drawing *d, const struct picture *p, const char *scene,
		   struct text *to);

#endif
