#include "view/fold_name.h"

#include "wire/sample_cause.h"

#include <inttypes.h>
#include <stdio.h>

#define NO_IMAGE UINT32_MAX

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static enum image_kind image_kind(const struct fold *f, uint32_t id)
{
	const struct store_image *image = store_image(f->store, id);

	if (image)
		return image->kind;
	return id == IMAGE_KERNEL_ID ? IMAGE_KERNEL : IMAGE_FILE;
}

/* Index of an image among the picture's, added when it is new. */
static uint32_t fold_image(struct fold *f, uint32_t id)
{
	const struct store_image *image = store_image(f->store, id);
	uint32_t at = table_find(&f->images, id);
	struct picture_image *to;
	char hex[41] = "";

	if (at != TABLE_NONE || !id || id >= IMAGE_ID_END)
		return at == TABLE_NONE ? NO_IMAGE : at;
	at = f->picture->images.count;
	to = array_add(&f->picture->images);
	table_set(&f->images, id, at);
	to->kind = image_kind(f, id);
	if (!image) {
		to->path =
			intern_text(&f->picture->text,
				    to->kind == IMAGE_KERNEL ? "[kernel]" : "[unknown image]");
		return at;
	}
	for (unsigned i = 0; i < image->build_id_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", image->build_id[i]);
	to->build_id = intern_text(&f->picture->text, hex);
	to->path = intern_text(&f->picture->text, intern_string(&f->store->text, image->path));
	to->start = image->first.start;
	to->end = image->first.end;
	to->offset = image->first.offset;
	return at;
}

/* Where the frame was at run time, as the image's first mapping has it. */
static uint64_t run_address(const struct fold *f, const struct frame *frame, uint32_t image)
{
	const struct picture_image *at;

	if (image == NO_IMAGE)
		return frame->offset;
	at = &f->picture->images.at[image];
	if (at->kind == IMAGE_KERNEL || at->kind == IMAGE_JIT || !at->end)
		return frame->offset;
	return frame->offset - at->offset + at->start;
}

/* A return hook stands on the stack in place of the return address. */
static bool has_hooks(const struct store *st)
{
	for (uint32_t i = 0; i < st->probes.count; i++)
		if (st->probes.at[i].exit == EXIT_HOOK)
			return true;
	return false;
}

/* Frames that are no function of any file; false: it is one. */
static bool name_special(const struct fold *f, const struct frame *frame,
			 struct picture_frame *to)
{
	static const struct {
		uint32_t image;
		const char *name;
		enum frame_kind kind;
	} specials[] = {
		{ 0, "[unknown]", FRAME_UNKNOWN },
		{ IMAGE_ID_PROBE, "[sonde probe]", FRAME_PROBE },
		{ IMAGE_ID_TRUNCATED, "(truncated)", FRAME_OTHER },
	};

	if (frame->image == IMAGE_ID_WAIT) {
		to->name = intern_text(&f->picture->text,
				       cause_words[cause_known(wait_cause(frame))].frame);
		to->kind = FRAME_WAIT;
		return true;
	}
	for (unsigned i = 0; i < COUNT_OF(specials); i++) {
		if (specials[i].image != frame->image)
			continue;
		to->name = intern_text(&f->picture->text, specials[i].name);
		to->kind = specials[i].kind;
		return true;
	}
	if (image_kind(f, frame->image) != IMAGE_PROBES)
		return false;
	to->name = intern_text(&f->picture->text,
			       has_hooks(f->store) ? "[sonde probe]" : "[uprobes]");
	to->kind = FRAME_PROBE;
	return true;
}

static enum frame_kind kind_of(enum image_kind image)
{
	return image == IMAGE_KERNEL ? FRAME_KERNEL
	       : image == IMAGE_JIT  ? FRAME_JIT
				     : FRAME_USER;
}

static void name_frame(const struct fold *f, const struct frame *frame,
		       struct picture_frame *to)
{
	struct intern *text = &f->picture->text;
	struct frame_name name = { 0 };
	const char *image;
	AUTO_FREE char *made = NULL;

	to->address = frame->offset;
	if (name_special(f, frame, to))
		return;
	image = base_name(picture_text(f->picture, f->picture->images.at[to->image].path));
	if (image_kind(f, frame->image) == IMAGE_KERNEL)
		image = "[kernel]";
	to->image_name = intern_text(text, image);
	if (f->naming &&
	    f->naming->find(f->naming->context, frame->image, frame->offset, &name)) {
		const char *function = name.function ? name.function : "";

		if (frame->image == IMAGE_KERNEL_ID && naming_is_interrupt(function))
			function = FRAME_INTERRUPT;
		to->name = intern_text(text, function);
		to->file = intern_text(text, name.file ? name.file : "");
		to->line = name.line;
		to->address = name.start;
	}
	to->kind = kind_of(image_kind(f, frame->image));
	if (to->name)
		return;
	made = mem_format("%s+0x%" PRIx64, picture_text(f->picture, to->image_name),
			  frame->offset);
	to->name = intern_text(text, made);
	to->kind = FRAME_UNKNOWN;
}

uint32_t fold_named(struct fold *f, const struct picture_frame *named,
		    const struct frame *place)
{
	bool once = f->query->fold == FOLD_FUNCTION || named->kind == FRAME_WAIT;
	bool inlined = named->kind == FRAME_INLINED;
	uint64_t key = (uint64_t)inlined << 63 | (uint64_t)named->image << 32 | named->name;
	uint32_t at = once ? table_find(&f->functions, key) : TABLE_NONE;

	if (at != TABLE_NONE)
		return at;
	at = f->picture->frames.count;
	array_push(&f->picture->frames, *named);
	array_push(&f->places, *place);
	if (once)
		table_set(&f->functions, key, at);
	return at;
}

static void add_level(struct fold *f, struct picture_frame *named, const struct frame *place,
		      const struct frame_name *name)
{
	struct fold_level *to = array_add(&f->levels);
	struct intern *text = &f->picture->text;

	to->at_file = name && name->at_file ? intern_text(text, name->at_file) : 0;
	to->at_line = name ? name->at_line : 0;
	if (f->query->fold == FOLD_ADDRESS) {
		named->address = run_address(f, place, named->image);
		named->at_file = to->at_file;
		named->at_line = to->at_line;
	}
	to->frame = fold_named(f, named, place);
}

/* What is inlined at the frame, innermost first, and the function itself. */
static unsigned ask_levels(const struct fold *f, const struct frame *frame,
			   struct frame_name levels[NAMING_LEVELS])
{
	if (!f->naming || !f->naming->expand || frame->image >= IMAGE_ID_END)
		return 0;
	return f->naming->expand(f->naming->context, frame->image, frame->offset, levels,
				 NAMING_LEVELS);
}

static uint64_t print_name(uint64_t print, const struct frame_name *name)
{
	const char *texts[] = { name->function, name->file, name->at_file };
	const uint32_t lines[] = { name->line, name->at_line };

	for (unsigned i = 0; i < COUNT_OF(texts); i++)
		print = hash_bytes(texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) : 0,
				   print + 1);
	return hash_bytes(lines, sizeof(lines), print);
}

