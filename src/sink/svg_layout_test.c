#include "sink/svg_layout.h"

#include "sink/golden_picture.h"
#include "sink/walk.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void make(struct layout *l, const struct picture *p, double least)
{
	uint64_t *total = mem_zeroed(p->nodes.count, sizeof(*total));

	picture_totals(p, SIDE_ALL, false, total);
	layout_make(l, p, total, 1000, least);
	free(total);
}

static void callees_lie_within_their_caller(void **state)
{
	struct picture *p = golden_plain();
	struct layout l = { 0 };

	make(&l, p, 0);
	assert_int_equal(l.frames.count, p->nodes.count);
	assert_true(fabs(l.frames.at[0].width - 1000) < 1e-9);
	for (uint32_t i = 1; i < l.frames.count; i++) {
		const struct layout_frame *f = &l.frames.at[i], *up = f - 1;

		while (up->depth >= f->depth)
			up--;
		assert_int_equal(up->node, p->nodes.at[f->node].parent);
		assert_int_equal(up->depth + 1, f->depth);
		assert_true(f->x >= up->x - 1e-9);
		assert_true(f->x + f->width <= up->x + up->width + 1e-9);
	}
	layout_done(&l);
	picture_free(p);
}

static void siblings_are_in_order_of_name_and_do_not_overlap(void **state)
{
	struct picture *p = golden_plain();
	struct layout l = { 0 };

	make(&l, p, 0);
	for (uint32_t i = 1; i < l.frames.count; i++)
		for (uint32_t k = i + 1; k < l.frames.count; k++) {
			const struct layout_frame *a = &l.frames.at[i], *b = &l.frames.at[k];
			const struct picture_node *m = &p->nodes.at[a->node];
			const struct picture_node *n = &p->nodes.at[b->node];

			if (m->parent != n->parent)
				continue;
			assert_true(strcmp(walk_name(p, m->frame), walk_name(p, n->frame)) < 0);
			assert_true(a->x + a->width <= b->x + 1e-9);
		}
	layout_done(&l);
	picture_free(p);
}

static void what_is_left_out_is_counted(void **state)
{
	struct picture *p = golden_plain();
	struct layout all = { 0 }, few = { 0 };

	make(&all, p, 0);
	make(&few, p, 100);
	assert_true(few.frames.count < all.frames.count);
	assert_int_equal(all.dropped_weight, 0);
	assert_true(few.dropped_weight > 0);
	for (uint32_t i = 0; i < few.frames.count; i++)
		assert_true(few.frames.at[i].width >= 100);
	layout_done(&all);
	layout_done(&few);
	picture_free(p);
}

static void depth_is_bounded(void **state)
{
	struct picture *p = golden_empty();
	struct layout l = { 0 };

	for (uint32_t i = 0; i < 3 * LAYOUT_DEPTH; i++) {
		struct picture_node *node = array_add(&p->nodes);

		node->parent = i;
	}
	p->nodes.at[p->nodes.count - 1].self[SIDE_IN] = 7;
	make(&l, p, 0.1);
	assert_int_equal(l.depth, LAYOUT_DEPTH);
	assert_int_equal(l.dropped_weight, 7);
	layout_done(&l);
	picture_free(p);
}

static void nothing_sampled_is_one_frame(void **state)
{
	struct picture *p = golden_empty();
	struct layout l = { 0 };

	make(&l, p, 0.1);
	assert_int_equal(l.frames.count, 1);
	layout_done(&l);
	picture_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callees_lie_within_their_caller),
		cmocka_unit_test(siblings_are_in_order_of_name_and_do_not_overlap),
		cmocka_unit_test(what_is_left_out_is_counted),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(nothing_sampled_is_one_frame),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
