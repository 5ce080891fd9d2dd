/*
 * matrix - small square ones.
 */
#ifndef SONDE_MODEL_MATRIX_H
#define SONDE_MODEL_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#define MATRIX_MOST 32

/* Of which the first rows and columns are used. */
struct matrix {
	double at[MATRIX_MOST][MATRIX_MOST];
};

void matrix_identity(struct matrix *m, uint32_t size);
/* False: it has no inverse, or as good as none.  m is used up. */
bool matrix_invert(struct matrix *m, uint32_t size, struct matrix *ret);

#endif
