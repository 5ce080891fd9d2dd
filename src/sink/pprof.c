/*
 * pprof - profile.proto, gzipped, for `go tool pprof` and what reads it.
 *
 * Two values a sample, samples/count and cpu/nanoseconds (the default, being
 * last).  Ids are picture indices + 1 (0 means none there); a location is one
 * frame, an inlined one has its own.  With a split or a span every sample has
 * the label split = in | rest | open | out | before, so that `-tagfocus=split=in`
 * and `-tagroot=split` compare the sides.
 */
#include "sink/sinks.h"

#include "sink/escape.h"
#include "sink/gzip.h"
#include "sink/headline.h"
#include "sink/pprof.pb-c.h"
#include "sink/walk.h"

#include <errno.h>

/* Everything a message points at lives in chunks until the end. */
struct pprof {
	const struct picture *p;
	struct intern strings;	/* the string table: its id 0 is "" as the format wants */
	struct table functions; /* (name, file, line) as hash: index of the message */
	ARRAY(void *) chunks;
	ARRAY(Pprof__Sample *) samples;
	ARRAY(Pprof__Mapping *) mappings;
	ARRAY(Pprof__Location *) locations;
	ARRAY(Pprof__Function *) function_list;
	ARRAY(int64_t) comments;
	uint32_t no_stack; /* id of the location for samples without a stack, 0 = not made */
};

static void *chunk(struct pprof *b, size_t size)
{
	void *at = mem_zeroed(1, size);

	array_push(&b->chunks, at);
	return at;
}

#define CHUNK(b, type, init)                               \
	({                                                 \
		type *message_ = chunk((b), sizeof(type)); \
		*message_ = (type)init;                    \
		message_;                                  \
	})

static void pprof_done(struct pprof *b)
{
	for (uint32_t i = 0; i < b->chunks.count; i++)
		free(b->chunks.at[i]);
	array_done(&b->chunks);
	array_done(&b->samples);
	array_done(&b->mappings);
	array_done(&b->locations);
	array_done(&b->function_list);
	array_done(&b->comments);
	table_done(&b->functions);
	intern_done(&b->strings);
}

/* Protobuf strings must be UTF-8: readers in Go refuse the whole file else. */
static int64_t pprof_string(struct pprof *b, const char *s)
{
	AUTO_TEXT struct text clean = { 0 };

	text_add_plain(&clean, s);
	return intern_text(&b->strings, text_string(&clean));
}

static Pprof__ValueType *value_type(struct pprof *b, const char *type, const char *unit)
{
	Pprof__ValueType *v = CHUNK(b, Pprof__ValueType, PPROF__VALUE_TYPE__INIT);

	v->type = pprof_string(b, type);
	v->unit = pprof_string(b, unit);
	return v;
}

/* Whether the image is a program rather than a library or the kernel. */
static bool image_is_program(const struct picture *p, const struct picture_image *image)
{
	return image->kind == IMAGE_FILE && !strstr(picture_text(p, image->path), ".so");
}

/* pprof takes the first mapping for the main binary, so programs go first. */
static void add_mappings(struct pprof *b, bool programs)
{
	const struct picture *p = b->p;

	for (uint32_t i = 0; i < p->images.count; i++) {
		const struct picture_image *image = &p->images.at[i];
		Pprof__Mapping *m;

		if (image_is_program(p, image) != programs)
			continue;
		m = CHUNK(b, Pprof__Mapping, PPROF__MAPPING__INIT);
		m->id = i + 1;
		m->memory_start = image->start;
		m->memory_limit = image->end;
		m->file_offset = image->offset;
		m->filename = pprof_string(b, picture_text(p, image->path));
		m->build_id = pprof_string(b, picture_text(p, image->build_id));
		/* names are resolved already: keeps pprof from doing it again, with
		 * whatever binaries the reader's machine happens to have */
		m->has_functions = m->has_filenames = m->has_line_numbers = true;
		m->has_inline_frames = true;
		array_push(&b->mappings, m);
	}
}

