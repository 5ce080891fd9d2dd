#include "model/profile.h"

#include <assert.h>
#include <math.h>

void profile_done(struct profile *p)
{
	array_done(&p->weights);
}

static void profile_reach(struct profile *p, uint32_t node)
{
	uint32_t room = p->weights.room;

	if (node < p->weights.count)
		return;
	if (node >= room) {
		room = node + node / 2 + 8;
		p->weights.at = mem_resize(p->weights.at, room, sizeof(*p->weights.at));
		p->weights.room = room;
	}
	memset(&p->weights.at[p->weights.count], 0,
	       (node + 1 - p->weights.count) * sizeof(*p->weights.at));
	p->weights.count = node + 1;
}

void profile_put(struct profile *p, uint32_t node, double weight)
{
	profile_reach(p, node);
	p->weights.at[node] += weight;
}

double profile_at(const struct profile *p, uint32_t node)
{
	return node < p->weights.count ? p->weights.at[node] : 0;
}

void profile_add(struct profile *p, const struct profile *more, double factor)
{
	if (more->weights.count)
		profile_reach(p, more->weights.count - 1);
	for (uint32_t n = 0; n < more->weights.count; n++)
		p->weights.at[n] += factor * more->weights.at[n];
}

void profile_scale(struct profile *p, double factor)
{
	for (uint32_t n = 0; n < p->weights.count; n++)
		p->weights.at[n] *= factor;
}

double profile_sum(const struct profile *p)
{
	double sum = 0;

	for (uint32_t n = 0; n < p->weights.count; n++)
		sum += p->weights.at[n];
	return sum;
}

void profile_total(const struct profile *p, const uint32_t *parents, uint32_t count,
		   double *ret_total)
{
	for (uint32_t n = 0; n < count; n++)
		ret_total[n] = profile_at(p, n);
	for (uint32_t n = count; n-- > 1;) {
		assert(parents[n] < n);
		ret_total[parents[n]] += ret_total[n];
	}
}

uint64_t whole_number(double v)
{
	return v > 0 ? (uint64_t)fmin(v + 0.5, 0x1p63) : 0;
}

uint64_t rounding_back(struct rounding *r, uint64_t whole)
{
	uint64_t back = whole_number(fmin(r->given - r->exact, whole));

	if (r->given - r->exact <= 0.5)
		return 0;
	r->given -= back;
	return back;
}

void profile_round(const struct profile *p, uint32_t count, uint64_t *ret_whole)
{
	struct rounding r = { 0 };

	for (uint32_t n = 0; n < count; n++)
		ret_whole[n] = rounding_next(&r, profile_at(p, n));
	for (uint32_t n = count; n-- > 0 && r.given - r.exact > 0.5;)
		ret_whole[n] -= rounding_back(&r, ret_whole[n]);
}
