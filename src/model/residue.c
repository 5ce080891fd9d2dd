#include "model/residue.h"

#include <math.h>
#include <stdbool.h>

#define GUESS_CASES 20 /* so many cases outweigh the guess */
#define MOST_CASES 4000

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
	double at = nsec / RESIDUE_STEP + RESIDUE_BELOW, cell = floor(at);

	if (cell < 1 || cell >= RESIDUE_CELLS - 2)
		return false;
	*ret = cell;
	*ret_into = at - cell;
	return true;
}

/* Spread over its cells and their neighbours: a few cases are no comb. */
void residue_learn(struct residue *r, double nsec, double cases)
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
