#include "view/odds.h"

#include "base/mem.h"

#include <math.h>

static void count_calls(const struct store_probe *probe, const struct window *w,
			struct dist *ret)
{
	struct call_count *count = NEW(struct call_count);

	timeline_count(&probe->calls, w, count);
	*ret = count->dist;
	free(count);
}

/* What part of a bucket lies in an interval, and the middle of that. */
static double part_in(const struct odds *o, uint32_t interval, uint32_t bucket,
		      double *ret_middle)
{
	double low = bucket_low(bucket), end = bucket_low(bucket + 1);
	double from = fmax(low, interval ? o->bounds[interval - 1] : 0);
	double to = fmin(end, interval + 1 < o->intervals ? o->bounds[interval] : INFINITY);

	*ret_middle = (from + to) / 2;
	return fmax(0, to - from) / (end - low);
}

static void add_bucket(const struct odds *o, uint32_t bucket, double weight,
		       struct odds_of_call *to)
{
	for (uint32_t i = 0; i < o->intervals; i++) {
		double middle, chance = weight * part_in(o, i, bucket, &middle);

		to->chance[i] += chance;
		to->mean[i] += chance * middle;
	}
}

/* Zero is a fine ret. */
static void weigh(const struct odds *o, double observed, struct odds_of_call *ret)
{
	double weights[NR_BUCKET];
	uint32_t end;
	double sum = residue_weigh(&o->residue, o->calls, observed, weights, &end);

	for (uint32_t b = 0; b < end; b++) {
		if (sum > 0 && weights[b] > 0)
			add_bucket(o, b, weights[b] / sum, ret);
	}
	if (sum <= 0) /* no call is near */
		add_bucket(o, bucket_of((uint64_t)observed), 1, ret);
	for (uint32_t i = 0; i < o->intervals; i++)
		ret->mean[i] =
			fmax(1, ret->chance[i] > 0 ? ret->mean[i] / ret->chance[i] : observed);
}

/* M of the head of odds.h, of calls as they were observed. */
static void mix_of(const struct odds *o, const struct dist *hit, struct matrix *ret)
{
	double all[ODDS_MOST] = { 0 };

	for (uint32_t b = 0; b < NR_BUCKET; b++) {
		struct odds_of_call call = { 0 };

		if (hit->count[b] <= 0)
			continue;
		weigh(o, dist_middle(b), &call);
		for (uint32_t k = 0; k < o->intervals; k++) {
			all[k] += hit->count[b] * call.chance[k];
			for (uint32_t j = 0; j < o->intervals; j++)
				ret->at[k][j] +=
					hit->count[b] * call.chance[k] * call.chance[j];
		}
	}
	for (uint32_t k = 0; k < o->intervals; k++) {
		for (uint32_t j = 0; j < o->intervals; j++)
			ret->at[k][j] = all[k] > 0 ? ret->at[k][j] / all[k] : k == j;
	}
}

#define STRETCH_MOST 4 /* beyond, there is more noise than there is to be found */

static void find_stretch(struct odds *o, const struct dist *hit)
{
	struct matrix *mix = NEW(struct matrix);
	bool fine;

	mix_of(o, hit, mix);
	fine = matrix_invert(mix, o->intervals, &o->stretch);
	for (uint32_t i = 0; fine && i < o->intervals; i++) {
		for (uint32_t k = 0; k < o->intervals; k++)
			fine = fine && fabs(o->stretch.at[i][k]) <= STRETCH_MOST;
	}
	if (!fine)
		matrix_identity(&o->stretch, o->intervals);
	free(mix);
}

void odds_init(struct odds *o, const struct store *st, const struct split *split,
	       const struct window *w, bool by_duration)
{
	const struct store_probe *probe = store_probe(st, split_probe(split));

	*o = (struct odds){ .brief = residue_brief(st->origin.period) };
	o->intervals = split_bounds(split, o->bounds, ODDS_MOST - 1) + 1;
	if (!probe || o->intervals == 1 || !o->brief)
		return;
	if (by_duration && o->bounds[0] > o->brief + RESIDUE_BELOW * RESIDUE_STEP)
		return;
	o->calls = NEW(struct dist);
	count_calls(probe, w, o->calls);
	o->of = mem_zeroed(NR_BUCKET, sizeof(*o->of));
	o->probe = probe;
	o->tick = st->losses.tick_nsec;
}

void odds_learn(struct odds *o, const struct dist *hit)
{
	const struct window always = { .kind = WINDOW_ALL };
	struct dist *all;

	if (!o->calls)
		return;
	all = NEW(struct dist);
	count_calls(o->probe, &always, all);
	residue_fit(&o->residue, residue_spread(o->tick), all, hit);
	find_stretch(o, hit);
	free(all);
}

void odds_done(struct odds *o)
{
	for (uint32_t b = 0; o->of && b < NR_BUCKET; b++)
		free(o->of[b]);
	free(o->of);
	free(o->calls);
}

static void stretch(const struct odds *o, struct odds_of_call *call)
{
	for (uint32_t j = 0; j < o->intervals; j++) {
		for (uint32_t i = 0; i < o->intervals; i++)
			call->part[j] += call->chance[i] * o->stretch.at[i][j];
	}
}

static bool is_brief(const struct odds *o, uint32_t bucket)
{
	return o->calls && bucket < NR_BUCKET && dist_middle(bucket) < o->brief;
}

static double part_above(uint32_t bucket, double bound)
{
	double low = bucket_low(bucket), end = bucket_low(bucket + 1);

	return fmin(1, fmax(0, end - bound) / (end - low));
}

void odds_above(const struct odds *o, uint32_t bucket, const nsec *bounds, unsigned n,
		double *ret)
{
	double weights[NR_BUCKET], sum = 0;
	uint32_t end = 0;

	if (is_brief(o, bucket))
		sum = residue_weigh(&o->residue, o->calls, dist_middle(bucket), weights, &end);
	for (unsigned i = 0; i < n; i++) {
		ret[i] = sum > 0 ? 0 : dist_middle(bucket) > bounds[i];
		for (uint32_t b = 0; sum > 0 && b < end; b++)
			ret[i] += weights[b] / sum * part_above(b, bounds[i]);
	}
}

const struct odds_of_call *odds_ask(struct odds *o, uint32_t bucket)
{
	struct odds_of_call **of;

	if (!is_brief(o, bucket))
		return NULL;
	of = &o->of[bucket];
	if (!*of) {
		*of = NEW(struct odds_of_call);
		weigh(o, dist_middle(bucket), *of);
		stretch(o, *of);
	}
	return *of;
}
