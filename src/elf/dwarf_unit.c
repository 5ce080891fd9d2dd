#include "elf/dwarf_unit.h"

#include <dwarf.h>

#define HEADER_MOST 48
#define UNITS_BETWEEN_CHECKS 64

void units_done(struct units *all)
{
	if (all->alt)
		units_done(all->alt);
	free(all->alt);
	array_done(&all->list);
	array_done(&all->ranges);
	abbrevs_done(&all->abbrevs);
}

/* What stands between a version 5 header's fields and the first entry. */
static uint64_t header_tail(uint8_t type, uint8_t offset)
{
	switch (type) {
	case DW_UT_type:
	case DW_UT_split_type:
		return 8 + offset; /* signature, type */
	case DW_UT_skeleton:
	case DW_UT_split_compile:
		return 8; /* unit id */
	}
	return 0;
}

/* *ret_end is where the next one is; false: this one cannot be used. */
static bool read_header(struct units *all, uint64_t offset, struct unit *u, uint64_t *ret_end)
{
	uint64_t size = dwarf_part_size(all->file, DWARF_INFO), length;
	uint8_t type = DW_UT_compile, address = 0;
	struct dwarf_cursor c;
	const uint8_t *start;

	*ret_end = size;
	if (!dwarf_part_at(all->file, DWARF_INFO, offset, HEADER_MOST, &c))
		return false;
	start = c.at;
	*u = (struct unit){ .all = all, .offset = offset };
	length = cursor_length(&c, &u->width.offset);
	u->first = offset + (c.at - start);
	if (c.broken || length > size - u->first || !length)
		return false;
	*ret_end = u->end = u->first + length;
	u->width.version = cursor_number(&c, 2);
	if (u->width.version >= 5) {
		type = cursor_u8(&c);
		address = cursor_u8(&c);
	}
	u->abbrev_offset = cursor_number(&c, u->width.offset);
	if (u->width.version < 5)
		address = cursor_u8(&c);
	cursor_skip(&c, u->width.version >= 5 ? header_tail(type, u->width.offset) : 0);
	u->first = offset + (c.at - start);
	u->has_code = type == DW_UT_compile || type == DW_UT_partial;
	return !c.broken && u->width.version >= 2 && u->width.version <= 5 && address == 8 &&
	       u->first < u->end;
}

bool units_list(struct units *all)
{
	uint64_t size = dwarf_part_size(all->file, DWARF_INFO), next;
	struct unit u;

	if (all->listed)
		return true;
	array_clear(&all->list);
	for (uint64_t at = 0; at < size && all->list.count < UNITS_MAX; at = next) {
		if (read_header(all, at, &u, &next))
			array_push(&all->list, u);
		if (all->list.count % UNITS_BETWEEN_CHECKS == 0 && dwarf_is_late(all->file))
			return false;
	}
	all->listed = !dwarf_is_late(all->file);
	return all->listed;
}

static struct unit *unit_around(struct units *all, uint64_t offset)
{
	uint32_t low = 0, high = all->list.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (all->list.at[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && offset < all->list.at[low - 1].end ? &all->list.at[low - 1] : NULL;
}

struct units *units_alt(struct units *all)
{
	struct dwarf_file *file = dwarf_file_alt(all->file);

	if (!all->alt && file) {
		all->alt = NEW(struct units);
		all->alt->file = file;
	}
	return all->alt;
}

struct die_place units_place(struct units *all, uint64_t offset)
{
	struct unit *u = all && units_list(all) ? unit_around(all, offset) : NULL;

	if (!u || !unit_open(u))
		return (struct die_place){ 0 };
	return (struct die_place){ u, offset };
}

bool unit_cursor(const struct unit *u, uint64_t offset, uint64_t size, struct dwarf_cursor *ret)
{
	if (offset < u->first || offset >= u->end)
		return false;
	return dwarf_part_at(u->all->file, DWARF_INFO, offset,
			     size < u->end - offset ? size : u->end - offset, ret);
}

uint64_t unit_offset_of(const struct unit *u, const struct dwarf_cursor *c)
{
	return dwarf_offset_of(u->all->file, DWARF_INFO, c->at);
}

bool unit_address(const struct unit *u, uint64_t index, uint64_t *ret)
{
	struct dwarf_cursor c;

	if (index > UINT32_MAX ||
	    !dwarf_part_at(u->all->file, DWARF_ADDR, u->addr_base + index * 8, 8, &c))
		return false;
	*ret = cursor_number(&c, 8);
	return !c.broken;
}

bool unit_open(struct unit *u)
{
	struct die_place root = { u, u->first };
	struct die d;

	if (u->opened)
		return !u->broken;
	u->abbrevs = abbrevs_find(&u->all->abbrevs, u->all->file, u->abbrev_offset, u->width);
	u->opened = true;
	u->broken = !die_at(root, &d);
	if (u->broken) {
		/* for want of time it may only seem so */
		u->opened = !dwarf_is_late(u->all->file);
		return false;
	}
	u->language = die_number(&d, DIE_LANGUAGE);
	u->has_line_table = die_has(&d, DIE_LINE_TABLE);
	u->line_table = die_number(&d, DIE_LINE_TABLE);
	u->str_base = die_number(&d, DIE_STR_BASE);
	u->addr_base = die_number(&d, DIE_ADDR_BASE);
	u->ranges_base = die_number(&d, DIE_RANGES_BASE);
	u->has_code = u->has_code && !die_has(&d, DIE_SPLIT);
	u->has_low = die_address(u, &d, DIE_LOW, &u->low);
	return true;
}

const char *unit_folder(const struct unit *u)
{
	struct die d;

	return die_at((struct die_place){ u, u->first }, &d) ? die_string(u, &d, DIE_FOLDER)
							     : "";
}
