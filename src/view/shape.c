#include "view/shape.h"

#include <math.h>

#define MODE_BINS 256	/* of the whole range, for finding modes */
#define MODE_WIDTH 0.10 /* natural logarithm: standard width of the smoothing */
#define MODE_SHARE 0.01 /* of the calls, for a hump to count */
#define MODE_REACH 0.25 /* how far around its top a hump's calls are looked for */
#define MODE_SIGMA 4.0	/* how much deeper than chance a valley has to be */
#define ROUND_OFF 0.02	/* of a kind's calls: so many may change sides by rounding */
#define MIX_SHARE 0.1	/* of the calls above a bound: enough to speak of */

struct range {
	double low, high; /* natural logarithm of nanoseconds */
};

static double place_of(const struct picture_span *s, nsec duration)
{
	return log(fmax(duration, fmax(picture_shortest(s), 1)));
}

static struct range span_range(const struct picture_span *s)
{
	const struct picture_bucket *first = &s->buckets.at[0];
	const struct picture_bucket *last = &s->buckets.at[s->buckets.count - 1];
	struct range r = { place_of(s, first->low), place_of(s, last->high) };

	if (r.high < r.low + 0.05)
		r.high = r.low + 0.05;
	return r;
}

void shape_bins(const struct picture_span *span, double *ret_bins, unsigned n)
{
	struct range r;
	double step;

	for (unsigned k = 0; k < n; k++)
		ret_bins[k] = 0;
	if (!span->buckets.count || !n)
		return;
	r = span_range(span);
	step = (r.high - r.low) / n;
	for (uint32_t i = 0; i < span->buckets.count; i++) {
		const struct picture_bucket *b = &span->buckets.at[i];
		double low = (place_of(span, b->low) - r.low) / step;
		double high = (place_of(span, b->high) - r.low) / step;

		if (high - low < 1e-9)
			high = low + 1e-9;
		for (unsigned k = low > 0 ? low : 0; k < n && k < high; k++)
			ret_bins[k] +=
				b->count * (fmin(high, k + 1) - fmax(low, k)) / (high - low);
	}
}

static void smooth(const double *bins, double *ret, unsigned n, double sigma)
{
	int reach = ceil(3 * sigma);

	for (int i = 0; i < (int)n; i++) {
		double sum = 0, weight = 0;

		for (int k = -reach; k <= reach; k++) {
			double w = exp(-0.5 * k * k / (sigma * sigma));

			weight += w;
			if (i + k >= 0 && i + k < (int)n)
				sum += w * bins[i + k];
		}
		ret[i] = sum / weight;
	}
}

/* The middle of the lowest stretch. */
static unsigned lowest(const double *v, unsigned from, unsigned to)
{
	unsigned low = from, end = from;

	for (unsigned i = from; i <= to; i++) {
		if (v[i] < v[low])
			low = i;
		if (v[i] <= v[low])
			end = i;
	}
	return low + (end - low) / 2;
}

/* Whether the valley between two tops is deeper than the lower top's chance;
 * effective: bins that one smoothed value is the mean of. */
static bool valley_is_real(const double *v, unsigned a, unsigned b, double effective)
{
	double top = fmin(v[a], v[b]), valley = v[lowest(v, a, b)];

	return (top - valley) * effective > MODE_SIGMA * sqrt(top * effective) &&
	       valley < 0.7 * top;
}

/* Tops of the smoothed curve, neighbours without a real valley merged. */
static unsigned find_tops(const double *v, unsigned *tops, unsigned room, double effective)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MODE_BINS; i++) {
		if ((i && v[i - 1] >= v[i]) || (i + 1 < MODE_BINS && v[i + 1] > v[i]))
			continue;
		if (v[i] <= 0)
			continue;
		if (count && !valley_is_real(v, tops[count - 1], i, effective)) {
			if (v[i] > v[tops[count - 1]])
				tops[count - 1] = i;
			continue;
		}
		if (count < room)
			tops[count++] = i;
	}
	return count;
}

/* Those with enough calls near. */
static unsigned keep_tops(const double *bins, unsigned *tops, unsigned count, double step)
{
	unsigned kept = 0;
	double all = 0;

	for (unsigned i = 0; i < MODE_BINS; i++)
		all += bins[i];
	for (unsigned i = 0; i < count && kept < SHAPE_MODES; i++) {
		double near = 0;

		for (unsigned k = 0; k < MODE_BINS; k++)
			if (fabs((double)k - tops[i]) * step <= MODE_REACH)
				near += bins[k];
		if (near >= MODE_SHARE * all)
			tops[kept++] = tops[i];
	}
	return kept;
}

