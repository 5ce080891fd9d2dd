#include "sink/walk.h"

void walk_done(struct walk *w)
{
	array_done(&w->frames);
}

void walk_stack(struct walk *w, const struct picture *p, uint32_t node)
{
	array_clear(&w->frames);
	for (; node; node = p->nodes.at[node].parent)
		array_push(&w->frames, p->nodes.at[node].frame);
	for (uint32_t i = 0, j = w->frames.count; i + 1 < j; i++) {
		uint32_t swap = w->frames.at[i];

		w->frames.at[i] = w->frames.at[--j];
		w->frames.at[j] = swap;
	}
}

uint64_t walk_self(const struct picture_node *node, unsigned sides, bool in_nsec)
{
	const uint64_t *self = in_nsec ? node->self_nsec : node->self;
	uint64_t sum = 0;

	for (unsigned side = 0; side < NR_SIDE; side++)
		if (sides & SIDE_BIT(side))
			sum += self[side];
	return sum;
}

void walk_frames(const struct picture *p, unsigned sides, bool in_nsec, uint64_t *ret_self,
		 uint64_t *ret_total)
{
	AUTO_FREE uint64_t *total = mem_zeroed(p->nodes.count + 1, sizeof(*total));

	memset(ret_self, 0, p->frames.count * sizeof(*ret_self));
	memset(ret_total, 0, p->frames.count * sizeof(*ret_total));
	picture_totals(p, sides, in_nsec, total);
	for (uint32_t i = 1; i < p->nodes.count; i++) {
		const struct picture_node *node = &p->nodes.at[i];

		ret_self[node->frame] += walk_self(node, sides, in_nsec);
		if (!node->again)
			ret_total[node->frame] += total[i];
	}
}

const char *walk_name(const struct picture *p, uint32_t frame)
{
	const char *name = picture_text(p, p->frames.at[frame].name);

	return *name ? name : "[unknown]";
}
