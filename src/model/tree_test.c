#include "model/tree.h"

#include "base/table.h"
#include "model/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void frames_are_interned(void **state)
{
	struct frames f;

	frames_init(&f, 0);
	assert_int_equal(frame_add(&f, 0, 0), 0);
	assert_int_equal(frame_add(&f, 3, 0x1000), 1);
	assert_int_equal(frame_add(&f, 4, 0x1000), 2);
	assert_int_equal(frame_add(&f, 3, 0x1000), 1);
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(frame_add(&f, 9, i + 1), i + 3);
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(frame_add(&f, 9, i + 1), i + 3);
	assert_int_equal(frame_at(&f, 2).image, 4);
	assert_int_equal(frame_at(&f, 99999).image, 0);
	frames_done(&f);
}

static void a_full_frame_table_gives_the_unknown_place(void **state)
{
	struct frames f;

	frames_init(&f, 3);
	assert_int_equal(frame_add(&f, 1, 1), 1);
	assert_int_equal(frame_add(&f, 1, 2), 2);
	assert_int_equal(frame_add(&f, 1, 3), 0);
	assert_int_equal(frame_add(&f, 1, 1), 1);
	assert_int_equal(f.refused, 1);
	frames_done(&f);
}

static void a_parent_is_older_than_its_children(void **state)
{
	struct tree t;

	tree_init(&t, 0);
	for (uint64_t i = 0; i < 20000; i++) {
		node_id parent = hash_u64(i) % t.nodes.count;
		frame_id frame = hash_u64(i + 7) % 50;
		node_id child = tree_child(&t, parent, frame);

		assert_true(parent < child);
		assert_int_equal(tree_parent(&t, child), parent);
		assert_int_equal(tree_frame(&t, child), frame);
		assert_int_equal(tree_child(&t, parent, frame), child);
	}
	for (node_id n = 1; n < t.nodes.count; n++)
		assert_true(tree_parent(&t, n) < n);
	tree_done(&t);
}

static void a_full_tree_cuts_stacks_and_counts_them(void **state)
{
	struct tree t;
	node_id a, b;

	tree_init(&t, 3);
	a = tree_child(&t, 0, 1);
	b = tree_child(&t, a, 2);
	assert_int_equal(tree_child(&t, b, 3), b);
	assert_int_equal(tree_child(&t, a, 2), b);
	assert_int_equal(t.refused, 1);
	assert_int_equal(tree_depth(&t, b), 2);
	assert_int_equal(tree_depth(&t, 0), 0);
	tree_done(&t);
}

static void a_total_is_one_backward_loop(void **state)
{
	const uint32_t parents[] = { 0, 0, 1, 1, 0 };
	struct profile p = { 0 };
	double total[5];

	profile_put(&p, 2, 5);
	profile_put(&p, 3, 7);
	profile_put(&p, 1, 1);
	profile_total(&p, parents, 5, total);
	assert_true(total[0] == 13 && total[1] == 13 && total[2] == 5 && total[3] == 7 &&
		    total[4] == 0);
	profile_done(&p);
}

static void profiles_are_vectors(void **state)
{
	struct profile a = { 0 }, b = { 0 };

	profile_put(&a, 3, 10);
	profile_put(&b, 7, 4);
	profile_add(&a, &b, 0.5);
	profile_add(&a, &b, 0.5);
	assert_true(profile_at(&a, 7) == 4 && profile_at(&a, 3) == 10 &&
		    profile_at(&a, 9) == 0);
	profile_add(&a, &b, -1);
	assert_true(profile_at(&a, 7) == 0);
	profile_scale(&a, 0.25);
	assert_true(profile_at(&a, 3) == 2.5 && profile_sum(&a) == 2.5);
	profile_done(&a);
	profile_done(&b);
}

static void rounding_keeps_the_sum(void **state)
{
	struct profile p = { 0 };
	uint64_t whole[1000], sum = 0;

	for (uint32_t n = 0; n < 1000; n++)
		profile_put(&p, n, n % 3 ? 0.3 : 0);
	profile_round(&p, 1000, whole);
	for (uint32_t n = 0; n < 1000; n++) {
		assert_true(n % 3 || !whole[n]);
		sum += whole[n];
	}
	assert_in_range(sum, 199, 200); /* 666 * 0.3 = 199.8 */
	profile_done(&p);
}

static void what_is_less_than_nothing_is_taken_from_others(void **state)
{
	struct profile p = { 0 };
	uint64_t whole[4];

	profile_put(&p, 0, 5);
	profile_put(&p, 1, -2);
	profile_put(&p, 2, 7);
	profile_put(&p, 3, -3);
	profile_round(&p, 4, whole);
	assert_true(whole[0] == 5 && whole[1] == 0 && whole[2] == 2 && whole[3] == 0);
	profile_put(&p, 3, -40);
	profile_round(&p, 4, whole);
	assert_true(!whole[0] && !whole[1] && !whole[2] && !whole[3]);
	profile_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_interned),
		cmocka_unit_test(a_full_frame_table_gives_the_unknown_place),
		cmocka_unit_test(a_parent_is_older_than_its_children),
		cmocka_unit_test(a_full_tree_cuts_stacks_and_counts_them),
		cmocka_unit_test(a_total_is_one_backward_loop),
		cmocka_unit_test(profiles_are_vectors),
		cmocka_unit_test(rounding_keeps_the_sum),
		cmocka_unit_test(what_is_less_than_nothing_is_taken_from_others),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
