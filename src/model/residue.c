#include "model/residue.h"

#include <math.h>
#include <stdbool.h>

#define GUESS_CASES 20 /* so many cases outweigh the guess */
#define MOST_CASES 4000
#define FIT_CASES 3000 /* below MOST_CASES with the guess */
#define FIT_PASSES 16
#define BRIEF_MOST 256e3 /* nanoseconds */
#define BRIEF_PART 4	 /* of the period: no tick falls into most of these */
#define SPREAD_PART 7	 /* ticks differ by such a part of what they take */
#define SPREAD_LEAST 1e3 /* nanoseconds */

uint64_t residue_brief(uint64_t period)
{
	return fmin((double)period / BRIEF_PART, BRIEF_MOST);
}

double residue_spread(uint64_t taken)
{
	return fmax((double)taken / SPREAD_PART, SPREAD_LEAST);
}

static void scale_to(struct residue *r, double total)
{
	for (uint32_t i = 0; i < RESIDUE_CELLS; i++)
		r->part[i] *= total / r->total;
	r->total = total;
}

void residue_guess(struct residue *r, double spread)
{
	r->total = 0;
	for (uint32_t i = 0; i < RESIDUE_CELLS; i++) {
		double nsec = ((double)i - RESIDUE_BELOW) * RESIDUE_STEP;

		r->part[i] = exp(nsec < 0 ? nsec / spread : -nsec / (2 * spread));
		r->total += r->part[i];
	}
	scale_to(r, GUESS_CASES);
}

/* The cell that begins at or before it, and how far into it; false: it is in none that has
 * neighbours. */
static bool cell_of(double nsec, uint32_t *ret, double *ret_into)
{
	double at = nsec / RESIDUE_STEP + RESIDUE_BELOW;

	if (!(at >= 1 && at < RESIDUE_CELLS - 2))
		return false;
	*ret = (int32_t)at;
	*ret_into = at - (int32_t)at;
	return true;
}

/* Spread over its cells and their neighbours: a few cases are no comb. */
static void add_cases(struct residue *r, double nsec, double cases)
{
	uint32_t cell;
	double into;

	if (!cell_of(nsec, &cell, &into))
		return;
	r->part[cell - 1] += cases * (1 - into) / 4;
	r->part[cell] += cases * ((1 - into) / 2 + into / 4);
	r->part[cell + 1] += cases * ((1 - into) / 4 + into / 2);
	r->part[cell + 2] += cases * into / 4;
	r->total += cases;
	if (r->total > MOST_CASES)
		scale_to(r, MOST_CASES / 2);
}

double residue_density(const struct residue *r, double nsec)
{
	uint32_t cell;
	double into;

	if (!cell_of(nsec, &cell, &into))
		return 0;
	return (r->part[cell] + into * (r->part[cell + 1] - r->part[cell])) / r->total;
}

double residue_weigh(const struct residue *r, const struct dist *clean, double observed,
		     double ret[NR_BUCKET], uint32_t *ret_end)
{
	double longest = fmax(0, observed + RESIDUE_BELOW * RESIDUE_STEP), sum = 0;
	uint32_t end = bucket_of((uint64_t)longest) + 1;

	for (uint32_t b = 0; b < end; b++) {
		double middle;

		ret[b] = 0;
		if (clean->count[b] <= 0)
			continue;
		middle = dist_middle(b);
		ret[b] = clean->count[b] * middle * residue_density(r, observed - middle);
		sum += ret[b];
	}
	*ret_end = end;
	return sum;
}

void residue_learn_from(struct residue *r, double observed, double cases, const double *weights,
			uint32_t end, double sum)
{
	for (uint32_t b = 0; b < end; b++) {
		if (weights[b] > 0)
			add_cases(r, observed - dist_middle(b), cases * weights[b] / sum);
	}
}

/* A bucket of calls that no tick fell into. */
struct clean {
	double middle;
	double weight; /* before it is known how the call was observed */
};

static uint32_t clean_list(const struct dist *clean, struct clean ret[NR_BUCKET])
{
	uint32_t count = 0;

	for (uint32_t b = 0; b < NR_BUCKET; b++) {
		double middle = dist_middle(b);

		if (clean->count[b] > 0)
			ret[count++] = (struct clean){ middle, clean->count[b] * middle };
	}
	return count;
}

/* Where a call that was observed so long may lie on the residue's cells, and how likely. */
struct guess {
	uint32_t cell;
	double into, weight;
};

/* As residue_weigh(), residue_learn_from(), for many: adds to cases, unspread. */
static void learn_observed(const struct residue *last, double observed, double cases,
			   const struct clean *clean, uint32_t count, double *ret_cases)
{
	struct guess guesses[NR_BUCKET];
	double sum = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct guess *g = &guesses[n];
		const double *part;

		if (!cell_of(observed - clean[i].middle, &g->cell, &g->into))
			continue;
		part = &last->part[g->cell];
		g->weight = clean[i].weight * (part[0] + g->into * (part[1] - part[0]));
		sum += g->weight;
		n++;
	}
	for (uint32_t i = 0; i < n && sum > 0; i++) {
		const struct guess *g = &guesses[i];
		double c = cases / sum * g->weight;

		ret_cases[g->cell] += c * (1 - g->into);
		ret_cases[g->cell + 1] += c * g->into;
	}
}

/* A few cases are no comb. */
static void add_spread(struct residue *r, const double *cases)
{
	for (uint32_t i = 1; i + 1 < RESIDUE_CELLS; i++) {
		r->part[i - 1] += cases[i] / 4;
		r->part[i] += cases[i] / 2;
		r->part[i + 1] += cases[i] / 4;
		r->total += cases[i];
	}
}

void residue_fit(struct residue *r, double spread, const struct dist *clean,
		 const struct dist *hit)
{
	double part = fmin(1, FIT_CASES / hit->total);
	struct clean list[NR_BUCKET];
	uint32_t count = clean_list(clean, list);
	struct residue last;

	residue_guess(r, spread);
	for (unsigned pass = 0; pass < FIT_PASSES; pass++) {
		double cases[RESIDUE_CELLS] = { 0 };

		last = *r;
		residue_guess(r, spread);
		for (uint32_t b = 0; b < NR_BUCKET; b++)
			if (hit->count[b] > 0)
				learn_observed(&last, dist_middle(b), part * hit->count[b],
					       list, count, cases);
		add_spread(r, cases);
	}
}
