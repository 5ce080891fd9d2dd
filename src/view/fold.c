#include "view/fold.h"

#include <inttypes.h>
#include <stdio.h>

#define NO_IMAGE UINT32_MAX

void fold_init(struct fold *f, struct picture *p, const struct store *st,
	       const struct naming *naming, const struct query *q)
{
	struct picture_frame *all;

	*f = (struct fold){ .picture = p, .store = st, .naming = naming, .query = q };
	f->frames = mem_zeroed(st->frames.list.count, sizeof(*f->frames));
	f->nodes = mem_zeroed(st->tree.nodes.count, sizeof(*f->nodes));
	all = array_add(&p->frames);
	all->name = intern_text(&p->text, "all");
	all->kind = FRAME_OTHER;
	all->image = NO_IMAGE;
	(void)array_add(&f->places);
	(void)array_add(&p->nodes);
	f->nodes[0] = 1;
}

void fold_done(struct fold *f)
{
	free(f->frames);
	free(f->nodes);
	table_done(&f->functions);
	table_done(&f->children);
	table_done(&f->images);
	array_done(&f->places);
	array_done(&f->path);
	for (unsigned s = 0; s < NR_SIDE; s++) {
		profile_done(&f->self[s]);
		profile_done(&f->weight[s]);
	}
}

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

	for (unsigned i = 0; i < COUNT_OF(specials); i++) {
		if (specials[i].image != frame->image)
			continue;
		to->name = intern_text(&f->picture->text, specials[i].name);
		to->kind = specials[i].kind;
		return true;
	}
	if (image_kind(f, frame->image) != IMAGE_PROBES)
		return false;
	to->name = intern_text(&f->picture->text, "[uprobes]");
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
		to->name = intern_text(text, name.function ? name.function : "");
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

static uint32_t fold_frame(struct fold *f, frame_id id)
{
	struct frame frame = frame_at(&f->store->frames, id);
	struct picture_frame named = { .image = fold_image(f, frame.image) };
	uint64_t key;
	uint32_t at;

	if (f->frames[id])
		return f->frames[id] - 1;
	name_frame(f, &frame, &named);
	key = (uint64_t)named.image << 32 | named.name;
	at = f->query->fold == FOLD_FUNCTION ? table_find(&f->functions, key) : TABLE_NONE;
	if (f->query->fold == FOLD_ADDRESS)
		named.address = run_address(f, &frame, named.image);
	if (at == TABLE_NONE) {
		at = f->picture->frames.count;
		array_push(&f->picture->frames, named);
		array_push(&f->places, frame);
		table_set(&f->functions, key, at);
	}
	f->frames[id] = at + 1;
	return at;
}

static bool fold_leaves_out(const struct fold *f, frame_id id)
{
	uint32_t image = frame_at(&f->store->frames, id).image;

	if (image == IMAGE_ID_PROBE || image == IMAGE_ID_TRUNCATED)
		return false;
	return image == IMAGE_KERNEL_ID ? f->query->no_kernel : f->query->no_user;
}

static uint32_t fold_child(struct fold *f, uint32_t parent, frame_id frame)
{
	uint32_t named, at;
	uint64_t key;

	if (fold_leaves_out(f, frame))
		return parent;
	named = fold_frame(f, frame);
	key = (uint64_t)parent << 32 | named;
	at = table_find(&f->children, key);
	if (at == TABLE_NONE) {
		struct picture_node *node;

		at = f->picture->nodes.count;
		node = array_add(&f->picture->nodes);
		node->parent = parent;
		node->frame = named;
		table_set(&f->children, key, at);
	}
	return at;
}

uint32_t fold_node(struct fold *f, node_id node)
{
	const struct tree *tree = &f->store->tree;
	uint32_t at;

	array_clear(&f->path);
	for (; !f->nodes[node]; node = tree_parent(tree, node))
		array_push(&f->path, node);
	at = f->nodes[node] - 1;
	for (uint32_t i = f->path.count; i-- > 0;) {
		at = fold_child(f, at, tree_frame(tree, f->path.at[i]));
		f->nodes[f->path.at[i]] = at + 1;
	}
	return at;
}

void fold_put(struct fold *f, uint32_t node, enum side side, double samples, double weight)
{
	profile_put(&f->self[side], node, samples);
	profile_put(&f->weight[side], node, weight);
}

void fold_write(struct fold *f)
{
	struct picture *p = f->picture;
	uint64_t *whole = mem_zeroed(p->nodes.count, sizeof(*whole));

	for (unsigned s = 0; s < NR_SIDE; s++) {
		profile_round(&f->self[s], p->nodes.count, whole);
		for (uint32_t n = 0; n < p->nodes.count; n++) {
			p->nodes.at[n].self[s] = whole[n];
			p->sides[s].samples += whole[n];
		}
		profile_round(&f->weight[s], p->nodes.count, whole);
		for (uint32_t n = 0; n < p->nodes.count; n++) {
			p->nodes.at[n].self_nsec[s] = whole[n];
			p->sides[s].weight_nsec += whole[n];
		}
	}
	free(whole);
}

bool fold_is_probed(const struct fold *f, uint32_t frame, const struct store_probe *probe)
{
	const struct picture_frame *pf = &f->picture->frames.at[frame];
	const struct frame *place = &f->places.at[frame];
	const char *function = intern_string(&f->store->text, probe->function);
	struct frame_name name;

	if (pf->kind == FRAME_OTHER || pf->kind == FRAME_PROBE || !frame)
		return false;
	if (pf->kind == FRAME_UNKNOWN)
		return place->image == probe->image && place->offset >= probe->offset &&
		       place->offset - probe->offset < probe->length;
	if (place->image != probe->image && probe->sites <= 1)
		return false;
	if (strcmp(picture_text(f->picture, pf->name), function) == 0)
		return true;
	return place->image == probe->image && f->naming &&
	       f->naming->find(f->naming->context, probe->image, probe->offset, &name) &&
	       strcmp(picture_text(f->picture, pf->name), name.function ? name.function : "") ==
		       0;
}
