#include "view/fold.h"

#include "view/fold_name.h"

enum fold_probe { PROBE_NOT_ASKED, PROBE_NO, PROBE_YES };

#define LOOK_MOST 256 /* names at a time that could be better */

/* What is added is zero. */
static void *grow(void *at, uint32_t from, uint32_t to, size_t size)
{
	at = mem_resize(at, to, size);
	memset((char *)at + from * size, 0, (to - from) * size);
	return at;
}

static void fold_reach(struct fold *f)
{
	uint32_t frames = f->store->frames.list.count, nodes = f->store->tree.nodes.count;

	if (frames > f->frame_room) {
		frames += f->frame_room / 2;
		f->frames = grow(f->frames, f->frame_room, frames, sizeof(*f->frames));
		f->frame_room = frames;
	}
	if (nodes > f->node_room) {
		nodes += f->node_room / 2;
		f->nodes = grow(f->nodes, f->node_room, nodes, sizeof(*f->nodes));
		f->probes = grow(f->probes, f->node_room, nodes, sizeof(*f->probes));
		f->node_room = nodes;
	}
}

void fold_begin(struct fold *f, const struct naming *naming, const struct query *q)
{
	f->naming = naming;
	f->query = q;
	fold_reach(f);
	f->nodes[0] = 1;
}

void fold_init(struct fold *f, struct picture *p, const struct store *st)
{
	struct picture_frame *all;

	*f = (struct fold){ .picture = p, .store = st };
	all = array_add(&p->frames);
	all->name = intern_text(&p->text, "all");
	all->kind = FRAME_OTHER;
	all->image = UINT32_MAX;
	(void)array_add(&f->places);
	(void)array_add(&p->nodes);
	(void)array_add(&f->depths);
}

void fold_done(struct fold *f)
{
	free(f->frames);
	free(f->nodes);
	free(f->probes);
	table_done(&f->functions);
	table_done(&f->children);
	table_done(&f->images);
	table_done(&f->owners);
	table_done(&f->holders);
	table_done(&f->wakers);
	table_done(&f->held);
	array_done(&f->places);
	array_done(&f->levels);
	array_done(&f->dull);
	array_done(&f->depths);
	array_done(&f->path);
	for (unsigned s = 0; s < NR_SIDE; s++) {
		profile_done(&f->self[s]);
		profile_done(&f->weight[s]);
	}
}

bool fold_sharpened(struct fold *f)
{
	for (uint32_t i = 0; i < LOOK_MOST && i < f->dull.count; i++) {
		const struct fold_dull *dull = &f->dull.at[f->looked++ % f->dull.count];

		if (fold_print(f, dull->frame) != dull->print)
			return true;
	}
	return false;
}

static bool fold_leaves_out(const struct fold *f, frame_id id)
{
	uint32_t image = frame_at(&f->store->frames, id).image;

	if (image == IMAGE_ID_PROBE || image == IMAGE_ID_TRUNCATED || image == IMAGE_ID_WAIT)
		return false;
	return image == IMAGE_KERNEL_ID ? f->query->no_kernel : f->query->no_user;
}

/* The kernel's entry from a breakpoint, a single step, a hooked return, a site without
 * a trap; these are names of Linux since 6.11 (before, a return was a breakpoint), of
 * arch/x86/include/asm/idtentry.h and arch/x86/kernel/uprobes.c.  The latter have two each. */
static bool is_trap(const struct fold *f, const struct frame *frame)
{
	static const char *const traps[] = { "asm_exc_int3",	    "asm_exc_debug",
					     "__x64_sys_uretprobe", "__x64_sys_uprobe",
					     "__do_sys_uretprobe",  "__do_sys_uprobe" };
	struct frame_name name;

	if (frame->image != IMAGE_KERNEL_ID || !f->naming ||
	    !f->naming->find(f->naming->context, frame->image, frame->offset, &name))
		return false;
	for (unsigned i = 0; i < COUNT_OF(traps); i++)
		if (strcmp(name.function, traps[i]) == 0)
			return true;
	return false;
}

static bool is_image_of_probes(const struct store *st, uint32_t image)
{
	const struct store_image *i = store_image(st, image);

	return i && i->kind == IMAGE_PROBES;
}

bool fold_is_in_probe(struct fold *f, node_id node)
{
	const struct tree *tree = &f->store->tree;
	struct frame leaf;
	bool probe;

	if (!f->store->probes.count || !node)
		return false;
	leaf = frame_at(&f->store->frames, tree_frame(tree, node));
	if (is_image_of_probes(f->store, leaf.image))
		return true; /* further out it may be the hook of another tool */
	array_clear(&f->path);
	for (; node && !f->probes[node]; node = tree_parent(tree, node))
		array_push(&f->path, node);
	probe = node && f->probes[node] == PROBE_YES;
	for (uint32_t i = f->path.count; i-- > 0;) {
		struct frame frame;

		node = f->path.at[i];
		frame = frame_at(&f->store->frames, tree_frame(tree, node));
		probe = probe || frame.image == IMAGE_ID_PROBE || is_trap(f, &frame);
		f->probes[node] = probe ? PROBE_YES : PROBE_NO;
	}
	return probe;
}

