/*
 * span_build - distributions of calls for tests.
 */
#ifndef SONDE_VIEW_SPAN_BUILD_H
#define SONDE_VIEW_SPAN_BUILD_H

#include "view/picture.h"

#include <math.h>

/* Calls spread as a bell on the logarithmic scale, in 3 % buckets as recorded. */
static inline void add_bell(struct picture_span *s, double middle, double calls, double width)
{
	for (double low = 1000; low < 1e8; low *= 1.03) {
		double z = (log(low * 1.015) - log(middle)) / width;
		struct picture_bucket b = { low, low * 1.03, 0 };

		b.count = lround(calls * 0.03 / width * 0.399 * exp(-z * z / 2));
		if (!b.count)
			continue;
		array_push(&s->buckets, b);
		s->max = b.high > s->max ? b.high : s->max;
	}
	s->calls += calls;
}

#endif