uint64_t fold_print(const struct fold *f, frame_id id)
{
	struct frame frame = frame_at(&f->store->frames, id);
	struct frame_name name = { 0 }, levels[NAMING_LEVELS];
	uint64_t print = store_image(f->store, frame.image) != NULL;
	unsigned count;

	print += 2 * has_hooks(f->store);
	if (f->naming && f->naming->find(f->naming->context, frame.image, frame.offset, &name))
		print = print_name(print, &name);
	count = ask_levels(f, &frame, levels);
	for (unsigned i = 0; i < count; i++)
		print = print_name(print, &levels[i]);
	return print;
}

/* Nothing more will be known of it. */
static bool is_final(const struct fold *f, const struct frame *frame,
		     const struct picture_frame *named, unsigned levels)
{
	if (!frame->image || frame->image == IMAGE_ID_PROBE ||
	    frame->image == IMAGE_ID_TRUNCATED)
		return true;
	if (named->kind == FRAME_KERNEL)
		return true;
	return named->kind == FRAME_USER && named->line && (levels || !f->naming->expand) &&
	       store_image(f->store, frame->image);
}

uint32_t fold_frame(struct fold *f, frame_id id)
{
	struct frame frame = frame_at(&f->store->frames, id);
	struct picture_frame named = { .image = fold_image(f, frame.image) };
	struct frame_name levels[NAMING_LEVELS];
	uint32_t first = f->levels.count;
	unsigned count;

	if (f->frames[id])
		return f->frames[id] - 1;
	name_frame(f, &frame, &named);
	count = ask_levels(f, &frame, levels);
	if (f->naming && !is_final(f, &frame, &named, count))
		array_push(&f->dull, ((struct fold_dull){ id, fold_print(f, id) }));
	add_level(f, &named, &frame, count ? &levels[count - 1] : NULL);
	for (unsigned i = count; i-- > 1;) {
		const struct frame_name *name = &levels[i - 1];
		struct picture_frame inlined = {
			.name = intern_text(&f->picture->text, name->function),
			.file = intern_text(&f->picture->text, name->file),
			.image_name = named.image_name,
			.image = named.image,
			.line = name->line,
			.address = named.address,
			.kind = FRAME_INLINED,
		};

		if (f->query->fold == FOLD_ADDRESS)
			inlined.outer = f->levels.at[f->levels.count - 1].frame;
		if (inlined.name)
			add_level(f, &inlined, &frame, name);
	}
	for (uint32_t i = first; i < f->levels.count; i++)
		f->levels.at[i].deeper = f->levels.count - 1 - i;
	f->frames[id] = first + 1;
	return first;
}
