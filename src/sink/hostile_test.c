/*
 * Every sink, every side, hostile names: what comes out is still well-formed,
 * and the numbers in it are those that went in.
 */
#include "sink/golden_picture.h"
#include "sink/golden_place.inc"
#include "sink/headline.h"
#include "sink/pprof_read.h"
#include "sink/sink.h"
#include "sink/walk.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static struct picture *(*const makers[])(void) = {
	golden_hostile, golden_split, golden_span, golden_plain, golden_empty,
};

static const enum write_side sides[] = {
	WRITE_IN, WRITE_REST, WRITE_OPEN, WRITE_OUT, WRITE_DIFF, WRITE_ALL,
};

typedef void check_fn(const struct picture *p, enum write_side side, const struct text *out);

static void each_output(const char *name, check_fn *check)
{
	const struct sink *sink = sink_find(name);
	struct error err;

	for (unsigned i = 0; i < COUNT_OF(makers) * COUNT_OF(sides); i++) {
		struct picture *p = makers[i / COUNT_OF(sides)]();
		struct sink_option option = { .version = "0\"<;" };
		AUTO_TEXT struct text out = { 0 }, again = { 0 };

		option.side = sink_side(sink, p, sides[i % COUNT_OF(sides)]);
		assert_int_equal(sink->write(p, &option, &out, &err), 0);
		assert_int_equal(sink->write(p, &option, &again, &err), 0);
		assert_int_equal(out.size, again.size);
		if (out.size)
			assert_memory_equal(out.bytes, again.bytes, out.size);
		check(p, option.side, &out);
		picture_free(p);
	}
}

static uint64_t sum(const struct picture *p, unsigned mask, bool in_nsec)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < p->nodes.count; i++)
		all += walk_self(&p->nodes.at[i], mask, in_nsec);
	return all;
}

/* No byte a terminal acts on, well-formed UTF-8. */
static void assert_plain(const struct text *t)
{
	const unsigned char *at = (const unsigned char *)text_string(t);
	uint32_t code;

	assert_int_equal(strlen(text_string(t)), t->size);
	while (*at) {
		unsigned n = text_utf8(at, &code);

		assert_true(n > 0);
		assert_true(code == '\n' || (code >= 0x20 && (code < 0x7f || code >= 0xa0)));
		at += n;
	}
}

static void check_text(const struct picture *p, enum write_side side, const struct text *out)
{
	assert_plain(out);
	assert_int_equal(out->bytes[out->size - 1], '\n');
}

static void text_has_no_byte_a_terminal_acts_on(void **state)
{
	each_output("text", check_text);
}

/* "stack[ number] number\n", the numbers summing to what went in. */
static void check_folded(const struct picture *p, enum write_side side, const struct text *out)
{
	uint64_t first = 0, second = 0;
	const char *line = text_string(out);

	assert_plain(out);
	for (; *line; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n'), *space = end;
		uint64_t v;
		char *stop;

		while (*--space != ' ')
			assert_true(space > line);
		v = strtoull(space + 1, &stop, 10);
		assert_ptr_equal(stop, end);
		first += v;
		for (end = space; *--space != ' ' && space > line;)
			;
		v = strtoull(space + 1, &stop, 10);
		if (side == WRITE_DIFF) {
			assert_ptr_equal(stop, end);
			second += v;
		} else {
			/* nothing that would be read as one number more */
			assert_false(stop == end && space > line);
		}
	}
	if (side == WRITE_DIFF)
		assert_int_equal(second, sum(p, SIDE_BIT(SIDE_REST), false));
	assert_int_equal(first,
			 sum(p, side == WRITE_DIFF ? SIDE_BIT(SIDE_IN) : sink_side_mask(side),
			     false));
}

static void folded_lines_hold_their_numbers(void **state)
{
	each_output("folded", check_folded);
}

static json_t *parse(const struct text *out)
{
	json_error_t err;
	json_t *root = json_loadb(out->bytes, out->size, JSON_REJECT_DUPLICATES, &err);

	if (!root)
		fail_msg("line %d: %s", err.line, err.text);
	return root;
}

/* What the side's stacks took: not what has no stack, which has no frame either. */
static uint64_t in_frames(const struct picture *p, unsigned mask)
{
	return sum(p, mask, true) - walk_self(&p->nodes.at[0], mask, true);
}

