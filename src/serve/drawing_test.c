/*
 * drawing_test - what a page has after the messages is the picture.
 */
#include "serve/drawing_read.h"
#include "view/shop_build.h"

struct scene {
	struct drawing drawing;
	struct reader reader;
};

static int begin(void **state)
{
	*state = NEW(struct scene);
	return 0;
}

static int end(void **state)
{
	struct scene *s = *state;

	drawing_done(&s->drawing);
	free(s);
	return 0;
}

static struct picture *ask_shop(const struct store *st, const char *split)
{
	const struct query q = { .split = split };
	struct picture *p = NULL;
	struct error err;

	assert_int_equal(view_answer(st, &q, &naming, &p, &err), 0);
	return p;
}

static size_t draw(struct scene *s, const struct picture *p)
{
	AUTO_TEXT struct text message = { 0 };

	drawing_write(&s->drawing, p, "{\"a\":1}", &message);
	read_drawing(&s->reader, &message);
	return message.size;
}

/* "main/handle" of a node, as a reader has it. */
static void path_of(const struct reader *r, uint32_t node, char *to)
{
	if (!node) {
		*to = 0;
		return;
	}
	assert_true(r->node[node][0] < node);
	path_of(r, r->node[node][0], to);
	sprintf(to + strlen(to), "/%s", r->text[r->frame[r->node[node][1]][0]]);
}

static void picture_path(const struct picture *p, uint32_t node, char *to)
{
	if (!node) {
		*to = 0;
		return;
	}
	picture_path(p, p->nodes.at[node].parent, to);
	sprintf(to + strlen(to), "/%s",
		picture_text(p, p->frames.at[p->nodes.at[node].frame].name));
}

/* Every node of the picture is there once with its weights, and no other weighs anything. */
static void is_drawn(const struct reader *r, const struct picture *p)
{
	uint32_t weighing = 0, found = 0;

	for (uint32_t i = 0; i < p->nodes.count; i++) {
		char path[1000], other[1000];
		uint32_t k = 0;

		picture_path(p, i, path);
		for (; k < r->nodes; k++) {
			path_of(r, k, other);
			if (strcmp(path, other) == 0)
				break;
		}
		assert_true(k < r->nodes);
		for (unsigned side = 0; side < NR_SIDE; side++) {
			assert_true(r->samples[k][side] == (float)p->nodes.at[i].self[side]);
			assert_true(r->nsec[k][side] == (float)p->nodes.at[i].self_nsec[side]);
			found += r->samples[k][side] > 0;
		}
	}
	for (uint32_t k = 0; k < r->nodes; k++)
		for (unsigned side = 0; side < NR_SIDE; side++)
			weighing += r->samples[k][side] > 0;
	assert_int_equal(found, weighing);
}

static void a_picture_arrives_whole(void **state)
{
	struct scene *s = *state;
	struct store *st = make_shop(NULL);
	struct picture *p = ask_shop(st, "dur > 3ms");

	draw(s, p);
	is_drawn(&s->reader, p);
	assert_string_equal(s->reader.scene, "{\"a\":1}");
	assert_int_equal(s->reader.seq, 1);
	assert_int_equal(s->reader.nodes, p->nodes.count);
	picture_free(p);
	store_free(st);
}

static void only_what_changed_is_told(void **state)
{
	struct scene *s = *state;
	struct store *st = make_shop(NULL);
	struct picture *p = ask_shop(st, NULL);
	size_t first = draw(s, p);

	assert_true(draw(s, p) < first);
	assert_int_equal(s->reader.changes, 0);
	is_drawn(&s->reader, p);
	picture_free(p);
	sample(st, 1999 * MS, 8, 0, &in_hot);
	p = ask_shop(st, NULL);
	draw(s, p);
	assert_int_equal(s->reader.changes, 1);
	is_drawn(&s->reader, p);
	picture_free(p);
	store_free(st);
}

static void another_split_moves_weights_between_the_same_nodes(void **state)
{
	static const char *const splits[] = { "dur > 3ms", "dur > 500us", "dur > 9ms", NULL };
	struct scene *s = *state;
	struct store *st = make_shop(NULL);
	uint32_t nodes = 0;

	for (unsigned i = 0; i < COUNT_OF(splits); i++) {
		struct picture *p = ask_shop(st, splits[i]);

		draw(s, p);
		is_drawn(&s->reader, p);
		assert_true(!i || s->reader.nodes == nodes);
		nodes = s->reader.nodes;
		picture_free(p);
	}
	assert_int_equal(s->reader.epoch, 0);
	store_free(st);
}