/* Id of the function (1..); the same for all its addresses. */
static uint64_t pprof_function(struct pprof *b, const char *name, const char *file,
			       uint32_t line)
{
	int64_t name_id = pprof_string(b, name), file_id = pprof_string(b, file);
	uint64_t key[3] = { name_id, file_id, line };
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	Pprof__Function *f;
	uint32_t at;

	while ((at = table_find(&b->functions, hash)) != TABLE_NONE) {
		f = b->function_list.at[at];
		if (f->name == name_id && f->filename == file_id && f->start_line == line)
			return f->id;
		hash++;
	}
	f = CHUNK(b, Pprof__Function, PPROF__FUNCTION__INIT);
	f->id = b->function_list.count + 1;
	f->name = f->system_name = name_id;
	f->filename = file_id;
	f->start_line = line;
	table_set(&b->functions, hash, b->function_list.count);
	array_push(&b->function_list, f);
	return f->id;
}

static Pprof__Line *pprof_line(struct pprof *b, const struct picture_frame *f, const char *name)
{
	Pprof__Line *line = CHUNK(b, Pprof__Line, PPROF__LINE__INIT);
	text_id file = f->file ? f->file : f->at_file;

	line->function_id = pprof_function(b, name, picture_text(b->p, file), f->line);
	line->line = f->at_line ? f->at_line : f->line;
	return line;
}

/* How many frames of the picture are at the frame's address: itself and what it
 * is inlined into. */
static uint32_t frame_levels(const struct picture *p, uint32_t frame)
{
	uint32_t count = 1;

	while ((frame = p->frames.at[frame].outer))
		count++;
	return count;
}

static void add_location(struct pprof *b, uint32_t frame)
{
	const struct picture_frame *f = &b->p->frames.at[frame];
	Pprof__Location *l = CHUNK(b, Pprof__Location, PPROF__LOCATION__INIT);

	l->id = frame + 1;
	l->address = f->address;
	l->mapping_id = f->image < b->p->images.count ? f->image + 1 : 0;
	l->line = chunk(b, frame_levels(b->p, frame) * sizeof(*l->line));
	do {
		f = &b->p->frames.at[frame];
		l->line[l->n_line++] = pprof_line(b, f, walk_name(b->p, frame));
	} while ((frame = f->outer));
	array_push(&b->locations, l);
}

static void add_locations(struct pprof *b)
{
	const struct picture *p = b->p;
	AUTO_FREE bool *within = mem_zeroed(p->frames.count + 1, sizeof(*within));

	for (uint32_t i = 0; i < p->frames.count; i++)
		within[p->frames.at[i].outer] = true;
	for (uint32_t i = 0; i < p->frames.count; i++)
		if (!within[i] || !i) /* 0: the root, and "none" */
			add_location(b, i);
}

/* The location of samples without a stack. */
static uint32_t no_stack_location(struct pprof *b)
{
	static const struct picture_frame nowhere = { .image = UINT32_MAX };
	Pprof__Location *l;

	if (b->no_stack)
		return b->no_stack;
	l = CHUNK(b, Pprof__Location, PPROF__LOCATION__INIT);
	l->id = b->no_stack = b->p->frames.count + 1;
	l->n_line = 1;
	l->line = chunk(b, sizeof(*l->line));
	l->line[0] = pprof_line(b, &nowhere, WALK_NO_STACK);
	array_push(&b->locations, l);
	return b->no_stack;
}

static void sample_locations(struct pprof *b, Pprof__Sample *s, const struct walk *w)
{
	s->location_id = chunk(b, (w->frames.count + 1) * sizeof(*s->location_id));
	for (uint32_t i = w->frames.count; i > 0;) {
		uint32_t frame = w->frames.at[i - 1];

		s->location_id[s->n_location_id++] = frame + 1;
		i -= frame_levels(b->p, frame) < i ? frame_levels(b->p, frame) : i;
	}
	if (!s->n_location_id)
		s->location_id[s->n_location_id++] = no_stack_location(b);
}

static void sample_label(struct pprof *b, Pprof__Sample *s, const char *key, const char *value)
{
	Pprof__Label *label = CHUNK(b, Pprof__Label, PPROF__LABEL__INIT);

	label->key = pprof_string(b, key);
	label->str = pprof_string(b, value);
	s->n_label = 1;
	s->label = chunk(b, sizeof(*s->label));
	s->label[0] = label;
}

