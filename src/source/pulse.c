#include "source/pulse.h"

#include <stdbool.h>
#include <stdlib.h>

#define GAPS_MOST 256
#define STEP_OFF (10 * NSEC_PER_USEC) /* how far from its step an interrupt may come */

static int by_length(const void *a, const void *b)
{
	nsec x = *(const nsec *)a, y = *(const nsec *)b;

	return x < y ? -1 : x > y;
}

static bool in_step(const struct gap *a, const struct gap *b, nsec period)
{
	nsec apart = (a->at > b->at ? a->at - b->at : b->at - a->at) % period;

	return apart <= STEP_OFF || period - apart <= STEP_OFF;
}

/* Those in step with one of them, at lengths: how many. */
static unsigned collect(const struct gap *gaps, unsigned n, const struct gap *with, nsec period,
			nsec *lengths)
{
	unsigned found = 0;

	for (unsigned i = 0; i < n; i++)
		if (in_step(&gaps[i], with, period))
			lengths[found++] = gaps[i].length;
	return found;
}

nsec pulse_usual(const struct gap *gaps, unsigned n, nsec period, unsigned least)
{
	nsec lengths[GAPS_MOST];
	unsigned most = 0, best = 0, found;

	if (n > GAPS_MOST)
		n = GAPS_MOST;
	for (unsigned i = 0; i < n; i++) {
		found = collect(gaps, n, &gaps[i], period, lengths);
		if (found > most) {
			most = found;
			best = i;
		}
	}
	if (most < least || !most)
		return 0;
	collect(gaps, n, &gaps[best], period, lengths);
	qsort(lengths, most, sizeof(*lengths), by_length);
	return lengths[(most - 1) / 2];
}
