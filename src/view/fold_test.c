/* Inlined functions in a picture: in `parse` a call of `skip`, at parse.c:12, was
 * inlined, and in that one of `peek`, at skip.c:5; `handle` has nothing inlined. */
#include "view/fold.h"

#include "view/shop_build.h"

static unsigned expand(void *context, uint32_t image, uint64_t offset, struct frame_name *ret,
		       unsigned room)
{
	static const struct frame_name levels[] = {
		{ "peek", "skip.h", 3, 0, 0, "skip.h", 4 },
		{ "skip", "skip.c", 1, 0, 0, "skip.c", 5 },
		{ "parse", "shop.c", 20, PARSE << 8, 0x100, "parse.c", 12 },
	};
	static const struct frame_name plain = { "handle", "shop.c", 10, HANDLE << 8,
						 0x100,	   "shop.c", 15 };

	assert_true(room >= COUNT_OF(levels));
	if (image != SHOP)
		return 0;
	if (offset >> 8 == HANDLE)
		*ret = plain;
	if (offset >> 8 == PARSE)
		memcpy(ret, levels, sizeof(levels));
	return offset >> 8 == HANDLE ? 1 : offset >> 8 == PARSE ? COUNT_OF(levels) : 0;
}

static const struct naming expanding = { .find = find, .expand = expand };

static struct picture *ask_expanded(const struct store *st, enum fold_by by)
{
	struct query q = { .fold = by };
	struct picture *p = NULL;

	assert_int_equal(view_answer(st, &q, &expanding, &p, NULL), 0);
	for (uint32_t n = 1; n < p->nodes.count; n++)
		assert_true(p->nodes.at[n].parent < n);
	return p;
}

static const struct picture_frame *frame_of(const struct picture *p, uint32_t node)
{
	assert_true(node < p->nodes.count);
	return &p->frames.at[p->nodes.at[node].frame];
}

static void what_is_inlined_has_its_own_node(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *p = ask_expanded(st, FOLD_FUNCTION);
	uint32_t parse = node(p, "main/handle/parse"), skip = node(p, "main/handle/parse/skip"),
		 peek = node(p, "main/handle/parse/skip/peek"),
		 call = node(p, "main/handle/parse/skip/peek/expand");

	assert_int_equal(p->nodes.at[call].self[SIDE_IN], 40);
	assert_int_equal(frame_of(p, parse)->kind, FRAME_USER);
	assert_int_equal(frame_of(p, skip)->kind, FRAME_INLINED);
	assert_int_equal(frame_of(p, peek)->kind, FRAME_INLINED);
	assert_int_equal(frame_of(p, peek)->line, 3);
	assert_string_equal(picture_text(p, frame_of(p, skip)->file), "skip.c");
	assert_string_equal(picture_text(p, frame_of(p, skip)->image_name), "shop-server");
	/* where each is called */
	assert_int_equal(p->nodes.at[parse].site_line, 15);
	assert_int_equal(p->nodes.at[skip].site_line, 12);
	assert_string_equal(picture_text(p, p->nodes.at[skip].site_file), "parse.c");
	assert_int_equal(p->nodes.at[peek].site_line, 5);
	assert_int_equal(p->nodes.at[call].site_line, 4);
	assert_false(p->nodes.at[call].more_sites);
	assert_int_equal(p->nodes.at[node(p, "main/handle")].site_line, 0);
	picture_free(p);
	store_free(st);
}

static void an_address_keeps_what_is_inlined_there_together(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *p = ask_expanded(st, FOLD_ADDRESS);
	uint32_t at = node(p, "main/handle/parse/skip/peek");
	const struct picture_frame *peek = frame_of(p, at), *skip, *parse;

	skip = &p->frames.at[peek->outer];
	parse = &p->frames.at[skip->outer];
	assert_string_equal(picture_text(p, skip->name), "skip");
	assert_string_equal(picture_text(p, parse->name), "parse");
	assert_int_equal(parse->outer, 0);
	assert_int_equal(peek->address, parse->address);
	assert_int_equal(peek->at_line, 4);
	assert_int_equal(skip->at_line, 5);
	assert_int_equal(parse->at_line, 12);
	assert_int_equal(parse->line, 20);
	picture_free(p);
	store_free(st);
}

static void an_inlined_copy_is_no_call_of_a_probe(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *with = ask_expanded(st, FOLD_FUNCTION), *without;

	without = ask(st, &(struct query){ 0 });
	for (unsigned side = 0; side < NR_SIDE; side++)
		assert_int_equal(with->sides[side].samples, without->sides[side].samples);
	picture_free(with);
	picture_free(without);
	store_free(st);
}

#define AT(function) (BASE + ((function) << 8) + 0x20)
#define CALLED(function) (FRAME_CALL | (BASE + ((function) << 8)))

