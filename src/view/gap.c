#include "view/gap.h"

#define GAPS_MOST 256

static bool is_cut(uint8_t end)
{
	return end != STACK_WHOLE && end != STACK_NONE;
}

/* The image of the outermost frame that was found. */
static uint32_t last_image(const struct store *st, node_id node)
{
	uint32_t image = 0;

	for (; node; node = tree_parent(&st->tree, node)) {
		struct frame f = frame_at(&st->frames, tree_frame(&st->tree, node));

		if (f.image != IMAGE_ID_TRUNCATED && f.image != IMAGE_ID_CALL)
			image = f.image;
	}
	return image;
}

static text_id image_name(struct picture *p, const struct store *st, uint32_t image)
{
	const struct store_image *i = store_image(st, image);
	const char *path = i ? intern_string(&st->text, i->path) : "", *slash;

	slash = strrchr(path, '/');
	return intern_text(&p->text, !*path ? "[unknown]" : slash ? slash + 1 : path);
}

void gap_add(struct picture *p, const struct store *st, const struct sample *s)
{
	struct picture_gap *g = NULL;
	text_id image;

	if (s->user_end != STACK_NONE)
		p->losses.stacks++;
	if (!is_cut(s->user_end))
		return;
	if (s->user_end == STACK_UNREADABLE)
		p->losses.stacks_unreadable++;
	else
		p->losses.stacks_truncated++;
	image = image_name(p, st, last_image(st, s->node));
	for (uint32_t i = 0; i < p->gaps.count && !g; i++) {
		if (p->gaps.at[i].image_name == image && p->gaps.at[i].end == s->user_end)
			g = &p->gaps.at[i];
	}
	if (!g && p->gaps.count >= GAPS_MOST)
		return;
	if (!g) {
		g = array_add(&p->gaps);
		g->image_name = image;
		g->end = s->user_end;
	}
	g->samples++;
}

static int by_samples(const void *va, const void *vb)
{
	const struct picture_gap *a = va, *b = vb;

	return a->samples < b->samples ? 1 : a->samples > b->samples ? -1 : 0;
}

void gap_sort(struct picture *p)
{
	if (p->gaps.count)
		qsort(p->gaps.at, p->gaps.count, sizeof(*p->gaps.at), by_samples);
}
