#include "model/tree.h"

#include "base/mem.h"
#include "base/table.h"

#include <assert.h>

void tree_init(struct tree *t, uint32_t limit)
{
	*t = (struct tree){ .limit = limit };
	(void)array_add(&t->nodes);
}

void tree_done(struct tree *t)
{
	array_done(&t->nodes);
	free(t->slots);
	*t = (struct tree){ 0 };
}

static uint32_t tree_slot(const struct tree *t, node_id parent, frame_id frame)
{
	uint32_t mask = t->nr_slot - 1, i = hash_u64((uint64_t)parent << 32 | frame) & mask;

	for (; t->slots[i]; i = (i + 1) & mask) {
		const struct tree_node *n = &t->nodes.at[t->slots[i]];

		if (n->parent == parent && n->frame == frame)
			break;
	}
	return i;
}

/* At most half full, so that probes stay short. */
static void tree_grow(struct tree *t)
{
	t->nr_slot = t->nr_slot ? t->nr_slot * 2 : 1024;
	free(t->slots);
	t->slots = mem_zeroed(t->nr_slot, sizeof(*t->slots));
	for (uint32_t id = 1; id < t->nodes.count; id++) {
		struct tree_node *n = &t->nodes.at[id];

		t->slots[tree_slot(t, n->parent, n->frame)] = id;
	}
}

node_id tree_child(struct tree *t, node_id parent, frame_id frame)
{
	uint32_t i;

	assert(parent < t->nodes.count);
	if (t->nodes.count >= t->nr_slot / 2)
		tree_grow(t);
	i = tree_slot(t, parent, frame);
	if (t->slots[i])
		return t->slots[i];
	if (t->limit && t->nodes.count >= t->limit) {
		t->refused++;
		return parent;
	}
	*(struct tree_node *)array_add(&t->nodes) = (struct tree_node){ parent, frame };
	t->slots[i] = t->nodes.count - 1;
	assert(parent < t->slots[i]);
	return t->slots[i];
}

uint32_t tree_depth(const struct tree *t, node_id node)
{
	uint32_t depth = 0;

	for (; node; node = tree_parent(t, node))
		depth++;
	return depth;
}
