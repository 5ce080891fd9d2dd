#include "model/matrix.h"

#include <math.h>

#define PIVOT_LEAST 1e-6

void matrix_identity(struct matrix *m, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++) {
		for (uint32_t k = 0; k < size; k++)
			m->at[i][k] = i == k;
	}
}

static void swap_rows(struct matrix *m, uint32_t size, uint32_t a, uint32_t b)
{
	for (uint32_t k = 0; k < size; k++) {
		double at = m->at[a][k];

		m->at[a][k] = m->at[b][k];
		m->at[b][k] = at;
	}
}

/* row += factor * from */
static void add_row(struct matrix *m, uint32_t size, uint32_t row, uint32_t from, double factor)
{
	for (uint32_t k = 0; k < size; k++)
		m->at[row][k] += factor * m->at[from][k];
}

static uint32_t find_pivot(const struct matrix *m, uint32_t size, uint32_t column)
{
	uint32_t best = column;

	for (uint32_t i = column; i < size; i++) {
		if (fabs(m->at[i][column]) > fabs(m->at[best][column]))
			best = i;
	}
	return best;
}

/* Gauss and Jordan, with partial pivoting. */
bool matrix_invert(struct matrix *m, uint32_t size, struct matrix *ret)
{
	matrix_identity(ret, size);
	for (uint32_t c = 0; c < size; c++) {
		uint32_t pivot = find_pivot(m, size, c);
		double value = m->at[pivot][c];

		if (fabs(value) < PIVOT_LEAST)
			return false;
		swap_rows(m, size, c, pivot);
		swap_rows(ret, size, c, pivot);
		for (uint32_t i = 0; i < size; i++) {
			double factor = -m->at[i][c] / value;

			if (i == c)
				continue;
			add_row(m, size, i, c, factor);
			add_row(ret, size, i, c, factor);
		}
		add_row(m, size, c, c, 1 / value - 1);
		add_row(ret, size, c, c, 1 / value - 1);
	}
	return true;
}