/* Calls of low < duration <= high, taken to lie evenly in each bucket. */
static double calls_between(const struct picture_span *span, double low, double high)
{
	double sum = 0;

	for (uint32_t i = 0; i < span->buckets.count; i++) {
		const struct picture_bucket *b = &span->buckets.at[i];
		double from = fmax(low, b->low), to = fmin(high, b->high);

		if (b->high <= b->low)
			sum += b->low > low && b->low <= high ? b->count : 0;
		else if (to > from)
			sum += b->count * (to - from) / (b->high - b->low);
	}
	return sum;
}

unsigned shape_modes(const struct picture_span *span, struct shape_mode ret[SHAPE_MODES])
{
	double bins[MODE_BINS], v[MODE_BINS], step, sigma, all, from = -1;
	unsigned tops[MODE_BINS / 2], count;
	struct range r;

	if (!span->buckets.count)
		return 0;
	r = span_range(span);
	step = (r.high - r.low) / MODE_BINS;
	sigma = fmax(MODE_WIDTH / step, 1);
	shape_bins(span, bins, MODE_BINS);
	smooth(bins, v, MODE_BINS, sigma);
	count = find_tops(v, tops, COUNT_OF(tops), sigma * 2 * sqrt(M_PI));
	count = keep_tops(bins, tops, count, step);
	all = calls_between(span, -1, INFINITY);
	for (unsigned i = 0; i < count; i++) {
		struct shape_mode *m = &ret[i];
		bool last = i + 1 == count;

		m->nsec = exp(r.low + (tops[i] ? tops[i] + 0.5 : 0) * step);
		m->until = last ? fmax(span->max, m->nsec)
				: exp(r.low + (lowest(v, tops[i], tops[i + 1]) + 0.5) * step);
		m->share = calls_between(span, from, last ? INFINITY : m->until) / all;
		from = m->until;
	}
	return count;
}

nsec shape_round(double duration)
{
	static const double steps[] = { 1, 1.5, 2, 3, 4, 5, 6, 8, 10 };
	double unit = pow(10, floor(log10(duration))), best = unit;

	for (unsigned i = 0; i < COUNT_OF(steps); i++)
		if (fabs(log(steps[i] * unit / duration)) < fabs(log(best / duration)))
			best = steps[i] * unit;
	return llround(best);
}

/* The kind that a bound lies in, by its number; count: it lies behind all. */
static unsigned kind_at(const struct shape_mode *modes, unsigned count, nsec bound)
{
	unsigned i = 0;

	while (i < count && modes[i].until <= bound)
		i++;
	return i;
}

/* Of the valley between two kinds, rounded: where calls are near by two digits, else by one. */
static nsec bound_between(const struct picture_span *span, const struct shape_mode *shorter)
{
	double until = shorter[0].until, unit = pow(10, floor(log10(until)));
	double few = ROUND_OFF * calls_between(span, -1, INFINITY) *
		     fmin(shorter[0].share, shorter[1].share);
	nsec bound = shape_round(until);

	if (calls_between(span, fmin(bound, until), fmax(bound, until)) <= few)
		return bound;
	return llround(round(10 * until / unit) * unit / 10);
}

nsec shape_longest(const struct picture_span *span)
{
	struct shape_mode modes[SHAPE_MODES];
	unsigned count = shape_modes(span, modes);
	nsec bound;

	if (count < 2)
		return 0;
	bound = bound_between(span, &modes[count - 2]);
	return bound > modes[count - 2].nsec && bound < modes[count - 1].nsec ? bound : 0;
}

bool shape_mixed(const struct picture_span *span, nsec bound, struct shape_mix *ret)
{
	struct shape_mode modes[SHAPE_MODES];
	unsigned count = shape_modes(span, modes), i = kind_at(modes, count, bound);
	double shorter, longer;

	if (i + 1 >= count)
		return false;
	shorter = calls_between(span, bound, modes[i].until);
	longer = calls_between(span, modes[i].until, INFINITY);
	if (fmin(shorter, longer) < MIX_SHARE * (shorter + longer))
		return false;
	*ret = (struct shape_mix){ .nsec = modes[i].nsec,
				   .share = shorter / (shorter + longer),
				   .bound = bound_between(span, &modes[i]) };
	return ret->bound > modes[i].nsec && ret->bound < modes[i + 1].nsec;
}

bool shape_parted(const struct picture_span *span, nsec bound, struct shape_cut *ret)
{
	struct shape_mode modes[SHAPE_MODES];
	unsigned count = shape_modes(span, modes), i = kind_at(modes, count, bound);
	double below, above;

	if (!i || i >= count)
		return false;
	below = calls_between(span, modes[i - 1].until, bound);
	above = calls_between(span, bound, modes[i].until);
	if (fmin(below, above) < MIX_SHARE * (below + above))
		return false;
	*ret = (struct shape_cut){ .nsec = modes[i].nsec,
				   .share = below / (below + above),
				   .bound = bound_between(span, &modes[i - 1]) };
	return ret->bound > modes[i - 1].nsec && ret->bound < modes[i].nsec &&
	       ret->bound < bound;
}
