/*
 * Pictures made by hand, written by every sink and compared with the files in
 * test/golden/.  After a wanted change of a format write them anew, look at the
 * difference, commit it:
 *
 *	GOLDEN_WRITE=1 build/golden_test && git diff test/golden
 */
#include "sink/golden_picture.h"
#include "sink/golden_place.inc"
#include "sink/pprof_read.h"
#include "sink/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct golden {
	const char *file;
	struct picture *(*make)(void);
	const char *sink;
	struct sink_option option;
};

static const struct golden goldens[] = {
	{ "split.txt", golden_split, "text", { 0 } },
	{ "split-rest.txt", golden_split, "text", { .side = WRITE_REST } },
	{ "split-wide.txt", golden_split, "text", { .columns = 120, .colour = true } },
	{ "span.txt", golden_span, "text", { 0 } },
	{ "plain.txt", golden_plain, "text", { 0 } },
	{ "hostile.txt", golden_hostile, "text", { 0 } },
	{ "empty.txt", golden_empty, "text", { 0 } },
	{ "split.json", golden_split, "json", { 0 } },
	{ "span.json", golden_span, "json", { 0 } },
	{ "plain.json", golden_plain, "json", { 0 } },
	{ "hostile.json", golden_hostile, "json", { 0 } },
	{ "split.folded", golden_split, "folded", { 0 } },
	{ "split-diff.folded", golden_split, "folded", { .side = WRITE_DIFF } },
	{ "split-out-time.folded",
	  golden_split,
	  "folded",
	  { .side = WRITE_OUT, .weight = WEIGHT_TIME } },
	{ "plain-marks.folded", golden_plain, "folded", { .annotate = true } },
	{ "hostile.folded", golden_hostile, "folded", { 0 } },
	{ "split.speedscope.json", golden_split, "speedscope", { 0 } },
	{ "split-all.speedscope.json", golden_split, "speedscope", { .side = WRITE_ALL } },
	{ "hostile.speedscope.json", golden_hostile, "speedscope", { 0 } },
	{ "empty.speedscope.json", golden_empty, "speedscope", { 0 } },
	{ "split.svg", golden_split, "svg", { 0 } },
	{ "plain.svg", golden_plain, "svg", { 0 } },
	{ "plain-time.svg", golden_plain, "svg", { .weight = WEIGHT_TIME } },
	{ "hostile.svg", golden_hostile, "svg", { 0 } },
	{ "empty.svg", golden_empty, "svg", { 0 } },
	{ "split.pprof.txt", golden_split, "pprof", { .side = WRITE_ALL } },
	{ "hostile.pprof.txt", golden_hostile, "pprof", { 0 } },
};

static void golden_print(const struct golden *g, struct text *out)
{
	const struct sink *sink = sink_find(g->sink);
	struct sink_option option = g->option;
	struct picture *p = g->make();
	struct error err;

	option.version = "0";
	option.side = sink_side(sink, p, option.side);
	assert_int_equal(sink->write(p, &option, out, &err), 0);
	picture_free(p);
	if (strcmp(g->sink, "pprof") == 0) {
		struct text bytes = *out;

		*out = (struct text){ 0 };
		pprof_print(out, &bytes);
		text_done(&bytes);
	}
}

static bool file_read(const char *path, struct text *ret)
{
	FILE *file = fopen(path, "r");
	char buf[65536];
	size_t n;

	if (!file)
		return false;
	while ((n = fread(buf, 1, sizeof(buf), file)))
		text_add_part(ret, buf, n);
	fclose(file);
	return true;
}

static void file_write(const char *path, const struct text *t)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(t->bytes, 1, t->size, file), t->size);
	assert_int_equal(fclose(file), 0);
}

/* Where two texts part, for the message. */
static unsigned line_of_difference(const char *a, const char *b)
{
	unsigned line = 1;

	for (; *a && *a == *b; a++, b++)
		line += *a == '\n';
	return line;
}

static void every_sink_writes_what_it_did(void **state)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < COUNT_OF(goldens); i++) {
		AUTO_FREE char *path = mem_format("%s/%s", GOLDEN_DIR, goldens[i].file);
		AUTO_TEXT struct text is = { 0 }, was = { 0 };

		golden_print(&goldens[i], &is);
		if (getenv("GOLDEN_WRITE"))
			file_write(path, &is);
		if (!file_read(path, &was)) {
			print_message("# %s is missing\n", path);
			wrong++;
		} else if (is.size != was.size || memcmp(is.bytes, was.bytes, is.size)) {
			print_message("# %s differs from line %u on\n", path,
				      line_of_difference(text_string(&is), text_string(&was)));
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sink_writes_what_it_did),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