static void check_json(const struct picture *p, enum write_side side, const struct text *out)
{
	static const char *const keys[] = { "target",  "window",    "hz",
					    "samples", "losses",    "spans",
					    "split",   "functions", "side" };
	bool compared =
		p->split_expr && (side == WRITE_IN || side == WRITE_REST || side == WRITE_DIFF);
	json_t *root = parse(out), *functions = json_object_get(root, "functions"), *f;
	enum write_side listed;
	uint64_t self = 0;
	size_t i;

	for (unsigned k = 0; k < COUNT_OF(keys); k++)
		assert_non_null(json_object_get(root, keys[k]));
	assert_int_equal(json_integer_value(json_object_get(root, "samples")), p->samples);
	assert_int_equal(json_array_size(json_object_get(root, "spans")), p->spans.count);
	assert_true(
		write_side_parse(json_string_value(json_object_get(root, "side")), &listed));
	json_array_foreach(functions, i, f) self +=
		json_integer_value(json_object_get(f, "self_ns"));
	if (compared)
		assert_int_equal(json_array_size(functions), p->functions.count);
	else
		assert_int_equal(self, in_frames(p, sink_side_mask(listed)));
	json_decref(root);
}

static void json_is_json(void **state)
{
	each_output("json", check_json);
}

/* What scripts rely on. */
static const char *const lasting[] = {
	"target.pid",
	"target.comm",
	"window.from_ns",
	"window.to_ns",
	"losses.ring",
	"losses.stacks_truncated",
	"losses.frames_unresolved",
	"losses.spans_unmatched",
	"losses.thinned",
	"spans.0.place",
	"spans.0.exit",
	"spans.0.calls",
	"spans.0.open",
	"spans.0.ended.return",
	"spans.0.p50_ns",
	"spans.0.p95_ns",
	"spans.0.p99_ns",
	"spans.0.max_ns",
	"spans.0.cost_ns",
	"spans.0.modes.0.at_ns",
	"spans.0.modes.0.until_ns",
	"spans.0.modes.0.share",
	"split.expr",
	"split.threshold_ns",
	"split.blur",
	"split.clearer_ns",
	"split.in.calls",
	"split.in.samples",
	"split.in.weight_ns",
	"split.rest.calls",
	"split.open.samples",
	"split.out.weight_ns",
	"functions.0.name",
	"functions.0.image",
	"functions.0.file",
	"functions.0.line",
	"functions.0.self_in_ns",
	"functions.0.self_rest_ns",
	"functions.0.total_in_ns",
	"functions.0.total_rest_ns",
	"functions.0.per_call_in_ns",
	"functions.0.per_call_rest_ns",
	"functions.0.extra_ns",
	"functions.0.extra_share",
	"functions.0.z",
	"functions.0.beyond_ns",
	"split.z_least",
	"split.verdict.kind",
	"split.verdict.causes.0",
	"split.verdict.text",
};

static void scripts_find_their_keys(void **state)
{
	struct sink_option option = { .side = WRITE_IN };
	struct picture *p = golden_split();
	AUTO_TEXT struct text out = { 0 };
	struct error err;
	json_t *root;

	assert_int_equal(sink_find("json")->write(p, &option, &out, &err), 0);
	root = parse(&out);
	for (unsigned i = 0; i < COUNT_OF(lasting); i++) {
		AUTO_FREE char *path = mem_text(lasting[i]);
		json_t *at = root;

		for (char *key = strtok(path, "."); key; key = strtok(NULL, "."))
			at = json_is_array(at) ? json_array_get(at, atoi(key))
					       : json_object_get(at, key);
		if (!at)
			fail_msg("no %s", lasting[i]);
	}
	json_decref(root);
	picture_free(p);
}

