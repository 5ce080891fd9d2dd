/*
 * tree - every stack ever seen, as one prefix tree.
 *
 * A stack is the node where it ends.  Nodes are only added, and a parent is
 * older than its children, so parent < child always holds: any sum over
 * subtrees is one backward loop (see profile_total).  Node 0 is the root: the
 * empty stack.
 */
#ifndef SONDE_MODEL_TREE_H
#define SONDE_MODEL_TREE_H

#include "model/frame.h"

typedef uint32_t node_id;

struct tree_node {
	node_id parent;
	frame_id frame;
};

struct tree {
	ARRAY(struct tree_node) nodes;
	uint32_t *slots;  /* ids; 0 = free (the root is nobody's child) */
	uint32_t nr_slot; /* a power of two, or 0 */
	uint32_t limit;	  /* most nodes that are kept, 0 = no bound */
	uint64_t refused; /* frames cut off because the tree was full */
};

void tree_init(struct tree *t, uint32_t limit);
void tree_done(struct tree *t);

/* The child of parent for frame, added when it is new.  When the tree is full
 * it is parent itself: the stack is cut there and counted in refused. */
node_id tree_child(struct tree *t, node_id parent, frame_id frame);

static inline node_id tree_parent(const struct tree *t, node_id node)
{
	return t->nodes.at[node].parent;
}

static inline frame_id tree_frame(const struct tree *t, node_id node)
{
	return t->nodes.at[node].frame;
}

/* Frames from the root to node. */
uint32_t tree_depth(const struct tree *t, node_id node);

#endif