/* A sample within a call of `handle`, frames leaf first. */
static void sample_stack(struct store *st, nsec time, const uint64_t *user)
{
	const struct event_sample e = { .pid = PID, .weight = MS, .span = 5 };

	build_sample(st, time, 7, &e, (struct build_stack){ NULL, user });
}

static void a_function_that_jumps_is_shown(void **state)
{
	static const uint64_t jumped[] = { AT(EXPAND), CALLED(HANDLE), AT(MAIN), 0 },
			      stays[] = { AT(PARSE), AT(HANDLE), CALLED(HANDLE), AT(MAIN), 0 },
			      twice[] = { AT(LOG), CALLED(RENDER), CALLED(HANDLE), AT(MAIN),
					  0 },
			      nowhere[] = { AT(HOT), FRAME_CALL | 0x1000, AT(MAIN), 0 };
	const nsec durations[] = { 9 * MS };
	struct event_leave leave = { .span = 5, .began = 1091 * MS, .probe = 1 };
	struct store *st = make_store(NULL);
	struct picture *p;

	sample_stack(st, 1092 * MS, jumped);
	sample_stack(st, 1093 * MS, stays);
	sample_stack(st, 1094 * MS, twice);
	sample_stack(st, 1095 * MS, nowhere);
	build_leave(st, 1100 * MS, 7, &leave);
	build_calls(st, 1000 * MS, 2000 * MS, 1, durations, 1);
	p = ask_split(st, "dur > 3ms");
	assert_int_equal(p->nodes.at[node(p, "main/handle/expand")].self[SIDE_IN], 1);
	assert_int_equal(p->nodes.at[node(p, "main/handle/parse")].self[SIDE_IN], 1);
	assert_int_equal(p->nodes.at[node(p, "main/handle/render/log")].self[SIDE_IN], 1);
	assert_int_equal(p->nodes.at[node(p, "main/hot")].self[SIDE_IN], 1);
	assert_int_equal(p->nodes.count, 1 + 7);
	assert_int_equal(function(p, "render")->depth, 0);
	assert_null(function(p, "main"));
	picture_free(p);
	p = ask_expanded(st, FOLD_ADDRESS);
	assert_int_equal(p->nodes.at[node(p, "main/handle/expand")].self[SIDE_IN], 1);
	assert_int_equal(p->nodes.at[node(p, "main/handle/parse/skip/peek")].self[SIDE_IN], 1);
	picture_free(p);
	store_free(st);
}

/* Where it was called is where the function that jumps was; from where that jumps is not
 * known. */
static void a_jump_is_no_place_of_a_call(void **state)
{
	static const uint64_t jumped[] = { AT(EXPAND), CALLED(RENDER), AT(HANDLE), 0 },
			      stays[] = { AT(RENDER), CALLED(RENDER), AT(HANDLE), 0 };
	struct store *st = make_store(NULL);
	struct picture *p;
	uint32_t render;

	sample_stack(st, 1092 * MS, jumped);
	sample_stack(st, 1093 * MS, stays);
	p = ask_expanded(st, FOLD_FUNCTION);
	render = node(p, "handle/render");
	assert_int_equal(p->nodes.at[render].site_line, 15);
	assert_false(p->nodes.at[render].more_sites);
	assert_int_equal(p->nodes.at[node(p, "handle/render/expand")].site_line, 0);
	picture_free(p);
	store_free(st);
}

/* Two addresses of one probed function that nobody knows the name of. */
static void a_call_without_a_name_is_its_own(void **state)
{
	static const uint64_t own[] = { AT(HANDLE), CALLED(HANDLE), AT(MAIN), 0 },
			      other[] = { AT(EXPAND), CALLED(HANDLE), AT(MAIN), 0 };
	struct store *st = make_store(NULL);
	const struct query q = { .fold = FOLD_FUNCTION };
	struct picture *p = NULL;

	sample_stack(st, 1092 * MS, own);
	sample_stack(st, 1093 * MS, other);
	assert_int_equal(view_answer(st, &q, NULL, &p, NULL), 0);
	assert_int_equal(
		p->nodes.at[node(p, "shop-server+0x1f/shop-server+0x120")].self[SIDE_OPEN], 1);
	assert_int_equal(p->nodes.at[node(p, "shop-server+0x1f/shop-server+0x100/"
					     "shop-server+0x320")]
				 .self[SIDE_OPEN],
			 1);
	assert_int_equal(p->nodes.count, 1 + 4);
	picture_free(p);
	store_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_that_jumps_is_shown),
		cmocka_unit_test(a_jump_is_no_place_of_a_call),
		cmocka_unit_test(a_call_without_a_name_is_its_own),
		cmocka_unit_test(what_is_inlined_has_its_own_node),
		cmocka_unit_test(an_address_keeps_what_is_inlined_there_together),
		cmocka_unit_test(an_inlined_copy_is_no_call_of_a_probe),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
