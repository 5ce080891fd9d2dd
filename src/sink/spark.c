#include "sink/spark.h"

#include <math.h>

#define MODE_BINS 256	/* of the whole range, for finding modes */
#define MODE_WIDTH 0.10 /* natural logarithm: standard width of the smoothing */
#define MODE_SHARE 0.01 /* of the calls, for a hump to count */
#define MODE_REACH 0.25 /* how far around its top a hump's calls are looked for */
#define MODE_SIGMA 4.0	/* how much deeper than chance a valley has to be */

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

/* Spreads the buckets over n equal steps of the logarithm. */
static void span_bin(const struct picture_span *s, struct range r, double *bins, unsigned n)
{
	double step = (r.high - r.low) / n;

	for (uint32_t i = 0; i < s->buckets.count; i++) {
		const struct picture_bucket *b = &s->buckets.at[i];
		double low = (place_of(s, b->low) - r.low) / step;
		double high = (place_of(s, b->high) - r.low) / step;

		if (high - low < 1e-9)
			high = low + 1e-9;
		for (unsigned k = low > 0 ? low : 0; k < n && k < high; k++)
			bins[k] += b->count * (fmin(high, k + 1) - fmax(low, k)) / (high - low);
	}
}

void spark_line(struct text *t, const struct picture_span *span, unsigned columns)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	double bins[256] = { 0 }, most = 0;

	if (!span->buckets.count || !columns)
		return;
	columns = columns > COUNT_OF(bins) ? COUNT_OF(bins) : columns;
	span_bin(span, span_range(span), bins, columns);
	for (unsigned i = 0; i < columns; i++)
		most = fmax(most, bins[i]);
	for (unsigned i = 0; i < columns; i++) {
		double height = most > 0 ? 8 * sqrt(bins[i] / most) : 0;

		/* a step that a bucket only grazes has not one call */
		text_add(t, blocks[bins[i] < 0.1 ? 0
				   : height < 1	 ? 1
						 : (unsigned)lround(height)]);
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

static double lowest(const double *v, unsigned from, unsigned to)
{
	double low = v[from];

	for (unsigned i = from; i <= to; i++)
		low = fmin(low, v[i]);
	return low;
}

/* Whether the valley between two tops is deeper than the lower top's chance;
 * effective: bins that one smoothed value is the mean of. */
static bool valley_is_real(const double *v, unsigned a, unsigned b, double effective)
{
	double top = fmin(v[a], v[b]), valley = lowest(v, a, b);

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

unsigned spark_modes(const struct picture_span *span, double ret_modes[SPARK_MODES])
{
	double bins[MODE_BINS] = { 0 }, v[MODE_BINS], all = 0, step, sigma;
	unsigned tops[MODE_BINS / 2], count, modes = 0;
	struct range r;

	if (!span->buckets.count)
		return 0;
	r = span_range(span);
	step = (r.high - r.low) / MODE_BINS;
	sigma = fmax(MODE_WIDTH / step, 1);
	span_bin(span, r, bins, MODE_BINS);
	smooth(bins, v, MODE_BINS, sigma);
	for (unsigned i = 0; i < MODE_BINS; i++)
		all += bins[i];
	count = find_tops(v, tops, COUNT_OF(tops), sigma * 2 * sqrt(M_PI));
	for (unsigned i = 0; i < count && modes < SPARK_MODES; i++) {
		double near = 0;

		for (unsigned k = 0; k < MODE_BINS; k++)
			if (fabs((double)k - tops[i]) * step <= MODE_REACH)
				near += bins[k];
		if (near >= MODE_SHARE * all)
			ret_modes[modes++] = exp(r.low + (tops[i] ? tops[i] + 0.5 : 0) * step);
	}
	return modes;
}
