/*
 * Function starts from the unwind table.
 *
 * .eh_frame_hdr (Linux Standard Base, "Exception Frames") is a sorted array of
 * { start of the function, its entry in .eh_frame }, as 32-bit distances from
 * the section's own address.  An entry (FDE) is { length, distance to its CIE,
 * start, range, ... }; every compiler here writes start as a 32-bit distance
 * from the field itself, which is checked before range is believed.
 */
#include "elf/section.h"
#include "elf/segment.h"
#include "elf/symlist.h"

#include <string.h>

#define HEADER_SIZE 12
#define ENTRY_SIZE 8
#define VERSION 1
#define UDATA4 0x03	    /* DW_EH_PE_udata4 */
#define DATAREL_SDATA4 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */

struct fde_table {
	const struct image *image;
	uint8_t *bytes, *frames;
	const struct section *header, *frame;
	uint32_t count;
};

static uint32_t word_at(const uint8_t *bytes, uint64_t at)
{
	uint32_t v;

	memcpy(&v, bytes + at, sizeof(v));
	return v;
}

static bool table_open(struct fde_table *t, const struct image *image)
{
	uint64_t room;

	t->image = image;
	t->header = image_section(image, ".eh_frame_hdr");
	t->frame = image_section(image, ".eh_frame");
	t->bytes = section_copy(image, t->header);
	t->frames = section_copy(image, t->frame);
	if (!t->bytes || !t->frames || t->header->size < HEADER_SIZE)
		return false;
	if (t->bytes[0] != VERSION || t->bytes[2] != UDATA4 || t->bytes[3] != DATAREL_SDATA4)
		return false;
	room = (t->header->size - HEADER_SIZE) / ENTRY_SIZE;
	t->count = word_at(t->bytes, 8);
	t->count = t->count < room ? t->count : room;
	return true;
}

/* Bytes of the function at this address, 0 if its entry cannot be read. */
static uint64_t entry_range(const struct fde_table *t, uint64_t fde, uint64_t start)
{
	uint64_t at = fde - t->frame->address;

	if (fde < t->frame->address || at > t->frame->size || t->frame->size - at < 16)
		return 0;
	if (fde + 8 + (int32_t)word_at(t->frames, at + 8) != start)
		return 0;
	return word_at(t->frames, at + 12);
}

/* One function of the table: false if it is not in the code of the file. */
static bool table_at(const struct fde_table *t, uint32_t i, struct symbol *ret,
		     uint64_t *ret_address)
{
	uint64_t at = HEADER_SIZE + (uint64_t)i * ENTRY_SIZE, base = t->header->address, end;

	*ret_address = base + (int32_t)word_at(t->bytes, at);
	*ret = (struct symbol){ .kind = SYMBOL_UNNAMED };
	if (!image_to_offset(t->image, *ret_address, &ret->offset))
		return false;
	end = image_code_end(t->image, ret->offset);
	ret->size = entry_range(t, base + (int32_t)word_at(t->bytes, at + 4), *ret_address);
	if (end && ret->size > end - ret->offset)
		ret->size = end - ret->offset;
	return end;
}

static const char *name_of(struct symlist *l, uint64_t address)
{
	char name[24] = "fn_", digits[16];
	unsigned n = 0, length = 3;

	do
		digits[n++] = "0123456789abcdef"[address & 15];
	while (address >>= 4);
	while (n)
		name[length++] = digits[--n];
	return symlist_keep(l, name, length);
}

/* Where the walk through the named symbols is, beside the walk through the table. */
struct covered {
	uint32_t next;
	uint64_t end; /* of the functions so far */
	const struct symbol *exported;
};

/* Goes on to the symbols at or before f: is one of them f, or around it? */
static bool covered_until(struct covered *c, struct symlist *l, uint32_t named,
			  const struct symbol *f)
{
	bool is_named = false;

	for (; c->next < named && l->symbols.at[c->next].offset <= f->offset; c->next++) {
		struct symbol *s = &l->symbols.at[c->next];

		is_named |= s->offset == f->offset;
		if (s->offset == f->offset && !s->size)
			s->size = f->size;
		if (s->offset + s->size > c->end)
			c->end = s->offset + s->size;
		if (s->global && (s->kind == SYMBOL_FUNC || s->kind == SYMBOL_IFUNC) &&
		    (!c->exported || c->exported->offset != s->offset))
			c->exported = s;
	}
	return is_named || f->offset < c->end;
}

static void add_uncovered(struct symlist *l, const struct fde_table *table)
{
	uint32_t named = l->symbols.count;
	struct symlist found = { 0 };
	struct covered c = { 0 };
	uint64_t last = 0;

	for (uint32_t i = 0; i < table->count; i++) {
		uint64_t address;
		struct symbol f;

		/* a table that is not sorted is not used further than it is */
		if (!table_at(table, i, &f, &address) || f.offset < last)
			continue;
		last = f.offset;
		if (covered_until(&c, l, named, &f))
			continue;
		if (c.exported && f.offset - c.exported->offset <= SYMBOL_NEAR)
			f.near = c.exported->raw;
		f.raw = name_of(l, address);
		array_push(&found.symbols, f);
	}
	for (uint32_t i = 0; i < found.symbols.count; i++)
		symlist_add(l, found.symbols.at[i]);
	symlist_done(&found);
}

void symread_unwind(struct symlist *l, const struct image *image)
{
	struct fde_table table;

	if (table_open(&table, image))
		add_uncovered(l, &table);
	free(table.bytes);
	free(table.frames);
}
