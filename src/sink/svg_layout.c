#include "sink/svg_layout.h"

#include "sink/walk.h"

/* The nodes wide enough to draw, grouped by parent and in order of name. */
struct sieve {
	uint32_t *nodes;
	uint32_t count;
	const struct picture *p;
	const uint64_t *total;
};

void layout_done(struct layout *l)
{
	array_done(&l->frames);
}

static int sieve_order(const void *left, const void *right, void *picture)
{
	const struct picture *p = picture;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct picture_node *m = &p->nodes.at[a], *n = &p->nodes.at[b];
	int order;

	if (m->parent != n->parent)
		return m->parent < n->parent ? -1 : 1;
	order = strcmp(walk_name(p, m->frame), walk_name(p, n->frame));
	return order ? order : (a > b) - (a < b);
}

/* A parent weighs at least what its child does, so what is kept is a tree. */
static void sieve_fill(struct sieve *s, struct layout *l, double least)
{
	const struct picture *p = s->p;
	double scale = s->total[0] ? 1.0 / s->total[0] : 0;

	for (uint32_t i = 1; i < p->nodes.count; i++) {
		uint64_t parent = s->total[p->nodes.at[i].parent];

		if (!s->total[i])
			continue;
		if (s->total[i] * scale >= least) {
			s->nodes[s->count++] = i;
		} else if (parent * scale >= least) {
			l->dropped++;
			l->dropped_weight += s->total[i];
		}
	}
	if (s->count)
		qsort_r(s->nodes, s->count, sizeof(*s->nodes), sieve_order, (void *)p);
}

/* First of the node's children in the sieve, count when there is none. */
static uint32_t sieve_children(const struct sieve *s, uint32_t node)
{
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->p->nodes.at[s->nodes[middle]].parent < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct layout_frame *layout_add(struct layout *l, uint32_t node, uint32_t depth)
{
	struct layout_frame *f = array_add(&l->frames);

	f->node = node;
	f->depth = depth;
	if (depth > l->depth)
		l->depth = depth;
	return f;
}

/* One open level of the walk: the next child and where it goes. */
struct level {
	uint32_t node, next;
	double x;
};

static void layout_walk(struct layout *l, const struct sieve *s, double scale)
{
	ARRAY(struct level) levels = { 0 };
	struct level root = { .node = 0, .next = sieve_children(s, 0) };

	layout_add(l, 0, 0)->width = s->total[0] * scale;
	array_push(&levels, root);
	while (levels.count) {
		struct level *top = &levels.at[levels.count - 1];
		uint32_t node = top->next < s->count ? s->nodes[top->next] : 0;
		struct layout_frame *f;

		if (!node || s->p->nodes.at[node].parent != top->node) {
			levels.count--;
			continue;
		}
		top->next++;
		if (levels.count > LAYOUT_DEPTH) {
			l->dropped++;
			l->dropped_weight += s->total[node];
			continue;
		}
		f = layout_add(l, node, levels.count);
		f->x = top->x;
		f->width = s->total[node] * scale;
		top->x += f->width;

		struct level below = { .node = node,
				       .next = sieve_children(s, node),
				       .x = f->x };

		array_push(&levels, below);
	}
	array_done(&levels);
}

void layout_make(struct layout *l, const struct picture *p, const uint64_t *total, double width,
		 double least)
{
	struct sieve s = { .p = p, .total = total };

	s.nodes = mem_alloc((p->nodes.count + 1) * sizeof(*s.nodes));
	sieve_fill(&s, l, least / width);
	layout_walk(l, &s, total[0] ? width / total[0] : 0);
	if (!total[0])
		l->frames.at[0].width =
			width; /* nothing was sampled: say so over the whole width */
	free(s.nodes);
}
