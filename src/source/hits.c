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
static double prior(const __u64 *clean, uint32_t bucket)
{
	return clean[bucket] * dist_middle(bucket);
}

/* Weights of the buckets [0, end) for a call observed with nsec, their sum. */
static double weigh(const struct hit_rule *rule, const __u64 *clean, double nsec, uint32_t end,
		    double *ret)
{
	double sum = 0;

	for (uint32_t b = 0; b < end; b++) {
		ret[b] = !clean[b] ? 0
				   : prior(clean, b) * residue_density(&rule->residue,
								       nsec - dist_middle(b));
		sum += ret[b];
	}
	return sum;
}

static double weigh_unseen(const __u64 *clean, uint32_t end, double *ret)
{
	double sum = 0;

	for (uint32_t b = 0; b < end; b++)
		sum += ret[b] = prior(clean, b);
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

/* Calls of up to so much may be observed as brief. */
static uint32_t end_of(const struct hit_rule *rule)
{
	return bucket_of(rule->brief + RESIDUE_BELOW * (uint64_t)RESIDUE_STEP) + 1;
}

/* What was observed tells in turn how ticks are. */
static void learn(struct residue *r, double nsec, const double *weights, uint32_t end,
		  double sum)
{
	for (uint32_t b = 0; b < end; b++) {
		if (weights[b] > 0)
			residue_learn(r, nsec - dist_middle(b), weights[b] / sum);
	}
}

/* By what was observed; fresh: of the calls that no tick fell into. */
static uint32_t bucket_seen(struct hits *h, uint64_t nsec, struct hit_rule *rule,
			    const __u64 *fresh, const __u64 *ever)
{
	uint32_t end = end_of(rule);
	double weights[NR_BUCKET], chance = next_chance(h);
	double sum = weigh(rule, fresh, nsec, end, weights);

	if (sum <= 0)
		sum = weigh(rule, ever, nsec, end, weights);
	if (sum > 0) {
		learn(&rule->residue, nsec, weights, end, sum);
		return choose(weights, end, chance * sum);
	}
	if (nsec > h->max)
		h->max = nsec;
	return bucket_of(nsec);
}

/* Nothing was observed: like any that a tick may fall into. */
static void count_unseen(struct hits *h, uint64_t calls, const struct hit_rule *rule,
			 const __u64 *ever, __u64 *buckets)
{
	uint32_t end = bucket_of(rule->brief);
	double weights[NR_BUCKET], sum = weigh_unseen(ever, end, weights);

	for (uint64_t i = 0; i < calls; i++)
		buckets[sum > 0 ? choose(weights, end, next_chance(h) * sum)
				: bucket_of(rule->brief / 2)]++;
}

void hits_count(struct hits *h, uint64_t calls, struct hit_rule *rule,
		const __u64 ever[NR_BUCKET], __u64 buckets[NR_BUCKET])
{
	uint32_t i = h->early < h->lengths.count ? h->early : h->lengths.count;
	__u64 fresh[NR_BUCKET];

	memcpy(fresh, buckets, sizeof(fresh));
	for (; i < h->lengths.count && calls; i++, calls--)
		buckets[bucket_seen(h, h->lengths.at[i], rule, fresh, ever)]++;
	count_unseen(h, calls, rule, ever, buckets);
	h->early = calls;
	array_clear(&h->lengths);
}
