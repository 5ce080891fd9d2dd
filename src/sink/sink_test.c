#include "sink/sink.h"

#include "sink/golden_picture.h"
#include "sink/pprof_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void a_sink_is_found_by_name(void **state)
{
	assert_string_equal(sink_find("svg")->name, "svg");
	assert_null(sink_find("sv"));
	assert_null(sink_find(""));
}

static void the_longest_suffix_wins(void **state)
{
	assert_ptr_equal(sink_for_path("x.json"), sink_find("json"));
	assert_ptr_equal(sink_for_path("dir.svg/x.speedscope.json"), sink_find("speedscope"));
	assert_ptr_equal(sink_for_path("x.pb.gz"), sink_find("pprof"));
	assert_ptr_equal(sink_for_path("x.folded"), sink_find("folded"));
	assert_null(sink_for_path("x.png"));
	assert_null(sink_for_path(""));
}

static void names_and_suffixes_are_unique(void **state)
{
	for (const struct sink *const *s = sink_list; *s; s++) {
		assert_ptr_equal(sink_find((*s)->name), *s);
		assert_ptr_equal(sink_for_path((*s)->suffix), *s);
	}
}

static void the_side_written_follows_the_split(void **state)
{
	struct picture *split = golden_split(), *plain = golden_plain();
	const struct sink *svg = sink_find("svg"), *pprof = sink_find("pprof");

	assert_int_equal(sink_side(svg, split, WRITE_DEFAULT), WRITE_DIFF);
	assert_int_equal(sink_side(sink_find("text"), split, WRITE_DEFAULT), WRITE_DIFF);
	assert_int_equal(sink_side(pprof, split, WRITE_DEFAULT), WRITE_IN);
	assert_int_equal(sink_side(svg, split, WRITE_REST), WRITE_REST);
	assert_int_equal(sink_side(svg, plain, WRITE_DEFAULT), WRITE_ALL);
	assert_int_equal(sink_side(svg, plain, WRITE_DIFF), WRITE_ALL);
	picture_free(split);
	picture_free(plain);
}

static void sides_are_parsed(void **state)
{
	enum write_side side = WRITE_OPEN;

	assert_true(write_side_parse("rest", &side));
	assert_int_equal(side, WRITE_REST);
	assert_int_equal(sink_side_mask(side), SIDE_BIT(SIDE_REST));
	assert_true(write_side_parse("diff", &side));
	assert_int_equal(side, WRITE_DIFF);
	assert_false(write_side_parse("default", &side));
	assert_false(write_side_parse("Rest", &side));
	assert_int_equal(side, WRITE_DIFF);
	assert_int_equal(sink_side_mask(WRITE_ALL), SIDE_ALL);
}

static void what_is_not_watched_any_more_is_said(void **state)
{
	struct picture *p = golden_split();
	struct sink_option option = { .side = WRITE_DIFF, .columns = 100 };
	AUTO_TEXT struct text before = { 0 }, after = { 0 };

	assert_int_equal(sink_find("text")->write(p, &option, &before, NULL), 0);
	assert_null(strstr(text_string(&before), "not watched any more"));
	p->spans.at[0].removed = true;
	assert_int_equal(sink_find("text")->write(p, &option, &after, NULL), 0);
	assert_non_null(strstr(text_string(&after), "not watched any more"));
	picture_free(p);
}

/* 2 is inlined into 1, at one address: one location with two lines. */
static void an_address_is_one_location_of_pprof(void **state)
{
	struct picture *p = picture_new();
	struct sink_option option = { .side = WRITE_ALL };
	AUTO_TEXT struct text out = { 0 };
	Pprof__Profile *m;

	for (uint32_t i = 0; i < 3; i++) {
		struct picture_frame f = { .image = UINT32_MAX, .address = 0x40, .line = i };
		struct picture_node n = { .parent = i ? i - 1 : 0, .frame = i };

		f.name = intern_text(&p->text, i == 2 ? "inner" : i ? "outer" : "all");
		f.outer = i == 2 ? 1 : 0;
		f.at_line = 10 * i;
		n.self[SIDE_IN] = n.self_nsec[SIDE_IN] = i == 2;
		array_push(&p->frames, f);
		array_push(&p->nodes, n);
	}
	assert_int_equal(sink_find("pprof")->write(p, &option, &out, NULL), 0);
	m = pprof_read(&out);
	assert_non_null(m);
	assert_int_equal(m->n_sample, 1);
	assert_int_equal(m->sample[0]->n_location_id, 1);
	for (size_t i = 0; i < m->n_location; i++) {
		const Pprof__Location *l = m->location[i];

		if (l->id != m->sample[0]->location_id[0])
			continue;
		assert_int_equal(l->n_line, 2);
		assert_int_equal(l->line[0]->line, 20);
		assert_int_equal(l->line[1]->line, 10);
		assert_string_equal(
			m->string_table[m->function[l->line[1]->function_id - 1]->name],
			"outer");
	}
	pprof__profile__free_unpacked(m, NULL);
	picture_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sink_is_found_by_name),
		cmocka_unit_test(the_longest_suffix_wins),
		cmocka_unit_test(names_and_suffixes_are_unique),
		cmocka_unit_test(the_side_written_follows_the_split),
		cmocka_unit_test(sides_are_parsed),
		cmocka_unit_test(what_is_not_watched_any_more_is_said),
		cmocka_unit_test(an_address_is_one_location_of_pprof),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
