#include "view/recursion.h"

#include "base/table.h"

static uint32_t home_of(struct table *homes, const struct picture *p, uint32_t above,
			uint32_t node)
{
	uint32_t frame = p->nodes.at[node].frame, at;

	if (above && p->nodes.at[above].frame == frame)
		return above;
	at = table_find(homes, (uint64_t)above << 32 | frame);
	if (at != TABLE_NONE)
		return at;
	table_set(homes, (uint64_t)above << 32 | frame, node);
	return node;
}

void recursion_find(struct recursion *r, const struct picture *p)
{
	AUTO_FREE uint32_t *deep = mem_zeroed(p->nodes.count + 1, sizeof(*deep));
	struct table homes = { 0 };

	r->home = mem_zeroed(p->nodes.count + 1, sizeof(*r->home));
	r->times = mem_zeroed(p->nodes.count + 1, sizeof(*r->times));
	for (uint32_t i = 1; i < p->nodes.count; i++) {
		uint32_t parent = p->nodes.at[i].parent, above = r->home[parent];
		uint32_t home = home_of(&homes, p, above, i);

		r->home[i] = home;
		deep[i] = home == above ? deep[parent] + 1 : 1;
		if (deep[i] > r->times[home])
			r->times[home] = deep[i];
	}
	table_done(&homes);
}

void recursion_done(struct recursion *r)
{
	free(r->home);
	free(r->times);
}

void recursion_totals(const struct recursion *r, const struct picture *p, unsigned sides,
		      bool in_nsec, uint64_t *ret_total)
{
	memset(ret_total, 0, p->nodes.count * sizeof(*ret_total));
	for (uint32_t i = 0; i < p->nodes.count; i++) {
		const struct picture_node *n = &p->nodes.at[i];

		for (unsigned s = 0; s < NR_SIDE; s++)
			if (sides & SIDE_BIT(s))
				ret_total[r->home[i]] += in_nsec ? n->self_nsec[s] : n->self[s];
	}
	for (uint32_t i = p->nodes.count; i-- > 1;)
		if (r->home[i] == i)
			ret_total[recursion_parent(r, p, i)] += ret_total[i];
}
