#include "sink/sink.h"
#include "sink/svg_colour.h"
#include "view/shop_build.h"

/* Its span goes on in another function by a jump, so no stack has its own frame: ten calls
 * of 5 ms in expand and render, 90 of 1 ms in render. */
static struct store *make_jumping_shop(void)
{
	static const struct chain in_expand_alone = { { MAIN, PARSE, EXPAND }, 3 };
	static const struct chain in_render_alone = { { MAIN, RENDER }, 2 };
	static const struct chain *const slow_ones[] = { &in_expand_alone, &in_expand_alone,
							 &in_expand_alone, &in_expand_alone,
							 &in_render_alone, NULL };
	static const struct chain *const fast_ones[] = { &in_render_alone, NULL };
	struct store *st = make_store(NULL);
	nsec durations[100];

	for (unsigned i = 0; i < 100; i++) {
		durations[i] = i < 10 ? 5 * MS : MS;
		call(st, 1000 + i, (1010 + 8 * i) * MS, durations[i],
		     i < 10 ? slow_ones : fast_ones);
	}
	build_calls(st, 1000 * MS, 2000 * MS, 1, durations, 100);
	build_end(st, 2000 * MS);
	return st;
}

/* The differential flame graph of calls slower than 3 ms. */
static void draw(struct store *st, struct text *svg)
{
	struct picture *p = ask_split(st, "dur > 3ms");
	struct sink_option option = { .side = WRITE_DIFF, .version = "0" };
	struct error err;

	assert_int_equal(sink_find("svg")->write(p, &option, svg, &err), 0);
	picture_free(p);
	store_free(st);
}

static const char *colour_of(const struct text *svg, const char *name)
{
	static char colour[8];
	char title[64];
	const char *at;

	snprintf(title, sizeof(title), "<title>%s\n", name);
	at = strstr(text_string(svg), title);
	assert_non_null(at);
	at = strstr(at, "fill=\"");
	assert_non_null(at);
	snprintf(colour, sizeof(colour), "%s", at + strlen("fill=\""));
	return colour;
}

/* More red than blue. */
static bool is_warm(const char *colour)
{
	unsigned rgb;

	assert_int_equal(sscanf(colour, "#%06x", &rgb), 1);
	return (rgb >> 16) > (rgb & 255) + 32;
}

static void check_colours(struct store *st)
{
	AUTO_TEXT struct text svg = { 0 };

	draw(st, &svg);
	assert_true(is_warm(colour_of(&svg, "expand")));
	assert_true(is_warm(colour_of(&svg, "parse")));
	assert_string_equal(colour_of(&svg, "render"), COLOUR_NOISE);
}

static void what_slow_calls_do_more_is_red(void **state)
{
	check_colours(make_shop(NULL));
}

static void also_where_the_span_is_on_no_stack(void **state)
{
	check_colours(make_jumping_shop());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_slow_calls_do_more_is_red),
		cmocka_unit_test(also_where_the_span_is_on_no_stack),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
