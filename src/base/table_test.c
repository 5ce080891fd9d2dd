#include "base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define KEYS 512

static void an_empty_table_has_nothing(void **state)
{
	struct table t = { 0 };

	assert_int_equal(table_find(&t, 0), TABLE_NONE);
	table_remove(&t, 0);
	table_clear(&t);
	table_done(&t);
}

static void the_last_value_of_a_key_holds(void **state)
{
	struct table t = { 0 };

	table_set(&t, 5, 1);
	table_set(&t, 5, 2);
	table_set(&t, 0, 3);
	assert_int_equal(t.count, 2);
	assert_int_equal(table_find(&t, 5), 2);
	assert_int_equal(table_find(&t, 0), 3);
	table_clear(&t);
	assert_int_equal(t.count, 0);
	assert_int_equal(table_find(&t, 5), TABLE_NONE);
	table_done(&t);
}

/* Against a plain array of the same keys; few keys, so that slots are shared. */
static void random_acts_agree_with_an_array(void **state)
{
	struct table t = { 0 };
	uint32_t values[KEYS], count = 0;
	uint64_t seed = 42;

	memset(values, 0xff, sizeof(values));
	for (unsigned i = 0; i < 200000; i++) {
		uint32_t key = (seed = hash_u64(seed)) % KEYS;
		bool add = (seed >> 32) % 100 < (i / 20000 % 2 ? 30 : 70);

		values[key] = add ? i : TABLE_NONE;
		if (add)
			table_set(&t, key, i);
		else
			table_remove(&t, key);
		assert_int_equal(table_find(&t, key), values[key]);
		if (i % 97 == 0) {
			for (uint32_t k = 0; k < KEYS; k++)
				assert_int_equal(table_find(&t, k), values[k]);
		}
	}
	for (uint32_t k = 0; k < KEYS; k++)
		count += values[k] != TABLE_NONE;
	assert_int_equal(t.count, count);
	assert_true(t.room <= 1024);
	table_done(&t);
}

static void a_hash_depends_on_every_byte_and_the_seed(void **state)
{
	unsigned char bytes[40] = { 0 };
	uint64_t first = hash_bytes(bytes, sizeof(bytes), 0);

	for (unsigned i = 0; i < sizeof(bytes); i++) {
		bytes[i] ^= 1;
		assert_true(hash_bytes(bytes, sizeof(bytes), 0) != first);
		bytes[i] ^= 1;
	}
	assert_true(hash_bytes(bytes, sizeof(bytes), 1) != first);
	assert_true(hash_bytes(bytes, sizeof(bytes) - 1, 0) != first);
	assert_true(hash_bytes(bytes, sizeof(bytes), 0) == first);
	/* the first number of splitmix64 with seed 0 */
	assert_true(hash_u64(0) == 0xe220a8397b1dcdafu);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_table_has_nothing),
		cmocka_unit_test(the_last_value_of_a_key_holds),
		cmocka_unit_test(random_acts_agree_with_an_array),
		cmocka_unit_test(a_hash_depends_on_every_byte_and_the_seed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
