#include "name/namer.h"

#include "base/array.h"
#include "base/intern.h"
#include "base/table.h"
#include "elf/demangle.h"
#include "name/kernel.h"
#include "name/native.h"
#include "name/recorded.h"
#include "wire/codec.h"

#include <errno.h>

/* Offsets remembered an image; then all are forgotten and found again. */
#define OFFSETS_MAX (1u << 20)
/* In image.offsets: asked for, and not known. */
#define UNKNOWN (TABLE_NONE - 1)

struct image_names {
	uint32_t id;
	enum image_kind kind;
	bool live;  /* of a target on this machine */
	bool tried; /* its own names were loaded, or cannot be */
	text_id path;
	struct build_id build_id;
	struct native *native;
	struct recorded recorded;
	struct table offsets;   /* offset asked for: index into functions, or UNKNOWN */
	struct table functions; /* start: index into functions */
	char *problem;
};

struct function {
	uint64_t start, length;
	uint32_t image; /* its id */
	text_id name, file;
	uint32_t line;
	bool recorded;
};

struct namer {
	struct intern text;
	ARRAY(struct image_names) images;
	struct table ids; /* image id: index into images */
	ARRAY(struct function) functions;
	uint32_t told; /* functions before this one were told */
	struct kernel *kernel;
	struct text scratch;
	uint32_t nr_symbols;
	uint64_t forgotten;
	nsec line_spent;
};

struct namer *namer_new(void)
{
	return NEW(struct namer);
}

static void image_names_done(struct image_names *i)
{
	native_close(i->native);
	recorded_done(&i->recorded);
	table_done(&i->offsets);
	table_done(&i->functions);
	free(i->problem);
}

void namer_free(struct namer *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < n->images.count; i++)
		image_names_done(&n->images.at[i]);
	array_done(&n->images);
	array_done(&n->functions);
	table_done(&n->ids);
	intern_done(&n->text);
	kernel_free(n->kernel);
	text_done(&n->scratch);
	free(n);
}

static struct image_names *image_find(const struct namer *n, uint32_t id)
{
	uint32_t i = table_find(&n->ids, id);

	return i == TABLE_NONE ? NULL : &n->images.at[i];
}

static struct image_names *image_add(struct namer *n, const struct event_image *e, bool live)
{
	struct image_names *i;

	if (image_find(n, e->image))
		return NULL;
	if (n->images.count >= NAMER_MAX_IMAGES) {
		n->forgotten++;
		return NULL;
	}
	i = array_add(&n->images);
	table_set(&n->ids, e->image, n->images.count - 1);
	i->id = e->image;
	i->kind = e->kind;
	i->live = live;
	i->path = intern_text(&n->text, event_text(&e->head, 0));
	if (e->build_id_size <= sizeof(i->build_id.bytes))
		i->build_id.size = e->build_id_size;
	memcpy(i->build_id.bytes, e->build_id, i->build_id.size);
	return i;
}

static int image_problem(struct image_names *i, int r, const struct error *err)
{
	i->tried = true;
	free(i->problem);
	i->problem = mem_text(err->text);
	return r;
}

int namer_image(struct namer *n, const struct event_image *image, const char *open_path,
		struct error *err)
{
	struct image_names *i = image_add(n, image, true);
	struct error own;
	int r;

	if (!i || i->kind != IMAGE_FILE || !open_path)
		return 0;
	r = native_open(open_path, intern_string(&n->text, i->path), &i->build_id, &i->native,
			&own);
	if (!r)
		return 0;
	if (err)
		*err = own;
	return image_problem(i, r, &own);
}

static void add_recorded(struct namer *n, const struct event_symbol *e)
{
	struct image_names *i = image_find(n, e->image);

	if (!i || n->nr_symbols >= NAMER_MAX_SYMBOLS) {
		n->forgotten++;
		return;
	}
	n->nr_symbols++;
	recorded_add(&i->recorded, &(struct recorded_symbol){
					   .start = e->offset,
					   .length = e->length,
					   .name = intern_text(&n->text, event_text(&e->head, 0)),
					   .file = intern_text(&n->text, event_text(&e->head, 1)),
					   .line = e->line,
				   });
	if (!i->offsets.count)
		return;
	/* what was answered so far may be wrong now */
	table_clear(&i->offsets);
	table_clear(&i->functions);
}

void namer_event(struct namer *n, const struct event *e)
{
	if (e->kind == EVENT_IMAGE)
		image_add(n, (const struct event_image *)e, false);
	else if (e->kind == EVENT_SYMBOL)
		add_recorded(n, (const struct event_symbol *)e);
}

