#include "name/namer.h"

#include "base/intern.h"
#include "name/origin.h"
#include "wire/codec.h"

/* Offsets remembered an image; then all are forgotten and found again. */
#define OFFSETS_MAX (1u << 20)
/* In origin.offsets: asked for, and not known. */
#define UNKNOWN (TABLE_NONE - 1)

struct function {
	uint64_t start, length;
	uint32_t image;
	text_id name, file;
	uint32_t line;
	bool recorded;
};

struct namer {
	struct intern text;
	ARRAY(struct origin) origins;
	struct table ids; /* image id: index into origins */
	ARRAY(struct function) functions;
	uint32_t told; /* functions before this one were told */
	struct text scratch;
	uint32_t nr_symbols;
	uint64_t forgotten;
	nsec line_spent;
};

struct namer *namer_new(void)
{
	return NEW(struct namer);
}

void namer_free(struct namer *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < n->origins.count; i++)
		origin_done(&n->origins.at[i]);
	array_done(&n->origins);
	array_done(&n->functions);
	table_done(&n->ids);
	intern_done(&n->text);
	text_done(&n->scratch);
	free(n);
}

static struct origin *origin_of(const struct namer *n, uint32_t image)
{
	uint32_t i = table_find(&n->ids, image);

	return i == TABLE_NONE ? NULL : &n->origins.at[i];
}

/* NULL: it is known already, or there are too many. */
static struct origin *origin_add(struct namer *n, const struct event_image *e, bool live)
{
	const char *path = event_text(&e->head, 0);
	struct origin *o;

	if (origin_of(n, e->image))
		return NULL;
	if (n->origins.count >= NAMER_MAX_IMAGES) {
		n->forgotten++;
		return NULL;
	}
	o = array_add(&n->origins);
	table_set(&n->ids, e->image, n->origins.count - 1);
	o->image = e->image;
	o->kind = e->kind;
	o->live = live;
	o->path = intern_string(&n->text, intern_text(&n->text, path));
	if (e->build_id_size <= sizeof(o->build_id.bytes))
		o->build_id.size = e->build_id_size;
	memcpy(o->build_id.bytes, e->build_id, o->build_id.size);
	return o;
}

int namer_image(struct namer *n, const struct event_image *image, const char *open_path,
		struct error *err)
{
	struct origin *o = origin_add(n, image, true);

	if (!o || o->kind != IMAGE_FILE || !open_path)
		return 0;
	return origin_open(o, open_path, err);
}

static void add_recorded(struct namer *n, const struct event_symbol *e)
{
	struct origin *o = origin_of(n, e->image);
	struct recorded_symbol s = {
		.start = e->offset,
		.length = e->length,
		.line = e->line,
	};

	if (!o || n->nr_symbols >= NAMER_MAX_SYMBOLS) {
		n->forgotten++;
		return;
	}
	n->nr_symbols++;
	s.name = intern_text(&n->text, event_text(&e->head, 0));
	s.file = intern_text(&n->text, event_text(&e->head, 1));
	recorded_add(&o->recorded, &s);
	if (!o->offsets.count)
		return;
	/* what was answered so far may be wrong now */
	table_clear(&o->offsets);
	table_clear(&o->functions);
}

void namer_event(struct namer *n, const struct event *e)
{
	if (e->kind == EVENT_IMAGE)
		origin_add(n, (const struct event_image *)e, false);
	else if (e->kind == EVENT_SYMBOL)
		add_recorded(n, (const struct event_symbol *)e);
}

static uint32_t function_add(struct namer *n, struct origin *o, struct function f)
{
	uint32_t known = table_find(&o->functions, f.start);

	if (known != TABLE_NONE)
		return known;
	f.image = o->image;
	array_push(&n->functions, f);
	table_set(&o->functions, f.start, n->functions.count - 1);
	return n->functions.count - 1;
}

/* From the image's own names: index of the function, or UNKNOWN. */
static uint32_t function_ask(struct namer *n, struct origin *o, uint64_t offset)
{
	nsec left = n->line_spent < NAMER_LINE_BUDGET ? NAMER_LINE_BUDGET - n->line_spent : 0;
	nsec before = origin_line_spent(o);
	struct found f = { .name = n->scratch };
	bool known;

	if (left > NAMER_LINE_BUDGET_IMAGE)
		left = NAMER_LINE_BUDGET_IMAGE;
	known = origin_find(o, offset, left, &f);
	n->line_spent += origin_line_spent(o) - before;
	n->scratch = f.name;
	if (!known)
		return UNKNOWN;
	return function_add(n, o,
			    (struct function){
				    .start = f.start,
				    .length = f.length,
				    .name = intern_text(&n->text, text_string(&f.name)),
				    .file = intern_text(&n->text, f.file),
				    .line = f.line,
			    });
}

static uint32_t function_find(struct namer *n, struct origin *o, uint64_t offset)
{
	const struct recorded_symbol *r = recorded_find(&o->recorded, offset);

	if (!r)
		return function_ask(n, o, offset);
	return function_add(n, o,
			    (struct function){
				    .start = r->start,
				    .length = r->length,
				    .name = r->name,
				    .file = r->file,
				    .line = r->line,
				    .recorded = true,
			    });
}

static bool namer_find(void *context, uint32_t image, uint64_t offset, struct frame_name *ret)
{
	struct namer *n = context;
	struct origin *o = origin_of(n, image);
	const struct function *f;
	uint32_t at;

	if (!o)
		return false;
	at = table_find(&o->offsets, offset);
	if (at == TABLE_NONE) {
		at = function_find(n, o, offset);
		if (o->offsets.count >= OFFSETS_MAX)
			table_clear(&o->offsets);
		table_set(&o->offsets, offset, at);
	}
	if (at == UNKNOWN)
		return false;
	f = &n->functions.at[at];
	*ret = (struct frame_name){
		.function = intern_string(&n->text, f->name),
		.file = intern_string(&n->text, f->file),
		.line = f->line,
		.start = f->start,
		.length = f->length,
	};
	return true;
}

struct naming namer_naming(struct namer *n)
{
	return (struct naming){ namer_find, n };
}

const char *namer_problem(const struct namer *n, uint32_t image)
{
	const struct origin *o = origin_of(n, image);

	return o && o->problem ? o->problem : "";
}

void namer_each_new_symbol(struct namer *n, namer_symbol each, void *context)
{
	AUTO_FREE struct event_room *room = NEW(struct event_room);

	for (; n->told < n->functions.count; n->told++) {
		const struct function *f = &n->functions.at[n->told];
		struct event_symbol e = {
			.offset = f->start,
			.length = f->length,
			.image = f->image,
			.line = f->line,
		};
		const char *name = intern_string(&n->text, f->name);
		const char *file = intern_string(&n->text, f->file);

		if (!f->recorded)
			each(context, (const void *)event_make_symbol(room, &e, name, file));
	}
}

uint64_t namer_forgotten(const struct namer *n)
{
	return n->forgotten;
}
