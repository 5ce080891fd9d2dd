#include "serve/drawing.h"

#include <string.h>

/* A client is told to forget when it knows so many times more nodes than it draws. */
#define STALE_TIMES 4
#define STALE_NODES 4096

void drawing_done(struct drawing *d)
{
	intern_done(&d->text);
	table_done(&d->frame_ids);
	table_done(&d->node_ids);
	array_done(&d->frames);
	array_done(&d->nodes);
	array_done(&d->frame_numbers);
	array_done(&d->node_numbers);
}

static void forget(struct drawing *d)
{
	uint32_t seq = d->seq, epoch = d->epoch;

	drawing_done(d);
	*d = (struct drawing){ .seq = seq, .epoch = epoch + 1 };
}

static void add_u32(struct text *to, uint32_t v)
{
	uint8_t bytes[4] = { v, v >> 8, v >> 16, v >> 24 };

	text_add_part(to, (const char *)bytes, 4);
}

static void add_f32(struct text *to, float f)
{
	uint32_t v;

	memcpy(&v, &f, 4);
	add_u32(to, v);
}

static void set_u32(struct text *to, size_t at, uint32_t v)
{
	uint8_t bytes[4] = { v, v >> 8, v >> 16, v >> 24 };

	memcpy(to->bytes + at, bytes, 4);
}

/* Returns where it begins, for section_end(). */
static size_t section_begin(struct text *to, enum drawing_section kind, uint32_t count,
			    uint32_t base)
{
	add_u32(to, kind);
	add_u32(to, count);
	add_u32(to, base);
	add_u32(to, 0);
	return to->size;
}

static void section_end(struct text *to, size_t begin, char padding)
{
	while ((to->size - begin) % 4)
		text_add_part(to, &padding, 1);
	set_u32(to, begin - 4, to->size - begin);
}

/* One member of each row of an array, from row `base` on. */
#define ADD_COLUMN(to, rows, base, member)                          \
	do {                                                        \
		for (uint32_t i_ = (base); i_ < (rows).count; i_++) \
			add_u32(to, (rows).at[i_].member);          \
	} while (0)

static uint32_t frame_number(struct drawing *d, const struct picture *p, uint32_t frame)
{
	const struct picture_frame *f = &p->frames.at[frame];
	const struct drawn_frame drawn = {
		.name = intern_text(&d->text, picture_text(p, f->name)),
		.file = intern_text(&d->text, picture_text(p, f->file)),
		.image = intern_text(&d->text, picture_text(p, f->image_name)),
		.line = f->line,
		.kind = f->kind,
	};
	uint64_t hash = hash_bytes(&drawn, sizeof(drawn), 0);
	uint32_t number = table_find(&d->frame_ids, hash);

	if (number != TABLE_NONE)
		return number;
	number = d->frames.count;
	array_push(&d->frames, drawn);
	table_set(&d->frame_ids, hash, number);
	return number;
}

static uint32_t node_number(struct drawing *d, uint32_t parent, uint32_t frame, bool root)
{
	uint64_t key = root ? UINT64_MAX : (uint64_t)parent << 32 | frame;
	uint32_t number = table_find(&d->node_ids, key);

	if (number != TABLE_NONE)
		return number;
	number = d->nodes.count;
	array_push(&d->nodes, ((struct drawn_node){ .parent = parent, .frame = frame }));
	table_set(&d->node_ids, key, number);
	return number;
}

/* The numbers of all nodes of a picture; what is new to the client is added.  False: it is the
 * picture of before, perhaps with more nodes. */
static bool number_nodes(struct drawing *d, const struct picture *p)
{
	bool other = !p->lineage || p->lineage != d->lineage;

	d->lineage = p->lineage;
	if (other) {
		array_clear(&d->frame_numbers);
		array_clear(&d->node_numbers);
	}
	for (uint32_t i = d->frame_numbers.count; i < p->frames.count; i++) {
		uint32_t number = frame_number(d, p, i);

		array_push(&d->frame_numbers, number);
	}
	for (uint32_t i = d->node_numbers.count; i < p->nodes.count; i++) {
		const struct picture_node *n = &p->nodes.at[i];
		uint32_t count = d->nodes.count;
		uint32_t number = node_number(d, i ? d->node_numbers.at[n->parent] : 0,
					      d->frame_numbers.at[n->frame], i == 0);

		array_push(&d->node_numbers, number);
		if (d->nodes.count > count)
			d->nodes.at[number].line = n->more_sites ? 0 : n->site_line;
		d->nodes.at[number].seen = d->seq;
	}
	return other;
}

