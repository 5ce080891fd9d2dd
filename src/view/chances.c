#include "view/chances.h"

static void be_sure(struct chances *c, enum side side, double lasts)
{
	c->chance[side] = c->part[side] = 1;
	c->mean[side] = lasts;
}

static void add_interval(struct chances *c, enum side side, const struct odds_of_call *of,
			 uint32_t i)
{
	double all = c->chance[side] + of->chance[i];

	if (all > 0)
		c->mean[side] =
			(c->chance[side] * c->mean[side] + of->chance[i] * of->mean[i]) / all;
	else
		c->mean[side] = of->mean[i];
	c->chance[side] = all;
	c->part[side] += of->part[i];
}

const struct span *chances_of_sample(struct judge *j, const struct sample *s,
				     struct chances *ret)
{
	const struct span *call;
	enum side side = split_judge(j->split, j->store, s, j->now, &call);
	const struct odds_of_call *of;

	*ret = (struct chances){ 0 };
	if (!call || !span_finished(call)) {
		be_sure(ret, side, 0);
		return call;
	}
	of = odds_ask(&j->odds, span_age(call, 0));
	if (!of)
		be_sure(ret, side, span_age(call, 0) + !span_age(call, 0));
	for (uint32_t i = 0; of && i < j->odds.intervals; i++)
		add_interval(ret, split_judge_as(j->split, j->store, s, call, of->mean[i]), of,
			     i);
	return call;
}

void chances_of_bucket(struct judge *j, uint32_t bucket, struct chances *ret)
{
	double lasted = dist_middle(bucket);
	const struct odds_of_call *of;

	*ret = (struct chances){ 0 };
	if (bucket == CUBE_BEFORE) {
		be_sure(ret, SIDE_BEFORE, 0);
		return;
	}
	if (bucket == CUBE_OPEN) { /* without an expression every call is in */
		be_sure(ret, split_is_inside(j->split) ? SIDE_IN : SIDE_OPEN, 0);
		return;
	}
	of = odds_ask(&j->odds, lasted);
	if (!of)
		be_sure(ret, split_side_of_duration(j->split, lasted), lasted);
	for (uint32_t i = 0; of && i < j->odds.intervals; i++)
		add_interval(ret, split_side_of_duration(j->split, of->mean[i]), of, i);
}
