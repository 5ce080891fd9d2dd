#include "view/function.h"

#include "base/table.h"
#include "model/proportion.h"

#define SAMPLES_LEAST 8	 /* fewer are never 2.81 standard errors, which two tests ask for */
#define FALSE_CHANCE .01 /* that any function of a picture stands out by chance */

void functions_reach(struct functions *fs)
{
	const struct picture *p = fs->picture;

	while (fs->of_frame.count < p->frames.count) {
		const struct picture_frame *frame = &p->frames.at[fs->of_frame.count];
		uint64_t key = (uint64_t)frame->image << 32 | frame->name;
		uint32_t at = table_find(&fs->named, key);

		if (at == TABLE_NONE)
			table_set(&fs->named, key, at = fs->count++);
		array_push(&fs->of_frame, at);
	}
	while (fs->place.count < p->nodes.count)
		array_push(&fs->place, PLACE_OUTER);
}

void functions_done(struct functions *fs)
{
	array_done(&fs->of_frame);
	array_done(&fs->place);
	table_done(&fs->named);
	array_done(&fs->edge);
	array_done(&fs->edges);
	table_done(&fs->edge_at);
	free(fs->list);
	*fs = (struct functions){ 0 };
}

static void empty_list(struct functions *fs)
{
	free(fs->list);
	fs->list = mem_zeroed(fs->count + 1, sizeof(*fs->list));
	for (uint32_t i = 0; i < fs->count; i++)
		fs->list[i] = (struct picture_function){ .frame = UINT32_MAX,
							 .caller = UINT32_MAX,
							 .depth = UINT32_MAX };
}

static uint32_t function_of(const struct functions *fs, uint32_t node)
{
	return fs->of_frame.at[fs->picture->nodes.at[node].frame];
}

static uint32_t parent_of(const struct functions *fs, uint32_t node)
{
	return fs->picture->nodes.at[node].parent;
}

static bool is_counted(const struct functions *fs, uint32_t node)
{
	return fs->place.at[node] >= PLACE_WITHIN;
}

/* Does its function begin there, on the way from the root? */
static bool is_first(const struct functions *fs, uint32_t node)
{
	uint32_t function = function_of(fs, node), at = parent_of(fs, node);

	if (fs->place.at[node] != PLACE_WITHIN)
		return false;
	for (; is_counted(fs, at); at = parent_of(fs, at)) {
		if (function_of(fs, at) == function)
			return false;
	}
	return true;
}

static uint32_t edge_of(struct functions *fs, uint32_t node)
{
	uint32_t parent = parent_of(fs, node), function = function_of(fs, node), at;
	bool within = fs->place.at[parent] == PLACE_WITHIN;
	uint64_t key = (uint64_t)function << 32 | (within ? function_of(fs, parent) + 1 : 0);
	struct function_edge edge = { function,
				      within ? fs->picture->nodes.at[parent].frame : UINT32_MAX,
				      0 };

	at = table_find(&fs->edge_at, key);
	if (at != TABLE_NONE)
		return at;
	table_set(&fs->edge_at, key, at = fs->edges.count);
	array_push(&fs->edges, edge);
	return at;
}

static void edges_reach(struct functions *fs)
{
	for (uint32_t n = fs->edge.count; n < fs->picture->nodes.count; n++) {
		uint32_t edge = n && is_first(fs, n) ? edge_of(fs, n) : FUNCTION_NOT_FIRST;

		array_push(&fs->edge, edge);
	}
	for (uint32_t i = 0; i < fs->edges.count; i++)
		fs->edges.at[i].weight = 0;
}

static void edges_choose(struct functions *fs)
{
	AUTO_FREE uint64_t *best = mem_zeroed(fs->count + 1, sizeof(*best));

	for (uint32_t i = 0; i < fs->edges.count; i++) {
		const struct function_edge *edge = &fs->edges.at[i];

		if (edge->weight <= best[edge->function])
			continue;
		best[edge->function] = edge->weight;
		fs->list[edge->function].caller = edge->caller;
	}
}