static void check_speedscope(const struct picture *p, enum write_side side,
			     const struct text *out)
{
	json_t *root = parse(out), *profiles = json_object_get(root, "profiles"), *profile;
	size_t frames, i, k, depth, n;
	uint64_t weight = 0, whole = sum(p, sink_side_mask(side), true);
	json_t *stack, *frame, *value;

	frames = json_array_size(json_object_get(json_object_get(root, "shared"), "frames"));
	assert_true(json_array_size(profiles) > 0);
	json_array_foreach(profiles, i, profile)
	{
		json_t *samples = json_object_get(profile, "samples");
		json_t *weights = json_object_get(profile, "weights");

		assert_int_equal(json_array_size(samples), json_array_size(weights));
		json_array_foreach(samples, k, stack)
		{
			assert_true(json_array_size(stack) > 0);
			json_array_foreach(stack, depth, frame)
				assert_true((size_t)json_integer_value(frame) < frames);
		}
		json_array_foreach(weights, n, value) weight += json_integer_value(value);
		if (!i && side == WRITE_ALL && json_array_size(profiles) > 1) {
			assert_int_equal(weight, whole); /* of all: its parts follow */
			weight = 0;
		}
	}
	assert_int_equal(weight, whole);
	json_decref(root);
}

static void speedscope_profiles_add_up(void **state)
{
	each_output("speedscope", check_speedscope);
}

/* Runs a validator over the bytes; its exit status. */
static int validate(const char *command, const struct text *out)
{
	FILE *pipe = popen(command, "w");

	assert_non_null(pipe);
	fwrite(out->bytes, 1, out->size, pipe);
	return pclose(pipe);
}

static void check_svg(const struct picture *p, enum write_side side, const struct text *out)
{
	const char *frames = strstr(out->bytes, "<g id=\"frames\">");
	const char *end = strstr(out->bytes, "<script>");

	assert_int_equal(strlen(out->bytes), out->size);
	assert_non_null(frames);
	assert_non_null(end);
	assert_null(strstr(end + 1, "<script")); /* the one that is ours */
	assert_null(strstr(out->bytes, "alert(1)</script>"));
	assert_int_equal(validate("xmllint --noout - >&2", out), 0);
}

static void svg_is_xml(void **state)
{
	if (system("command -v xmllint >/dev/null"))
		skip();
	each_output("svg", check_svg);
}

static void check_pprof(const struct picture *p, enum write_side side, const struct text *out)
{
	Pprof__Profile *m = pprof_read(out);
	uint64_t samples = 0, weight = 0;

	assert_non_null(m);
	assert_string_equal(m->string_table[0], "");
	for (size_t i = 0; i < m->n_sample; i++) {
		const Pprof__Sample *sample = m->sample[i];

		assert_int_equal(sample->n_value, m->n_sample_type);
		assert_true(sample->n_location_id > 0);
		for (size_t k = 0; k < sample->n_location_id; k++) {
			assert_true(sample->location_id[k] > 0);
			assert_true(sample->location_id[k] <= m->n_location);
		}
		samples += sample->value[0];
		weight += sample->value[1];
	}
	for (size_t i = 0; i < m->n_location; i++) {
		assert_int_equal(m->location[i]->id, i + 1);
		assert_true(m->location[i]->mapping_id <= m->n_mapping);
		assert_true(m->location[i]->line[0]->function_id <= m->n_function);
	}
	for (size_t i = 0; i < m->n_function; i++)
		assert_true(m->function[i]->name < m->n_string_table);
	assert_int_equal(samples, sum(p, sink_side_mask(side), false));
	assert_int_equal(weight, sum(p, sink_side_mask(side), true));
	pprof__profile__free_unpacked(m, NULL);
}

static void pprof_adds_up(void **state)
{
	each_output("pprof", check_pprof);
}

/* Google's decoder, which also refuses strings that are not UTF-8. */
static void check_protoc(const struct picture *p, enum write_side side, const struct text *out)
{
	AUTO_TEXT struct text bytes = { 0 };

	pprof_unzip(&bytes, out);
	assert_int_equal(validate("protoc --decode=pprof.Profile -I " PROTO_DIR
				  " pprof.proto >/dev/null",
				  &bytes),
			 0);
}

static void protoc_reads_pprof(void **state)
{
	if (system("command -v protoc >/dev/null"))
		skip();
	each_output("pprof", check_protoc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_no_byte_a_terminal_acts_on),
		cmocka_unit_test(folded_lines_hold_their_numbers),
		cmocka_unit_test(json_is_json),
		cmocka_unit_test(scripts_find_their_keys),
		cmocka_unit_test(speedscope_profiles_add_up),
		cmocka_unit_test(svg_is_xml),
		cmocka_unit_test(pprof_adds_up),
		cmocka_unit_test(protoc_reads_pprof),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