static void add_samples(struct pprof *b, unsigned mask)
{
	const struct picture *p = b->p;
	bool labelled = p->split_expr || headline_span(p);
	struct walk w = { 0 };

	for (uint32_t i = 0; i < p->nodes.count; i++) {
		const struct picture_node *node = &p->nodes.at[i];

		for (unsigned side = 0; side < NR_SIDE; side++) {
			Pprof__Sample *s;

			if (!(mask & SIDE_BIT(side)) || !node->self[side])
				continue;
			walk_stack(&w, p, i);
			s = CHUNK(b, Pprof__Sample, PPROF__SAMPLE__INIT);
			sample_locations(b, s, &w);
			s->n_value = 2;
			s->value = chunk(b, 2 * sizeof(*s->value));
			s->value[0] = node->self[side];
			s->value[1] = node->self_nsec[side];
			if (labelled)
				sample_label(b, s, "split", side_names[side]);
			array_push(&b->samples, s);
		}
	}
	walk_done(&w);
}

static void add_comments(struct pprof *b, const struct sink_option *option)
{
	const struct picture *p = b->p;
	AUTO_TEXT struct text t = { 0 };

	text_format(&t, "sonde %s: ", option->version ? option->version : "");
	headline_target(&t, p);
	array_push(&b->comments, pprof_string(b, text_string(&t)));
	text_clear(&t);
	headline_window(&t, p);
	text_add(&t, ", ");
	headline_losses(&t, p);
	array_push(&b->comments, pprof_string(b, text_string(&t)));
	if (!p->split_expr)
		return;
	text_clear(&t);
	text_add(&t, "split in: calls ");
	headline_split(&t, p);
	array_push(&b->comments, pprof_string(b, text_string(&t)));
}

static int pprof_pack(struct pprof *b, const struct sink_option *option, struct text *out,
		      struct error *err)
{
	const struct picture *p = b->p;
	Pprof__Profile m = PPROF__PROFILE__INIT;
	Pprof__ValueType *types[2] = { value_type(b, "samples", "count"),
				       value_type(b, "cpu", "nanoseconds") };
	size_t size;

	m.n_sample_type = 2;
	m.sample_type = types;
	m.period_type = types[1];
	m.period = p->period;
	m.default_sample_type = types[1]->type;
	m.time_nanos = p->wall;
	m.duration_nanos = p->to > p->from ? p->to - p->from : 0;
	m.n_sample = b->samples.count;
	m.sample = b->samples.at;
	m.n_mapping = b->mappings.count;
	m.mapping = b->mappings.at;
	m.n_location = b->locations.count;
	m.location = b->locations.at;
	m.n_function = b->function_list.count;
	m.function = b->function_list.at;
	m.n_comment = b->comments.count;
	m.comment = b->comments.at;
	m.n_string_table = b->strings.strings.count;
	m.string_table = b->strings.strings.at;
	size = pprof__profile__get_packed_size(&m);
	if (size > INT32_MAX) /* protobuf's own bound on a message */
		return error_set(err, EFBIG,
				 "profile of %zu bytes is more than pprof can read "
				 "(2 GiB); ask for a shorter window",
				 size);

	AUTO_FREE uint8_t *bytes = mem_alloc(size + 1);

	pprof__profile__pack(&m, bytes);
	return gzip_add(out, bytes, size, err);
}

static int pprof_write(const struct picture *p, const struct sink_option *option,
		       struct text *out, struct error *err)
{
	struct pprof b = { .p = p };
	int rc;

	add_mappings(&b, true);
	add_mappings(&b, false);
	add_locations(&b);
	add_samples(&b, sink_side_mask(option->side));
	add_comments(&b, option);
	rc = pprof_pack(&b, option, out, err);
	pprof_done(&b);
	return rc;
}

const struct sink sink_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.help = "for go tool pprof and everything that reads profile.proto",
	.fold = FOLD_ADDRESS,
	.side = WRITE_IN,
	.write = pprof_write,
};
