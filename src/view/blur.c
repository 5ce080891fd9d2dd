#include "view/blur.h"

#include "view/shape.h"

#include <math.h>

#define CALLS_LEAST 20 /* so many of them make a side */
#define STEPS_MOST 9   /* 1, 2, 5 of three decades */

struct loss {
	double in, rest;	     /* samples */
	double calls_in, calls_rest; /* of the window */
	double lost;
};

static void add_judged(struct loss *l, double in, double rest, bool brief, double judged)
{
	l->in += in * judged;
	l->rest += rest * judged;
	if (brief)
		l->lost += in * (1 - in) * judged;
}

static double part_of(double lost, double whole)
{
	return lost <= 0 ? 0 : lost < whole ? lost / whole : 1;
}

/* What a side is made of: were each sample's side known, being IN had a variance of p (1 - p)
 * a sample, p being IN's part of all; as each is IN with a chance, chance (1 - chance) is lost
 * of it. */
static double lost_of_making(const struct loss *l)
{
	double all = l->in + l->rest;

	return part_of(l->lost, all > 0 ? l->in * l->rest / all : 0);
}

/* What a call of one side takes longer: as much of the samples as is lost goes from each side
 * to the other, where it counts by the call. */
static double lost_of_extra(const struct loss *l)
{
	if (l->calls_in <= 0 || l->calls_rest <= 0)
		return 1;
	return part_of(l->lost * (1 / l->calls_in + 1 / l->calls_rest),
		       fabs(l->in / l->calls_in - l->rest / l->calls_rest));
}

static double part_lost(const struct loss *l)
{
	return fmin(lost_of_making(l), lost_of_extra(l));
}

double blur_of(const struct strata *strata, double calls_in, double calls_rest)
{
	struct loss loss = { .calls_in = calls_in, .calls_rest = calls_rest };

	for (uint32_t i = 0; i < strata->list.count; i++) {
		const struct stratum *st = &strata->list.at[i];
		const struct chances *c = &st->chances;

		add_judged(&loss, c->chance[SIDE_IN], c->chance[SIDE_REST], c->brief,
			   st->judged);
	}
	return part_lost(&loss);
}

/* Bounds to choose from, the better ones first. */
struct bounds {
	nsec at[SHAPE_MODES + STEPS_MOST];
	unsigned count;
};

/* Between the kinds of calls, from what was asked outwards. */
static void add_valleys(struct bounds *b, const struct picture_span *span, nsec asked)
{
	struct shape_mode modes[SHAPE_MODES];
	unsigned count = shape_modes(span, modes), above = 0, below;

	while (above + 1 < count && modes[above].until <= asked)
		above++;
	below = above;
	while (below > 0 || above + 1 < count) {
		double up =
			above + 1 < count ? log(modes[above].until / fmax(asked, 1)) : INFINITY;
		double down = below ? log(fmax(asked, 1) / modes[below - 1].until) : INFINITY;

		b->at[b->count++] =
			shape_round(up < down ? modes[above++].until : modes[--below].until);
	}
}

static void add_steps(struct bounds *b, nsec asked)
{
	static const unsigned steps[] = { 1, 2, 5 };
	nsec unit = 1;

	while (unit * 10 <= asked)
		unit *= 10;
	for (unsigned i = 0; b->count < COUNT_OF(b->at); i++) {
		nsec step = steps[i % COUNT_OF(steps)] * unit;

		if (step > asked)
			b->at[b->count++] = step;
		if (i % COUNT_OF(steps) == COUNT_OF(steps) - 1)
			unit *= 10;
	}
}

static void count_calls(const struct picture_span *span, nsec bound, struct loss *ret)
{
	for (uint32_t i = 0; i < span->buckets.count; i++) {
		const struct picture_bucket *b = &span->buckets.at[i];

		if (b->low >= bound)
			ret->calls_in += b->count;
		else if (b->high <= bound)
			ret->calls_rest += b->count;
	}
}

static bool is_clear(const struct loss *l)
{
	return l->in > 0 && l->rest > 0 && l->calls_in >= CALLS_LEAST &&
	       l->calls_rest >= CALLS_LEAST && part_lost(l) <= BLUR_MOST;
}

/* Of samples in calls of known durations, that are not left out. */
static bool counts(const struct stratum *st)
{
	return st->kind.bucket < NR_BUCKET &&
	       !(st->kind.sides && st->kind.side[0] > SIDE_REST) && st->judged > 0;
}

nsec blur_least(const struct strata *strata, const struct odds *odds,
		const struct picture_span *span, nsec asked)
{
	struct loss losses[COUNT_OF(((struct bounds *)NULL)->at)] = { 0 };
	struct bounds b = { 0 };

	add_valleys(&b, span, asked);
	add_steps(&b, asked);
	for (uint32_t i = 0; i < strata->list.count; i++) {
		const struct stratum *st = &strata->list.at[i];
		double above[COUNT_OF(b.at)];

		if (!counts(st))
			continue;
		odds_above(odds, st->kind.bucket, b.at, b.count, above);
		for (unsigned k = 0; k < b.count; k++)
			add_judged(&losses[k], above[k], 1 - above[k], true, st->judged);
	}
	for (unsigned k = 0; k < b.count; k++) {
		count_calls(span, b.at[k], &losses[k]);
		if (is_clear(&losses[k]))
			return b.at[k];
	}
	return 0;
}
