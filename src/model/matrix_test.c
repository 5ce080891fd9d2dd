/*
 * matrix_test - an inverse is one.
 */
#include "model/matrix.h"

#include "base/mem.h"
#include "base/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void an_inverse_times_the_matrix_is_one(void **state)
{
	struct matrix *m = NEW(struct matrix), *used = NEW(struct matrix);
	struct matrix *inverse = NEW(struct matrix);

	for (uint32_t size = 1; size <= MATRIX_MOST; size++) {
		for (uint32_t i = 0; i < size; i++)
			for (uint32_t k = 0; k < size; k++)
				m->at[i][k] =
					(double)(hash_u64(size * 4096 + i * 64 + k) % 1000);
		m->at[0][0] = size > 1 ? 0 : 3; /* needs another row first */
		*used = *m;
		assert_true(matrix_invert(used, size, inverse));
		for (uint32_t i = 0; i < size; i++) {
			for (uint32_t k = 0; k < size; k++) {
				double sum = 0;

				for (uint32_t j = 0; j < size; j++)
					sum += m->at[i][j] * inverse->at[j][k];
				assert_true(fabs(sum - (i == k)) < 1e-6);
			}
		}
	}
	free(m);
	free(used);
	free(inverse);
}

static void without_an_inverse_it_says_so(void **state)
{
	struct matrix m = { { { 1, 2 }, { 2, 4 } } }, inverse;

	assert_false(matrix_invert(&m, 2, &inverse));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_inverse_times_the_matrix_is_one),
		cmocka_unit_test(without_an_inverse_it_says_so),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
