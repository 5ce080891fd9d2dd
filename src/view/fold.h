/*
 * fold - from physical frames to the functions people read.
 *
 * Each stack that weighs something is walked once: its frames are named (late,
 * so that names sharpen while debug info loads) and frames of one function
 * under one parent become one node of the picture.  A fold may be kept while the store grows:
 * what was folded stays as it is, and fold_sharpened() tells when a name is a better one by
 * now.  A frame without a name is called "image+0x1234", or "[unknown]" outside every map.  A
 * physical frame is followed by what is inlined at it, outermost first, as frames of their own.
 */
#ifndef SONDE_VIEW_FOLD_H
#define SONDE_VIEW_FOLD_H

#include "model/naming.h"
#include "model/profile.h"
#include "model/store.h"
#include "view/query.h"

/* A picture frame that a physical one stands for, and where in it the next inner
 * one is called. */
struct fold_level {
	uint32_t frame;
	text_id at_file;
	uint32_t at_line;
	uint32_t deeper; /* levels behind this one */
};

/* A frame whose name may become better. */
struct fold_dull {
	frame_id frame;
	uint64_t print; /* of what is known of it */
};

/* Frames of a node's stack. */
struct fold_depth {
	uint32_t frames, unknown; /* of these: without a name */
};

struct fold {
	struct picture *picture;
	const struct store *store;
	const struct naming *naming; /* may be NULL: nothing has a name */
	const struct query *query;
	uint32_t *frames; /* first level + 1 of a frame_id, 0 = not yet */
	ARRAY(struct fold_level) levels;
	ARRAY(struct fold_dull) dull;
	uint32_t looked;		 /* at so many of the dull, round and round */
	uint32_t *nodes;		 /* picture node + 1 of a node_id, 0 = not yet */
	uint8_t *probes;		 /* enum fold_probe of a node_id */
	uint32_t frame_room, node_room;	 /* elements of these */
	struct table functions;		 /* (image, name) to picture frame */
	struct table children;		 /* (parent, frame) to picture node */
	struct table owners;		 /* (picture node, thread): it ends with who holds it */
	struct table holders;		 /* picture frame to that of a holder, */
	struct table wakers;		 /* and to that of who ends a wait */
	struct table held;		 /* (picture node, number of a held) to picture node */
	struct table images;		 /* image id to picture image */
	ARRAY(struct frame) places;	 /* of each picture frame, one that it came from */
	ARRAY(struct fold_depth) depths; /* of each picture node */
	ARRAY(node_id) path;
	struct profile self[NR_SIDE], weight[NR_SIDE];
};

/* Makes the picture's root.  p and st outlive the fold. */
void fold_init(struct fold *f, struct picture *p, const struct store *st);
void fold_done(struct fold *f);
/* To be called first, and whenever the store has grown.  Both live until the next time; of the
 * query only how stacks are folded is used, and stays the same. */
void fold_begin(struct fold *f, const struct naming *naming, const struct query *q);
/* Looks at some of the frames whose names could be better; true: one is. */
bool fold_sharpened(struct fold *f);
/* True when a stack ends in sonde's own probes: in their programs, or where the kernel
 * handles their traps.  Such time is the target's only while it is watched. */
bool fold_is_in_probe(struct fold *f, node_id node);
/* The picture's node for a stack. */
uint32_t fold_node(struct fold *f, node_id node);
/* The one below the picture's node of a stack that ends with who has what it waits for: what
 * that one did; of one that ends with what it waits for: who ended that, and what that one did
 * (sample.held). */
uint32_t fold_held(struct fold *f, uint32_t node, uint32_t held);
/* Adds to a node of the picture; samples and weight may be parts. */
void fold_put(struct fold *f, uint32_t node, enum side side, double samples, double weight);
/* Writes what was added into the picture's nodes, sides and losses (frames), as whole numbers;
 * of every weight the part `net`. */
void fold_write(struct fold *f, double net);
/* Forgets what was added. */
void fold_clear(struct fold *f);

/* True when a frame of the picture belongs to the function a probe watches. */
bool fold_is_probed(const struct fold *f, uint32_t frame, const struct store_probe *probe);

#endif