static void add_depth(struct fold *f, uint32_t parent, uint32_t frame)
{
	enum frame_kind kind = f->picture->frames.at[frame].kind;
	struct fold_depth depth = f->depths.at[parent];

	depth.frames += kind != FRAME_OTHER;
	depth.unknown += kind == FRAME_UNKNOWN;
	array_push(&f->depths, depth);
}

uint32_t fold_child(struct fold *f, uint32_t parent, uint32_t frame,
		    const struct fold_level *site)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	uint32_t at = table_find(&f->children, key);
	struct picture_node *node;

	if (at == TABLE_NONE) {
		at = f->picture->nodes.count;
		picture_add_node(f->picture, parent, frame);
		add_depth(f, parent, frame);
		table_set(&f->children, key, at);
	}
	node = &f->picture->nodes.at[at];
	if (!site || !site->at_line)
		return at;
	if (!node->site_line) {
		node->site_file = site->at_file;
		node->site_line = site->at_line;
	} else if (node->site_line != site->at_line || node->site_file != site->at_file) {
		node->more_sites = true;
	}
	return at;
}

/* Where in the kernel a thread waits is left out, if what for is known, and who. */
static bool is_told_by_wait(const struct fold *f, uint32_t parent, frame_id frame)
{
	const struct picture_node *node = &f->picture->nodes.at[parent];

	return f->picture->frames.at[node->frame].kind == FRAME_WAIT && node->parent &&
	       wait_cause(&f->places.at[node->frame]) != CAUSE_WAIT &&
	       frame_at(&f->store->frames, frame).image == IMAGE_KERNEL_ID;
}

/* The innermost function at the physical frame of a caller; UINT32_MAX: not known. */
static uint32_t site_level(struct fold *f, frame_id caller)
{
	uint32_t level;

	if (!caller || fold_leaves_out(f, caller))
		return UINT32_MAX;
	level = fold_frame(f, caller);
	return level + f->levels.at[level].deeper;
}

static const struct fold_level *site_at(const struct fold *f, uint32_t level)
{
	return level == UINT32_MAX ? NULL : &f->levels.at[level];
}

/* The function of an entry, without what is inlined there. */
static uint32_t fold_entry(struct fold *f, uint32_t parent, frame_id entry, frame_id caller)
{
	uint32_t level = fold_frame(f, entry), above = site_level(f, caller);

	return fold_child(f, parent, f->levels.at[level].frame, site_at(f, above));
}

/* A physical frame below the picture's node `parent`; caller is the physical
 * frame that called it. */
static uint32_t fold_physical(struct fold *f, uint32_t parent, frame_id frame, frame_id caller)
{
	uint32_t level, above, count, at = parent, waits[2], owner;

	count = fold_wait(f, parent, frame, waits, &owner);
	for (uint32_t i = 0; i < count; i++)
		at = fold_child(f, at, waits[i], NULL);
	if (count > 1)
		table_set(&f->owners, (uint64_t)at << 32 | owner, 1);
	if (count)
		return at;
	level = fold_frame(f, frame);
	if (fold_leaves_out(f, frame) || is_told_by_wait(f, parent, frame))
		return parent;
	above = site_level(f, caller);
	count = f->levels.at[level].deeper + 1;
	for (uint32_t i = 0; i < count; i++) {
		at = fold_child(f, at, f->levels.at[level + i].frame, site_at(f, above));
		above = level + i;
	}
	return at;
}

/* The entry of the call that a frame stands for; false: it stands for none. */
static bool is_call(const struct fold *f, frame_id id, frame_id *ret_entry)
{
	const struct frame frame = frame_at(&f->store->frames, id);

	*ret_entry = frame.offset;
	return frame.image == IMAGE_ID_CALL;
}

/* Both without a name: are they of one probed function? */
static bool is_one_probed(const struct fold *f, const struct frame *entry,
			  const struct frame *other)
{
	for (uint32_t i = 0; i < f->store->probes.count; i++) {
		const struct store_probe *p = &f->store->probes.at[i];

		if (p->image == entry->image && entry->offset - p->offset < p->length)
			return other->image == p->image &&
			       other->offset - p->offset < p->length;
	}
	return true; /* it is not known */
}

static bool is_of_function(struct fold *f, frame_id entry, frame_id other)
{
	uint32_t entry_level = fold_frame(f, entry), other_level = fold_frame(f, other),
		 entry_frame = f->levels.at[entry_level].frame,
		 other_frame = f->levels.at[other_level].frame;
	const struct picture_frame *a = &f->picture->frames.at[entry_frame],
				   *b = &f->picture->frames.at[other_frame];

	if (a->kind == FRAME_UNKNOWN && b->kind == FRAME_UNKNOWN)
		return is_one_probed(f, &f->places.at[entry_frame], &f->places.at[other_frame]);
	return a->name == b->name && a->image == b->image;
}

