#include "view/nest.h"

#define WHOLE 0.9

/* Time of each function while each of the others, and itself, was around it. */
struct shares {
	const struct picture *p;
	const uint32_t *of;
	uint32_t count;
	uint64_t *around; /* of a node: bit i = function i is it or is above it */
	uint64_t *total[2];
	double nsec[NEST_MOST][NEST_MOST];
};

static bool is_of_rest(const struct shares *s, uint32_t i)
{
	const struct picture_function *f = &s->p->functions.at[s->of[i]];

	return f->per_call_rest_nsec > f->per_call_in_nsec;
}

static uint32_t find(const struct shares *s, const struct picture_node *node)
{
	for (uint32_t i = 0; i < s->count && node->place == PLACE_WITHIN; i++)
		if (s->of[i] == node->function)
			return i;
	return NEST_NONE;
}

/* A node is younger than its parent. */
static void sum_shares(struct shares *s)
{
	for (uint32_t n = 1; n < s->p->nodes.count; n++) {
		const struct picture_node *node = &s->p->nodes.at[n];
		uint64_t above = s->around[node->parent];
		uint32_t i = find(s, node);

		s->around[n] = above;
		if (i == NEST_NONE || above & 1ull << i)
			continue;
		s->around[n] |= 1ull << i;
		for (uint32_t k = 0; k < s->count; k++)
			if (s->around[n] & 1ull << k)
				s->nsec[i][k] += s->total[is_of_rest(s, i)][n];
	}
}

static bool lies_within(const struct shares *s, uint32_t i, uint32_t k)
{
	const struct picture_function *functions = s->p->functions.at;

	/* nearer to the span: so this is never a ring */
	return i != k && s->nsec[i][i] > 0 && s->nsec[i][k] >= WHOLE * s->nsec[i][i] &&
	       functions[s->of[k]].depth < functions[s->of[i]].depth;
}

static uint32_t innermost(const struct shares *s, uint32_t i)
{
	uint32_t best = NEST_NONE;

	for (uint32_t k = 0; k < s->count; k++) {
		if (!lies_within(s, i, k))
			continue;
		if (best == NEST_NONE || lies_within(s, k, best) ||
		    (!lies_within(s, best, k) && s->p->functions.at[s->of[k]].depth >
							 s->p->functions.at[s->of[best]].depth))
			best = k;
	}
	return best;
}

static bool is_shared(const struct shares *s, const struct nest *n, uint32_t i)
{
	uint64_t known = 0;

	for (uint32_t k = n->within[i]; k != NEST_NONE; k = n->within[k])
		known |= 1ull << k;
	for (uint32_t k = 0; k < s->count; k++)
		if (k != i && !(known & 1ull << k) &&
		    s->nsec[i][k] > (1 - WHOLE) * s->nsec[i][i])
			return true;
	return false;
}

void nest_make(struct nest *n, const struct picture *p, const uint32_t *of, uint32_t count)
{
	AUTO_FREE uint64_t *around = mem_zeroed(p->nodes.count, sizeof(*around));
	AUTO_FREE uint64_t *in = mem_zeroed(p->nodes.count, sizeof(*in));
	AUTO_FREE uint64_t *rest = mem_zeroed(p->nodes.count, sizeof(*rest));
	struct shares s = { p, of, count, around, { in, rest }, { { 0 } } };

	picture_totals(p, SIDE_BIT(SIDE_IN), true, in);
	picture_totals(p, SIDE_BIT(SIDE_REST), true, rest);
	sum_shares(&s);
	*n = (struct nest){ .count = count };
	for (uint32_t i = 0; i < count; i++)
		n->within[i] = innermost(&s, i);
	for (uint32_t i = 0; i < count; i++)
		n->shared[i] = is_shared(&s, n, i);
}
