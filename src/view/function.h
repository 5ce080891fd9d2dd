/*
 * function - sums over a picture's nodes, function by function.
 *
 * Frames of one name in one image are one function, also where the picture is
 * folded by address.  A function that calls itself is counted once: at its
 * first node on the way from the root.
 */
#ifndef SONDE_VIEW_FUNCTION_H
#define SONDE_VIEW_FUNCTION_H

#include "view/picture.h"

#define FUNCTION_NOT_FIRST UINT32_MAX

/* A function, as another one calls it. */
struct function_edge {
	uint32_t function, caller; /* caller: a frame, UINT32_MAX = the span itself */
	uint64_t weight;
};

/* Zero with picture is valid: nothing was looked at. */
struct functions {
	const struct picture *picture;
	ARRAY(uint32_t) of_frame; /* function of each frame */
	ARRAY(uint8_t) place;	  /* enum place_in_span of each node */
	struct table named;	  /* (image, name) to function */
	ARRAY(uint32_t) edge; /* of each node, FUNCTION_NOT_FIRST: its function began above */
	ARRAY(struct function_edge) edges;
	struct table edge_at; /* (function, function of the caller + 1) to edge */
	uint32_t count;
	struct picture_function *list; /* frame UINT32_MAX: not met within */
};

/* Takes in the frames and nodes that are new: these are PLACE_OUTER, for the caller to
 * place before he sums, once and for all. */
void functions_reach(struct functions *fs);
void functions_done(struct functions *fs);
/* Sums the sides SIDE_IN and SIDE_REST into list: self, total, samples, caller
 * and depth.  Times a call are left to the caller. */
void functions_sum(struct functions *fs);
/* True for a node that ends in the span's own code. */
static inline bool functions_itself(const struct functions *fs, uint32_t node)
{
	return fs->place.at[node] == PLACE_SPAN || fs->place.at[node] == PLACE_AGAIN;
}
/* Hands those met within over to the picture, the largest extra_nsec first, with what its
 * nodes are to them, and says what stands out by chance when so many are looked at
 * (z_least). */
void functions_give(struct functions *fs, struct picture *p);

#endif