static void write_strings(const struct drawing *d, uint32_t base, struct text *to)
{
	size_t at = section_begin(to, DRAW_STRINGS, d->text.strings.count - base, base);

	for (uint32_t i = base; i < d->text.strings.count; i++)
		add_u32(to, strlen(d->text.strings.at[i]));
	for (uint32_t i = base; i < d->text.strings.count; i++)
		text_add(to, d->text.strings.at[i]);
	section_end(to, at, 0);
}

static void write_frames(const struct drawing *d, uint32_t base, struct text *to)
{
	size_t at = section_begin(to, DRAW_FRAMES, d->frames.count - base, base);

	ADD_COLUMN(to, d->frames, base, name);
	ADD_COLUMN(to, d->frames, base, file);
	ADD_COLUMN(to, d->frames, base, image);
	ADD_COLUMN(to, d->frames, base, line);
	ADD_COLUMN(to, d->frames, base, kind);
	section_end(to, at, 0);
}

static void write_nodes(const struct drawing *d, uint32_t base, struct text *to)
{
	size_t at = section_begin(to, DRAW_NODES, d->nodes.count - base, base);

	ADD_COLUMN(to, d->nodes, base, parent);
	ADD_COLUMN(to, d->nodes, base, frame);
	ADD_COLUMN(to, d->nodes, base, line);
	section_end(to, at, 0);
}

struct change {
	uint32_t node;
	float nsec, samples;
};

struct changes {
	ARRAY(struct change) list;
};

/* As a page has it, which needs no more. */
static float brief(uint64_t v)
{
	return v >> 63 ? (float)v : (float)(int64_t)v;
}

/* Nodes whose weight on a side is another one now. */
static void find_changes(const struct drawing *d, const struct picture *p, unsigned side,
			 bool other, struct changes *ret)
{
	for (uint32_t i = 0; i < p->nodes.count; i++) {
		const struct picture_node *n = &p->nodes.at[i];
		const struct drawn_node *drawn = &d->nodes.at[d->node_numbers.at[i]];
		struct change c = { d->node_numbers.at[i], brief(n->self_nsec[side]),
				    brief(n->self[side]) };

		if (drawn->nsec[side] != c.nsec || drawn->samples[side] != c.samples)
			array_push(&ret->list, c);
	}
	for (uint32_t i = 0; other && i < d->nodes.count; i++) {
		const struct drawn_node *n = &d->nodes.at[i];

		if (n->seen != d->seq && (n->nsec[side] != 0 || n->samples[side] != 0))
			array_push(&ret->list, ((struct change){ i, 0, 0 }));
	}
}

static void write_side(struct drawing *d, const struct picture *p, unsigned side, bool other,
		       struct text *to)
{
	bool weighs = p->sides[side].samples || p->sides[side].weight_nsec;
	struct changes changes = { { 0 } };
	size_t at;

	if (weighs || d->weighs[side])
		find_changes(d, p, side, other, &changes);
	d->weighs[side] = weighs;
	at = section_begin(to, DRAW_SELF, changes.list.count, side);
	for (uint32_t i = 0; i < changes.list.count; i++)
		add_u32(to, changes.list.at[i].node);
	for (uint32_t i = 0; i < changes.list.count; i++)
		add_f32(to, d->nodes.at[changes.list.at[i].node].nsec[side] =
				    changes.list.at[i].nsec);
	for (uint32_t i = 0; i < changes.list.count; i++)
		add_f32(to, d->nodes.at[changes.list.at[i].node].samples[side] =
				    changes.list.at[i].samples);
	section_end(to, at, 0);
	array_done(&changes.list);
}

void drawing_write(struct drawing *d, const struct picture *p, const char *scene,
		   struct text *to)
{
	uint32_t strings, frames, nodes;
	bool other;
	size_t at;

	if (d->nodes.count > STALE_NODES && d->nodes.count / STALE_TIMES > p->nodes.count)
		forget(d);
	d->seq++;
	strings = d->text.strings.count;
	frames = d->frames.count;
	nodes = d->nodes.count;
	other = number_nodes(d, p);
	text_add(to, "snd1");
	add_u32(to, d->seq);
	add_u32(to, d->epoch);
	add_u32(to, 4 + NR_SIDE);
	at = section_begin(to, DRAW_SCENE, strlen(scene), 0);
	text_add(to, scene);
	section_end(to, at, ' ');
	write_strings(d, strings, to);
	write_frames(d, frames, to);
	write_nodes(d, nodes, to);
	for (unsigned side = 0; side < NR_SIDE; side++)
		write_side(d, p, side, other, to);
}