/* Totals of a node. */
struct total {
	uint64_t in, rest, samples_in, samples_rest;
	uint32_t depth;
};

static struct total *totals(const struct functions *fs)
{
	const struct picture *p = fs->picture;
	struct total *totals = mem_zeroed(p->nodes.count, sizeof(*totals));

	for (uint32_t n = p->nodes.count; n-- > 1;) {
		const struct picture_node *node = &p->nodes.at[n];
		struct total *own = &totals[n], *up = &totals[node->parent];

		up->in += own->in += node->self_nsec[SIDE_IN];
		up->rest += own->rest += node->self_nsec[SIDE_REST];
		up->samples_in += own->samples_in += node->self[SIDE_IN];
		up->samples_rest += own->samples_rest += node->self[SIDE_REST];
	}
	return totals;
}

/* most: time of the function at the depth that it has by now. */
static void sum_node(struct functions *fs, uint32_t n, const struct total *total,
		     uint64_t *most)
{
	const struct picture_node *node = &fs->picture->nodes.at[n];
	struct picture_function *to = &fs->list[function_of(fs, n)];

	if (to->frame == UINT32_MAX)
		to->frame = node->frame;
	to->self_in_nsec += node->self_nsec[SIDE_IN];
	to->self_rest_nsec += node->self_nsec[SIDE_REST];
	if (fs->edge.at[n] == FUNCTION_NOT_FIRST)
		return;
	if (to->depth == UINT32_MAX || total->in + total->rest > *most) {
		to->depth = total->depth;
		*most = total->in + total->rest;
	}
	to->total_in_nsec += total->in;
	to->total_rest_nsec += total->rest;
	to->samples_in += total->samples_in;
	to->samples_rest += total->samples_rest;
	fs->edges.at[fs->edge.at[n]].weight += total->in;
}

void functions_sum(struct functions *fs)
{
	AUTO_FREE struct total *all = totals(fs);

	AUTO_FREE uint64_t *most = mem_zeroed(fs->count + 1, sizeof(*most));

	empty_list(fs);
	edges_reach(fs);
	for (uint32_t n = 1; n < fs->picture->nodes.count; n++) {
		uint32_t parent = parent_of(fs, n);
		struct total *t = &all[n];

		t->depth = is_counted(fs, parent) ? all[parent].depth + 1 : 0;
		if (fs->place.at[n] == PLACE_WITHIN &&
		    (t->in || t->rest || t->samples_in || t->samples_rest))
			sum_node(fs, n, t, &most[function_of(fs, n)]);
	}
	edges_choose(fs);
}

static int larger_extra(const void *va, const void *vb)
{
	const struct picture_function *a = va, *b = vb;

	if (a->extra_nsec != b->extra_nsec)
		return a->extra_nsec < b->extra_nsec ? 1 : -1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1; /* callers first */
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* What the nodes of the picture are to its functions. */
static void give_nodes(const struct functions *fs, struct picture *p)
{
	AUTO_FREE uint32_t *given = mem_zeroed(fs->count, sizeof(*given));

	for (uint32_t i = 0; i < p->functions.count; i++)
		given[fs->of_frame.at[p->functions.at[i].frame]] = i;
	for (uint32_t n = 1; n < p->nodes.count; n++) {
		p->nodes.at[n].place = fs->place.at[n];
		p->nodes.at[n].function = given[function_of(fs, n)];
	}
}

void functions_give(struct functions *fs, struct picture *p)
{
	unsigned tested = 2; /* the span's own code, and waiting */

	for (uint32_t i = 0; i < fs->count; i++) {
		const struct picture_function *f = &fs->list[i];

		if (f->frame == UINT32_MAX)
			continue;
		array_push(&p->functions, *f);
		tested += f->samples_in + f->samples_rest >= SAMPLES_LEAST;
	}
	p->z_least = proportion_z_least(FALSE_CHANCE, tested);
	if (p->functions.count)
		qsort(p->functions.at, p->functions.count, sizeof(*p->functions.at),
		      larger_extra);
	give_nodes(fs, p);
}
