#include "view/fold_name.h"

/* "rebuild_cache [holder]": other than where the thread does so on its own account. */
static uint32_t holder_frame(struct fold *f, uint32_t frame)
{
	uint32_t at = table_find(&f->holders, frame);
	struct picture_frame named;
	struct frame place;
	AUTO_FREE char *name = NULL;

	if (at != TABLE_NONE)
		return at;
	named = f->picture->frames.at[frame];
	place = f->places.at[frame];
	name = mem_format("%s" FRAME_OF_HOLDER, picture_text(f->picture, named.name));
	named.name = intern_text(&f->picture->text, name);
	named.kind = FRAME_HOLDER;
	named.outer = 0;
	at = f->picture->frames.count;
	array_push(&f->picture->frames, named);
	array_push(&f->places, place);
	table_set(&f->holders, frame, at);
	return at;
}

/* Copies a stack of the picture. */
static uint32_t add_stack(struct fold *f, uint32_t at, uint32_t stack)
{
	const struct picture *p = f->picture;

	array_clear(&f->path);
	for (; stack; stack = p->nodes.at[stack].parent)
		array_push(&f->path, stack);
	for (uint32_t i = f->path.count; i-- > 0;) {
		struct picture_node n = p->nodes.at[f->path.at[i]];
		struct fold_level site = { .at_file = n.site_file, .at_line = n.site_line };

		at = fold_child(f, at, holder_frame(f, n.frame), &site);
	}
	return at;
}

static bool is_held_by(const struct fold *f, uint32_t node, uint32_t tid)
{
	return table_find(&f->owners, (uint64_t)node << 32 | tid) != TABLE_NONE;
}

uint32_t fold_held(struct fold *f, uint32_t node, uint32_t number)
{
	uint64_t key = (uint64_t)node << 32 | number;
	const struct held *held = held_at(&f->store->holders, number);
	uint32_t at = node, stack = node;

	if (!held)
		return node;
	at = table_find(&f->held, key);
	if (at != TABLE_NONE)
		return at;
	for (at = node; held && is_held_by(f, stack, held->tid);
	     held = held_at(&f->store->holders, held->next)) {
		stack = fold_node(f, held->node);
		at = add_stack(f, at, stack);
	}
	table_set(&f->held, key, at);
	return at;
}
