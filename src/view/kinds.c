#include "view/kinds.h"

struct stratum_kind kind_of_side(enum side side)
{
	return (struct stratum_kind){ .bucket = NR_BUCKET, .sides = 1, .side = { side } };
}

/* Where more than its duration decides, which the odds know for a brief one. */
static void kind_of_call(const struct kinds *k, const struct sample *s, const struct span *call,
			 enum side side, bool left_out, struct stratum_kind *ret)
{
	const struct odds_of_call *of = odds_ask(k->odds, ret->bucket);

	ret->sides = of ? k->odds->intervals : 1;
	ret->side[0] = side;
	for (uint32_t i = 0; i < ret->sides; i++) {
		if (of)
			ret->side[i] = split_judge_as(k->split, k->store, s, call, of->mean[i]);
		if (left_out)
			ret->side[i] = SIDE_LEFT_OUT;
	}
}

const struct span *kind_of_sample(const struct kinds *k, const struct sample *s, bool left_out,
				  struct stratum_kind *ret)
{
	const struct span *call;
	enum side side = split_judge(k->split, k->store, s, k->now, &call);

	if (!call || !span_finished(call)) {
		*ret = kind_of_side(left_out ? (enum side)SIDE_LEFT_OUT : side);
		return call;
	}
	*ret = (struct stratum_kind){ .bucket = bucket_of(span_age(call, 0)) };
	if (!k->by_duration)
		kind_of_call(k, s, call, side, left_out, ret);
	return call;
}

struct stratum_kind kind_of_bucket(const struct kinds *k, uint32_t bucket)
{
	if (bucket == CUBE_BEFORE)
		return kind_of_side(SIDE_BEFORE);
	if (bucket == CUBE_OPEN) /* without an expression every call is in */
		return kind_of_side(split_is_inside(k->split) ? SIDE_IN : SIDE_OPEN);
	return (struct stratum_kind){ .bucket = bucket };
}