static void what_left_the_window_weighs_nothing(void **state)
{
	struct scene *s = *state;
	struct store *st = make_shop(NULL), *other = make_store(NULL);
	struct picture *p = ask_shop(st, NULL), *q;

	sample(other, 1500 * MS, 8, 0, &in_main);
	q = ask_shop(other, NULL);
	draw(s, p);
	draw(s, q);
	is_drawn(&s->reader, q);
	draw(s, p);
	is_drawn(&s->reader, p);
	picture_free(p);
	picture_free(q);
	store_free(st);
	store_free(other);
}

/* Of what is kept between questions only what is new is numbered, also when a question that is
 * folded otherwise comes in between, or one about less time. */
static void kept_pictures_are_drawn_as_new_ones(void **state)
{
	static const struct chain *const chains[] = { &in_hot, &in_parse, &in_main,
						      &in_expand };
	struct query questions[] = {
		{ .split = "dur > 3ms" },
		{ .split = "dur > 500us" },
		{ .no_user = true },
		{ .window = { .kind = WINDOW_LAST, .length = 100 * MS } },
		{ .split = "dur > 500us", .window = { .kind = WINDOW_LAST, .length = 1 } },
	};
	struct answers kept = { .asked = 0 };
	struct scene *s = *state;
	struct store *st = make_store(NULL);
	struct error err = { "" };
	struct picture *p;

	for (unsigned i = 0; i < 60; i++) {
		call(st, 10 + i, (1010 + 7 * i) * MS, i % 3 ? MS : 5 * MS, i % 3 ? fast : slow);
		sample(st, (1010 + 7 * i) * MS, 8, 0, chains[i / 9 % COUNT_OF(chains)]);
		for (unsigned k = 0; k < 2; k++) {
			const struct query *q = &questions[(i / 4 + k) % COUNT_OF(questions)];

			assert_int_equal(answers_ask(&kept, st, q, &naming, &p, &err), 0);
			draw(s, p);
			is_drawn(&s->reader, p);
		}
	}
	answers_done(&kept);
	store_free(st);
}

/* A picture with so many functions below main that nobody sees again. */
static struct picture *wide(unsigned first, unsigned count)
{
	struct picture *p = picture_new();
	struct picture_frame all = { .name = intern_text(&p->text, "all") };

	array_push(&p->frames, all);
	array_add(&p->nodes);
	for (unsigned i = 0; i < count; i++) {
		struct picture_frame f = { .name = intern_text(&p->text, "f"),
					   .line = first + i };
		struct picture_node n = { .frame = p->frames.count };

		n.self[SIDE_IN] = 1;
		array_push(&p->frames, f);
		array_push(&p->nodes, n);
	}
	return p;
}

static void a_page_is_told_to_forget(void **state)
{
	struct scene *s = *state;

	for (unsigned i = 0; i < 100; i++) {
		AUTO_TEXT struct text message = { 0 };
		struct picture *p = wide(i * 1000, 1000);

		drawing_write(&s->drawing, p, "{}", &message);
		assert_true(s->drawing.nodes.count <= 8002);
		picture_free(p);
	}
	assert_int_equal(s->drawing.seq, 100);
	assert_true(s->drawing.epoch > 0);
}

static void hostile_names_are_only_bytes(void **state)
{
	struct scene *s = *state;
	struct picture *p = wide(0, 1);

	p->frames.at[1].name = intern_text(&p->text, "</script>\x01\xff\"\\\n");
	draw(s, p);
	assert_string_equal(s->reader.text[s->reader.frame[1][0]], "</script>\x01\xff\"\\\n");
	picture_free(p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_picture_arrives_whole),
		TEST(only_what_changed_is_told),
		TEST(another_split_moves_weights_between_the_same_nodes),
		TEST(what_left_the_window_weighs_nothing),
		TEST(kept_pictures_are_drawn_as_new_ones),
		TEST(a_page_is_told_to_forget),
		TEST(hostile_names_are_only_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
