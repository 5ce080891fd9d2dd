#include "view/odds.h"

#include "base/mem.h"

#include <math.h>

/* As observed, of all calls that ticks fell into and that have ended. */
static void count_hit(const struct store *st, uint32_t probe, nsec brief, struct dist *ret)
{
	for (uint32_t i = 0; i < st->spans.slots.count; i++) {
		const struct span *s = &st->spans.slots.at[i];

		if (s->id && s->last_sample && s->probe == probe && span_finished(s) &&
		    span_age(s, 0) < brief)
			dist_add(ret, bucket_of(span_age(s, 0)), 1);
	}
}

static void count_calls(const struct store_probe *probe, const struct window *w,
			struct dist *ret)
{
	struct call_count *count = NEW(struct call_count);

	timeline_count(&probe->calls, w, count);
	*ret = count->dist;
	free(count);
}

static void learn(struct odds *o, const struct store *st, const struct store_probe *probe)
{
	const struct window always = { .kind = WINDOW_ALL };
	struct dist *hit = NEW(struct dist), *all = NEW(struct dist);

	count_hit(st, probe->id, o->brief, hit);
	count_calls(probe, &always, all);
	residue_fit(&o->residue, residue_spread(st->losses.tick_nsec), all, hit);
	free(hit);
	free(all);
}

void odds_init(struct odds *o, const struct store *st, const struct split *split,
	       const struct window *w)
{
	const struct store_probe *probe = store_probe(st, split_probe(split));

	*o = (struct odds){ .brief = residue_brief(st->origin.period) };
	o->intervals = split_bounds(split, o->bounds, ODDS_MOST - 1) + 1;
	if (!probe || o->intervals == 1 || !o->brief)
		return;
	o->calls = NEW(struct dist);
	count_calls(probe, w, o->calls);
	o->of = mem_zeroed(NR_BUCKET, sizeof(*o->of));
	learn(o, st, probe);
}

void odds_done(struct odds *o)
{
	for (uint32_t b = 0; o->of && b < NR_BUCKET; b++)
		free(o->of[b]);
	free(o->of);
	free(o->calls);
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
		double middle, part = weight * part_in(o, i, bucket, &middle);

		to->part[i] += part;
		to->mean[i] += part * middle;
	}
}

static void weigh(const struct odds *o, nsec observed, struct odds_of_call *ret)
{
	double weights[NR_BUCKET];
	uint32_t end;
	double sum = residue_weigh(&o->residue, o->calls, observed, weights, &end);

	for (uint32_t b = 0; b < end; b++) {
		if (sum > 0 && weights[b] > 0)
			add_bucket(o, b, weights[b] / sum, ret);
	}
	if (sum <= 0) /* no call is near */
		add_bucket(o, bucket_of(observed), 1, ret);
	for (uint32_t i = 0; i < o->intervals; i++)
		ret->mean[i] = ret->part[i] > 0 ? ret->mean[i] / ret->part[i] : 0;
}

const struct odds_of_call *odds_ask(struct odds *o, nsec observed)
{
	struct odds_of_call **of;

	if (!o->calls || observed >= o->brief)
		return NULL;
	of = &o->of[bucket_of(observed)];
	if (!*of) {
		*of = NEW(struct odds_of_call);
		weigh(o, observed, *of);
	}
	return *of;
}
