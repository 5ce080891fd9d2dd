#include "view/chances.h"

#define PART_LEAST 1e-3 /* what is less likely goes to the other sides */

static void add_chance(struct chances *c, enum side side, double part, double mean)
{
	c->part[side] += part;
	c->mean[side] += part * mean;
}

/* Makes parts that sum up to 1, and means, of what was added. */
static void close_chances(struct chances *c)
{
	double kept = 0;

	for (unsigned side = 0; side < NR_SIDE; side++) {
		if (c->part[side] < PART_LEAST)
			c->part[side] = c->mean[side] = 0;
		else
			c->mean[side] /= c->part[side];
		kept += c->part[side];
	}
	for (unsigned side = 0; side < NR_SIDE; side++)
		c->part[side] /= kept;
}

const struct span *chances_of_sample(struct judge *j, const struct sample *s,
				     struct chances *ret)
{
	const struct span *call;
	enum side side = split_judge(j->split, j->store, s, j->now, &call);
	const struct odds_of_call *of = NULL;

	*ret = (struct chances){ 0 };
	if (!call || !span_finished(call)) {
		add_chance(ret, side, 1, 0);
		return call;
	}
	of = odds_ask(&j->odds, span_age(call, 0));
	if (!of)
		add_chance(ret, side, 1, span_age(call, 0) + !span_age(call, 0));
	for (uint32_t i = 0; of && i < j->odds.intervals; i++) {
		if (of->part[i] > 0)
			add_chance(ret,
				   split_judge_as(j->split, j->store, s, call, of->mean[i]),
				   of->part[i], of->mean[i]);
	}
	close_chances(ret);
	return call;
}

void chances_of_bucket(struct judge *j, uint32_t bucket, struct chances *ret)
{
	const struct odds_of_call *of;

	*ret = (struct chances){ 0 };
	if (bucket == CUBE_BEFORE || bucket == CUBE_OPEN) {
		add_chance(ret,
			   bucket == CUBE_BEFORE       ? SIDE_BEFORE
			   : split_is_inside(j->split) ? SIDE_IN
						       : SIDE_OPEN,
			   1, 0);
		return;
	}
	of = odds_ask(&j->odds, dist_middle(bucket));
	if (!of)
		add_chance(ret, split_side_of_duration(j->split, dist_middle(bucket)), 1, 0);
	for (uint32_t i = 0; of && i < j->odds.intervals; i++)
		add_chance(ret, split_side_of_duration(j->split, of->mean[i]), of->part[i], 0);
	close_chances(ret);
}
