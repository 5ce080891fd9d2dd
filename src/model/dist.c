#include "model/dist.h"

#include <math.h>
#include <stddef.h>

#define SPIKE_SPREAD 0.28

double dist_middle(uint32_t bucket)
{
	return (bucket_low(bucket) + (double)bucket_low(bucket + 1) - 1) / 2;
}

void dist_add(struct dist *d, uint32_t bucket, double count)
{
	d->count[bucket < NR_BUCKET ? bucket : NR_BUCKET - 1] += count;
	d->total += count;
}

void dist_subtract(struct dist *d, const struct dist *less)
{
	d->total = 0;
	for (uint32_t b = 0; b < NR_BUCKET; b++) {
		d->count[b] = fmax(0, d->count[b] - less->count[b]);
		d->total += d->count[b];
	}
}

/* Where the values of a bucket are taken to lie: [*ret_low, *ret_high]. */
static void dist_spread(const struct dist *d, uint32_t b, double *ret_low, double *ret_high)
{
	double low = bucket_low(b), last = (double)bucket_low(b + 1) - 1;
	double around = (b ? d->count[b - 1] : 0) + (b + 1 < NR_BUCKET ? d->count[b + 1] : 0);
	double spread = fmin(1, fmax(SPIKE_SPREAD, around / (2 * d->count[b])));
	double half = (last - low) / 2 * spread;

	*ret_low = (low + last) / 2 - half;
	*ret_high = (low + last) / 2 + half;
}

double dist_quantile(const struct dist *d, double q)
{
	double rank = fmin(1, fmax(0, q)) * d->total, below = 0, low, high;
	uint32_t b, found = NR_BUCKET;

	for (b = 0; b < NR_BUCKET; b++) {
		if (d->count[b] <= 0)
			continue;
		found = b;
		if (below + d->count[b] >= rank)
			break;
		below += d->count[b];
	}
	if (found == NR_BUCKET)
		return 0;
	dist_spread(d, found, &low, &high);
	return low + (high - low) * fmin(1, fmax(0, (rank - below) / d->count[found]));
}

double dist_between(const struct dist *d, double low, double high, double *ret_sum)
{
	double calls = 0, sum = 0;

	for (uint32_t b = 0; b < NR_BUCKET; b++) {
		double first, last, from, to, part;

		if (d->count[b] <= 0)
			continue;
		dist_spread(d, b, &first, &last);
		from = fmax(first, low);
		to = fmin(last, high);
		if (last > first)
			part = to > from ? (to - from) / (last - first) : 0;
		else
			part = first > low && first <= high;
		calls += part * d->count[b];
		if (part > 0)
			sum += part * d->count[b] * (from + to) / 2;
	}
	if (ret_sum)
		*ret_sum = sum;
	return calls;
}

double dist_above(const struct dist *d, double nsec)
{
	return dist_between(d, nsec, INFINITY, NULL);
}

double dist_mean(const struct dist *d)
{
	double sum, calls = dist_between(d, -1, INFINITY, &sum);

	return calls > 0 ? sum / calls : 0;
}

uint64_t dist_max(const struct dist *d)
{
	for (uint32_t b = NR_BUCKET; b-- > 0;) {
		if (d->count[b] > 0)
			return bucket_low(b + 1) - 1;
	}
	return 0;
}
