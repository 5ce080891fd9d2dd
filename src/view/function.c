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

bool functions_first(const struct functions *fs, uint32_t node)
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

/* Callers of functions by weight on SIDE_IN. */
struct call_edge {
	uint32_t function, caller; /* caller: a frame, UINT32_MAX = the span itself */
	uint64_t weight;
};

struct call_edges {
	ARRAY(struct call_edge) list;
	struct table at; /* (function, function of the caller + 1) */
};

static void edges_add(struct call_edges *edges, const struct functions *fs, uint32_t node,
		      uint64_t weight)
{
	uint32_t parent = parent_of(fs, node), function = function_of(fs, node), at;
	bool within = fs->place.at[parent] == PLACE_WITHIN;
	uint64_t key = (uint64_t)function << 32 | (within ? function_of(fs, parent) + 1 : 0);

	at = table_find(&edges->at, key);
	if (at == TABLE_NONE) {
		table_set(&edges->at, key, at = edges->list.count);
		*(struct call_edge *)array_add(&edges->list) = (struct call_edge){
			function, within ? fs->picture->nodes.at[parent].frame : UINT32_MAX, 0
		};
	}
	edges->list.at[at].weight += weight;
}

static void edges_choose(struct call_edges *edges, struct functions *fs)
{
	uint64_t *best = mem_zeroed(fs->count, sizeof(*best));

	for (uint32_t i = 0; i < edges->list.count; i++) {
		const struct call_edge *edge = &edges->list.at[i];

		if (edge->weight <= best[edge->function])
			continue;
		best[edge->function] = edge->weight;
		fs->list[edge->function].caller = edge->caller;
	}
	free(best);
	array_done(&edges->list);
	table_done(&edges->at);
}

/* Totals of one side, in samples or nanoseconds. */
static uint64_t *side_totals(const struct functions *fs, enum side side, bool in_nsec)
{
	uint64_t *total = mem_zeroed(fs->picture->nodes.count, sizeof(*total));

	picture_totals(fs->picture, SIDE_BIT(side), in_nsec, total);
	return total;
}

void functions_sum(struct functions *fs)
{
	const struct picture *p = fs->picture;
	AUTO_FREE uint64_t *in = side_totals(fs, SIDE_IN, true);
	AUTO_FREE uint64_t *rest = side_totals(fs, SIDE_REST, true);
	AUTO_FREE uint64_t *nr_in = side_totals(fs, SIDE_IN, false);
	AUTO_FREE uint64_t *nr_rest = side_totals(fs, SIDE_REST, false);
	AUTO_FREE uint32_t *depth = mem_zeroed(p->nodes.count, sizeof(*depth));
	struct call_edges edges = { 0 };

	empty_list(fs);
	for (uint32_t n = 1; n < p->nodes.count; n++) {
		const struct picture_node *node = &p->nodes.at[n];
		struct picture_function *to = &fs->list[function_of(fs, n)];

		depth[n] = is_counted(fs, node->parent) ? depth[node->parent] + 1 : 0;
		if (fs->place.at[n] != PLACE_WITHIN ||
		    !(in[n] || rest[n] || nr_in[n] || nr_rest[n]))
			continue;
		if (to->frame == UINT32_MAX)
			to->frame = node->frame;
		if (depth[n] < to->depth)
			to->depth = depth[n];
		to->self_in_nsec += node->self_nsec[SIDE_IN];
		to->self_rest_nsec += node->self_nsec[SIDE_REST];
		if (!functions_first(fs, n))
			continue;
		to->total_in_nsec += in[n];
		to->total_rest_nsec += rest[n];
		to->samples_in += nr_in[n];
		to->samples_rest += nr_rest[n];
		edges_add(&edges, fs, n, in[n]);
	}
	edges_choose(&edges, fs);
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
