#include "source/hits.h"

#include "model/dist.h"

#define EVEN 0.6180339887498949 /* its multiples lie evenly in [0, 1) (Weyl) */

void hits_add(struct hits *h, uint64_t nsec)
{
	array_push(&h->lengths, nsec);
}

void hits_done(struct hits *h)
{
	array_done(&h->lengths);
}

static double next_chance(struct hits *h)
{
	double at = ++h->turn * EVEN;

	return at - (uint64_t)at;
}

/* A tick falls into calls of a bucket in proportion to their sum. */
static double weigh_unseen(const struct dist *clean, uint32_t end, double *ret)
{
	double sum = 0;

	for (uint32_t b = 0; b < end; b++)
		sum += ret[b] = clean->count[b] * dist_middle(b);
	return sum;
}

/* The bucket at a part of the sum of the weights. */
static uint32_t choose(const double *weights, uint32_t end, double part)
{
	uint32_t last = 0;

	for (uint32_t b = 0; b < end; b++) {
		if (weights[b] <= 0)
			continue;
		last = b;
		part -= weights[b];
		if (part < 0)
			break;
	}
	return last;
}

/* By what was observed; fresh: of the calls that no tick fell into. */
static uint32_t bucket_seen(struct hits *h, uint64_t nsec, struct hit_rule *rule,
			    const struct dist *fresh, const struct dist *ever)
{
	double weights[NR_BUCKET], chance = next_chance(h);
	uint32_t end;
	double sum = residue_weigh(&rule->residue, fresh, nsec, weights, &end);

	if (sum <= 0)
		sum = residue_weigh(&rule->residue, ever, nsec, weights, &end);
	if (sum > 0) {
		residue_learn_from(&rule->residue, nsec, 1, weights, end, sum);
		return choose(weights, end, chance * sum);
	}
	if (nsec > h->max)
		h->max = nsec;
	return bucket_of(nsec);
}

/* Nothing was observed: like any that a tick may fall into. */
static void count_unseen(struct hits *h, uint64_t calls, const struct hit_rule *rule,
			 const struct dist *ever, __u64 *buckets)
{
	uint32_t end = bucket_of(rule->brief);
	double weights[NR_BUCKET], sum = weigh_unseen(ever, end, weights);

	for (uint64_t i = 0; i < calls; i++)
		buckets[sum > 0 ? choose(weights, end, next_chance(h) * sum)
				: bucket_of(rule->brief / 2)]++;
}

static void dist_of(const __u64 *buckets, struct dist *ret)
{
	*ret = (struct dist){ 0 };
	for (uint32_t b = 0; b < NR_BUCKET; b++)
		dist_add(ret, b, buckets[b]);
}

void hits_count(struct hits *h, uint64_t calls, struct hit_rule *rule,
		const __u64 ever[NR_BUCKET], __u64 buckets[NR_BUCKET])
{
	uint32_t i = h->early < h->lengths.count ? h->early : h->lengths.count;
	struct dist fresh, always;

	dist_of(buckets, &fresh);
	dist_of(ever, &always);
	for (; i < h->lengths.count && calls; i++, calls--)
		buckets[bucket_seen(h, h->lengths.at[i], rule, &fresh, &always)]++;
	count_unseen(h, calls, rule, &always, buckets);
	h->early = calls;
	array_clear(&h->lengths);
}
