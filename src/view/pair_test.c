#include "view/pair.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define MS NSEC_PER_MSEC

static uint32_t add_frame(struct picture *p, const char *name)
{
	struct picture_frame *f = array_add(&p->frames);

	f->name = intern_text(&p->text, name);
	f->image_name = intern_text(&p->text, "shop-server");
	f->image = UINT32_MAX;
	return p->frames.count - 1;
}

static uint32_t add_node(struct picture *p, uint32_t parent, uint32_t frame, unsigned samples)
{
	struct picture_node *n = picture_add_node(p, parent, frame);

	n->self[SIDE_IN] = samples;
	n->self_nsec[SIDE_IN] = samples * 10 * MS;
	return p->nodes.count - 1;
}

/* main calling hot (and, before all others, `extra` frames so that indices differ). */
static struct picture *make(unsigned seconds, unsigned in_main, unsigned in_hot, bool extra)
{
	struct picture *p = picture_new();
	uint32_t top, main_frame;

	p->to = seconds * NSEC_PER_SEC;
	add_frame(p, "all");
	if (extra)
		add_frame(p, "unused");
	main_frame = add_frame(p, "main");
	add_node(p, 0, 0, 0);
	top = add_node(p, 0, main_frame, in_main);
	add_node(p, top, add_frame(p, "hot"), in_hot);
	return p;
}

static const struct picture_function *function(const struct picture *p, const char *name)
{
	for (uint32_t i = 0; i < p->functions.count; i++) {
		uint32_t frame = p->functions.at[i].frame;

		if (strcmp(picture_text(p, p->frames.at[frame].name), name) == 0)
			return &p->functions.at[i];
	}
	return NULL;
}

static void what_grew_comes_first(void **state)
{
	struct picture *before = make(10, 400, 100, true), *now = make(5, 200, 150, false);
	struct picture *p = picture_pair(before, now);
	const struct picture_function *hot = function(p, "hot"), *top = function(p, "main");

	assert_true(p->compared);
	assert_int_equal(p->nodes.count, 3);
	/* before is scaled to five seconds */
	assert_int_equal(p->nodes.at[1].self[SIDE_REST], 200);
	assert_int_equal(p->nodes.at[2].self[SIDE_REST], 50);
	assert_int_equal(p->nodes.at[2].self[SIDE_IN], 150);
	assert_int_equal(p->sides[SIDE_IN].calls, 5);
	assert_int_equal(p->sides[SIDE_REST].calls, 5);
	assert_true(fabs(hot->per_call_in_nsec - 300 * MS) < 1);
	assert_true(fabs(hot->per_call_rest_nsec - 100 * MS) < 1);
	assert_true(fabs(hot->extra_nsec - 200 * MS) < 1 && fabs(hot->extra_share - 1) < 1e-9);
	assert_int_equal(hot->samples_rest, 100); /* as they were taken */
	/* 150 samples, and half of the spread of 100: 10 ms each, over 5 s */
	assert_true(fabs(hot->extra_error - 1.96 * sqrt(150 + 25) * 10 * MS / 5) < 1000);
	assert_true(fabs(top->extra_nsec - hot->extra_nsec) < 1);
	assert_true(hot->z > 3);
	picture_free(p);
	picture_free(before);
	picture_free(now);
}

static void the_same_twice_is_no_difference(void **state)
{
	struct picture *a = make(3, 30, 10, false), *b = make(3, 30, 10, true);
	struct picture *p = picture_pair(a, b);

	for (uint32_t i = 0; i < p->functions.count; i++)
		assert_true(p->functions.at[i].extra_nsec == 0 && p->functions.at[i].z == 0);
	picture_free(p);
	picture_free(a);
	picture_free(b);
}

static void empty_pictures_compare(void **state)
{
	struct picture *none = picture_new(), *some = make(3, 30, 10, false);
	struct picture *p = picture_pair(none, some);

	assert_int_equal(p->sides[SIDE_IN].samples, 40);
	assert_int_equal(p->sides[SIDE_REST].samples, 0);
	picture_free(p);
	p = picture_pair(none, none);
	assert_int_equal(p->functions.count, 0);
	picture_free(p);
	picture_free(none);
	picture_free(some);
	picture_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_grew_comes_first),
		cmocka_unit_test(the_same_twice_is_no_difference),
		cmocka_unit_test(empty_pictures_compare),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