/* Calls that return where one frame does. */
#define CALLS_MOST 8

/* What comes between a frame and the node that it lies below, if that stands for calls: the
 * functions that went on in others by a jump, which have no frame.  *caller: the physical frame
 * that called them, from then on the one that the frame is called from. */
static uint32_t fold_calls(struct fold *f, uint32_t at, node_id up, frame_id frame,
			   frame_id *caller)
{
	frame_id entries[CALLS_MOST], entry;
	unsigned count = 0;

	for (; up && is_call(f, tree_frame(&f->store->tree, up), &entry);
	     up = tree_parent(&f->store->tree, up))
		if (count < CALLS_MOST)
			entries[count++] = entry;
	*caller = up ? tree_frame(&f->store->tree, up) : 0;
	if (fold_leaves_out(f, frame))
		return at;
	for (unsigned i = count; i-- > 0;) {
		if (i || !is_of_function(f, entries[0], frame)) {
			at = fold_entry(f, at, entries[i], *caller);
			*caller = 0; /* from where it jumps is not known */
		}
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
		node_id up = node;
		frame_id frame, caller;

		node = f->path.at[i];
		frame = tree_frame(tree, node);
		if (!is_call(f, frame, &caller)) {
			at = fold_calls(f, at, up, frame, &caller);
			at = fold_physical(f, at, frame, caller);
		}
		f->nodes[node] = at + 1;
	}
	return at;
}

void fold_put(struct fold *f, uint32_t node, enum side side, double samples, double weight)
{
	profile_put(&f->self[side], node, samples);
	profile_put(&f->weight[side], node, weight);
}

/* What one side has, on its way into the picture. */
struct column {
	enum side side;
	const struct profile *self, *weight;
	struct rounding samples, nsec;
};

static unsigned find_columns(const struct fold *f, struct column columns[NR_SIDE])
{
	unsigned count = 0;

	for (unsigned s = 0; s < NR_SIDE; s++) {
		if (f->self[s].weights.count) /* else nothing was ever put there */
			columns[count++] =
				(struct column){ s, &f->self[s], &f->weight[s], { 0 }, { 0 } };
	}
	return count;
}

/* Takes back from the last nodes what negative weights before them left over. */
static void write_back(struct picture *p, struct column *c)
{
	for (uint32_t n = p->nodes.count; n-- > 0;) {
		struct picture_node *node = &p->nodes.at[n];

		node->self[c->side] -= rounding_back(&c->samples, node->self[c->side]);
		node->self_nsec[c->side] -= rounding_back(&c->nsec, node->self_nsec[c->side]);
		if (c->samples.given - c->samples.exact <= 0.5 &&
		    c->nsec.given - c->nsec.exact <= 0.5)
			return;
	}
}

void fold_write(struct fold *f, double net)
{
	struct picture *p = f->picture;
	struct column columns[NR_SIDE];
	unsigned count = find_columns(f, columns);

	for (uint32_t n = 0; n < p->nodes.count; n++) {
		struct picture_node *node = &p->nodes.at[n];
		uint64_t all = 0;

		node->place = PLACE_OUTER;
		for (unsigned i = 0; i < count; i++) {
			struct column *c = &columns[i];

			node->self[c->side] =
				rounding_next(&c->samples, profile_at(c->self, n));
			node->self_nsec[c->side] =
				rounding_next(&c->nsec, net * profile_at(c->weight, n));
			all += node->self[c->side];
		}
		p->losses.frames += all * f->depths.at[n].frames;
		p->losses.frames_unresolved += all * f->depths.at[n].unknown;
	}
	for (unsigned i = 0; i < count; i++) {
		struct picture_side *side = &p->sides[columns[i].side];

		write_back(p, &columns[i]);
		side->samples = whole_number(columns[i].samples.given);
		side->weight_nsec = whole_number(columns[i].nsec.given);
	}
}

void fold_clear(struct fold *f)
{
	for (unsigned s = 0; s < NR_SIDE; s++) {
		profile_scale(&f->self[s], 0);
		profile_scale(&f->weight[s], 0);
	}
}

bool fold_is_probed(const struct fold *f, uint32_t frame, const struct store_probe *probe)
{
	const struct picture_frame *pf = &f->picture->frames.at[frame];
	const struct frame *place = &f->places.at[frame];
	const char *function = intern_string(&f->store->text, probe->function);
	struct frame_name name;

	if (pf->kind == FRAME_OTHER || pf->kind == FRAME_PROBE || pf->kind == FRAME_INLINED ||
	    pf->kind == FRAME_HOLDER || !frame)
		return false; /* of an inlined copy no call is seen */
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