/* The image's own names, for the first time. */
static void image_load(struct namer *n, struct image_names *i)
{
	const char *path = intern_string(&n->text, i->path);
	struct error err = { "" };
	int r = 0;

	i->tried = true;
	if (i->native)
		return;
	if (i->kind == IMAGE_KERNEL && i->live && !n->kernel)
		r = kernel_load(KERNEL_SYMBOLS, &n->kernel, &err);
	else if (i->kind == IMAGE_KERNEL && !i->live)
		r = error_set(&err, ENOENT, "the recording names no more of its kernel");
	else if (i->kind == IMAGE_VDSO && (i->live || i->build_id.size))
		r = native_open_vdso(&i->build_id, &i->native, &err);
	else if (i->kind == IMAGE_FILE && !i->live && i->build_id.size)
		r = native_open(path, path, &i->build_id, &i->native, &err);
	else if (i->kind == IMAGE_FILE && !i->live)
		r = error_set(&err, ENOENT,
			      "'%s' had no build-id, so no file here can be told to be it", path);
	if (r)
		image_problem(i, r, &err);
}

static bool find_native(struct namer *n, struct image_names *i, uint64_t offset,
			struct found *ret)
{
	nsec left = n->line_spent < NAMER_LINE_BUDGET ? NAMER_LINE_BUDGET - n->line_spent : 0;
	nsec before = native_line_spent(i->native);
	bool known;

	if (left > NAMER_LINE_BUDGET_IMAGE)
		left = NAMER_LINE_BUDGET_IMAGE;
	known = native_find(i->native, offset, left, ret);
	n->line_spent += native_line_spent(i->native) - before;
	return known;
}

static bool find_kernel(struct namer *n, uint64_t address, struct found *ret)
{
	const char *module, *raw = kernel_find(n->kernel, address, &ret->start, &ret->length,
					       &module);

	if (!raw)
		return false;
	text_clear(&ret->name);
	demangle(raw, DEMANGLE_NAME, &ret->name);
	if (*module)
		text_format(&ret->name, " [%s]", module);
	ret->file = "";
	ret->line = 0;
	return true;
}

static uint32_t function_add(struct namer *n, struct image_names *i, struct function f)
{
	uint32_t known = table_find(&i->functions, f.start);

	if (known != TABLE_NONE)
		return known;
	f.image = i->id;
	array_push(&n->functions, f);
	table_set(&i->functions, f.start, n->functions.count - 1);
	return n->functions.count - 1;
}

/* Index of the function, UNKNOWN if there is none. */
static uint32_t function_find(struct namer *n, struct image_names *i, uint64_t offset)
{
	const struct recorded_symbol *r = recorded_find(&i->recorded, offset);
	struct found f = { .name = n->scratch };
	bool known = false;

	if (r)
		return function_add(n, i, (struct function){ .start = r->start,
							     .length = r->length,
							     .name = r->name,
							     .file = r->file,
							     .line = r->line,
							     .recorded = true });
	if (!i->tried)
		image_load(n, i);
	if (i->native)
		known = find_native(n, i, offset, &f);
	else if (i->kind == IMAGE_KERNEL && i->live && n->kernel)
		known = find_kernel(n, offset, &f);
	n->scratch = f.name;
	if (!known)
		return UNKNOWN;
	return function_add(n, i, (struct function){
					  .start = f.start,
					  .length = f.length,
					  .name = intern_text(&n->text, text_string(&f.name)),
					  .file = intern_text(&n->text, f.file),
					  .line = f.line,
				  });
}

static bool namer_find(void *context, uint32_t image, uint64_t offset, struct frame_name *ret)
{
	struct namer *n = context;
	struct image_names *i = image_find(n, image);
	const struct function *f;
	uint32_t at;

	if (!i)
		return false;
	at = table_find(&i->offsets, offset);
	if (at == TABLE_NONE) {
		at = function_find(n, i, offset);
		if (i->offsets.count >= OFFSETS_MAX)
			table_clear(&i->offsets);
		table_set(&i->offsets, offset, at);
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
	const struct image_names *i = image_find(n, image);

	return i && i->problem ? i->problem : "";
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

		if (!f->recorded)
			each(context,
			     (const struct event_symbol *)event_make_symbol(
				     room, &e, intern_string(&n->text, f->name),
				     intern_string(&n->text, f->file)));
	}
}

uint64_t namer_forgotten(const struct namer *n)
{
	return n->forgotten;
}
