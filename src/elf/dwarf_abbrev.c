#include "elf/dwarf_abbrev.h"

#include "elf/dwarf_die.h"

#include <dwarf.h>

#define ABBREVS_MAX (1u << 20)	   /* of one table */
#define ATTRIBUTES_MAX (16u << 20) /* of all */
#define ATTRIBUTES_EACH 1024
#define TABLE_FIRST (16u << 10) /* bytes that are read of a table, then ten times as many */
#define FORM_MAX 0x2c

/* DWARF 5 section 7.5.6; those that vary are left out.  OFFSET stands for the
 * size of one. */
enum { OFFSET = 100, NONE };
static const uint8_t sizes[FORM_MAX + 1] = {
	[DW_FORM_addr] = 8,
	[DW_FORM_data1] = 1,
	[DW_FORM_ref1] = 1,
	[DW_FORM_flag] = 1,
	[DW_FORM_strx1] = 1,
	[DW_FORM_addrx1] = 1,
	[DW_FORM_data2] = 2,
	[DW_FORM_ref2] = 2,
	[DW_FORM_strx2] = 2,
	[DW_FORM_addrx2] = 2,
	[DW_FORM_strx3] = 3,
	[DW_FORM_addrx3] = 3,
	[DW_FORM_data4] = 4,
	[DW_FORM_ref4] = 4,
	[DW_FORM_strx4] = 4,
	[DW_FORM_addrx4] = 4,
	[DW_FORM_ref_sup4] = 4,
	[DW_FORM_data8] = 8,
	[DW_FORM_ref8] = 8,
	[DW_FORM_ref_sig8] = 8,
	[DW_FORM_ref_sup8] = 8,
	[DW_FORM_data16] = 16,
	[DW_FORM_strp] = OFFSET,
	[DW_FORM_line_strp] = OFFSET,
	[DW_FORM_strp_sup] = OFFSET,
	[DW_FORM_sec_offset] = OFFSET,
	[DW_FORM_flag_present] = NONE,
	[DW_FORM_implicit_const] = NONE,
};

uint16_t form_size(uint64_t form, struct dwarf_width width)
{
	if (form == DW_FORM_ref_addr)
		return width.version <= 2 ? 8 : width.offset;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		return width.offset;
	if (form > FORM_MAX || !sizes[form])
		return SIZE_VARIES;
	return sizes[form] == OFFSET ? width.offset : sizes[form] == NONE ? 0 : sizes[form];
}

static void table_free(struct abbrev_table *t)
{
	array_done(&t->abbrevs);
	array_done(&t->attributes);
	table_done(&t->codes);
	free(t);
}

void abbrevs_done(struct abbrevs *all)
{
	for (uint32_t i = 0; i < all->tables.count; i++)
		if (all->tables.at[i])
			table_free(all->tables.at[i]);
	array_done(&all->tables);
	table_done(&all->at);
}

/* False at the end of the list. */
static bool read_attribute(struct abbrev_table *t, struct abbrev *a, struct dwarf_cursor *c,
			   struct dwarf_width width)
{
	struct abbrev_attribute to = { 0 };
	uint64_t name = cursor_uleb(c), form = cursor_uleb(c);

	if (form == DW_FORM_implicit_const)
		to.value = cursor_sleb(c);
	if ((!name && !form) || c->broken)
		return false;
	if (name > UINT16_MAX || form > UINT16_MAX || a->count >= ATTRIBUTES_EACH)
		return cursor_break(c);
	to.name = name;
	to.form = form;
	to.size = form_size(form, width);
	to.slot = die_slot_of(name);
	if (to.size == SIZE_VARIES || a->size == SIZE_VARIES)
		a->size = SIZE_VARIES;
	else
		a->size += to.size;
	array_push(&t->attributes, to);
	a->count++;
	return true;
}

static void add_abbrev(struct abbrev_table *t, uint64_t code, struct abbrev a)
{
	bool dense = code == t->abbrevs.count + 1 && !t->codes.count;

	if (!dense && !t->codes.count)
		for (uint32_t i = 0; i < t->abbrevs.count; i++)
			table_set(&t->codes, i + 1, i);
	if (!dense)
		table_set(&t->codes, code, t->abbrevs.count);
	array_push(&t->abbrevs, a);
}

/* False: it is broken, or goes on behind the cursor's end. */
static bool read_table(struct abbrev_table *t, struct dwarf_cursor *c, struct dwarf_width width)
{
	uint64_t code;

	array_clear(&t->abbrevs);
	array_clear(&t->attributes);
	table_clear(&t->codes);
	while ((code = cursor_uleb(c))) {
		struct abbrev a = { .tag = cursor_uleb(c) };

		a.children = cursor_u8(c);
		a.first = t->attributes.count;
		while (read_attribute(t, &a, c, width))
			;
		if (c->broken || t->abbrevs.count >= ABBREVS_MAX)
			return false;
		add_abbrev(t, code, a);
	}
	return !c->broken;
}

static struct abbrev_table *load(struct abbrevs *all, struct dwarf_file *f, uint64_t offset,
				 struct dwarf_width width)
{
	struct abbrev_table *t = NEW(struct abbrev_table);
	uint64_t size = dwarf_part_size(f, DWARF_ABBREV);
	struct dwarf_cursor c;

	for (uint64_t part = TABLE_FIRST; dwarf_part_at(f, DWARF_ABBREV, offset, part, &c);
	     part *= 10) {
		if (read_table(t, &c, width)) {
			all->attributes += t->attributes.count;
			return t;
		}
		if (offset + part >= size || dwarf_is_late(f))
			break;
	}
	table_free(t);
	return NULL;
}

const struct abbrev_table *abbrevs_find(struct abbrevs *all, struct dwarf_file *f,
					uint64_t offset, struct dwarf_width width)
{
	uint64_t key = offset << 4 | (width.offset == 8) << 1 | (width.version <= 2);
	uint32_t i = table_find(&all->at, key);

	if (i != TABLE_NONE)
		return all->tables.at[i];
	if (all->attributes >= ATTRIBUTES_MAX || offset >> 60)
		return NULL;
	array_push(&all->tables, load(all, f, offset, width));
	i = all->tables.count - 1;
	table_set(&all->at, key, i);
	return all->tables.at[i];
}
