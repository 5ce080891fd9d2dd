#include "elf/dwarf_range.h"

#include "elf/dwarf_unit.h"

#include <dwarf.h>

/* So many bytes of a list are read, then eight times as many, and so on. */
#define LIST_FIRST 512u
#define LIST_MOST (32u << 20)

static void add(struct ranges *to, uint64_t low, uint64_t high)
{
	/* 1 is what ld writes in .debug_ranges, -1 and -2 are DWARF 6's and lld's */
	if (low > 1 && low < high && low < UINT64_MAX - 1)
		array_push(to, ((struct range){ low, high }));
}

/* One entry of .debug_rnglists; false at the end of the list. */
static bool add_entry(struct ranges *to, const struct unit *u, struct dwarf_cursor *c,
		      uint64_t *base)
{
	uint64_t low = 0, high;

	switch (cursor_u8(c)) {
	case DW_RLE_base_addressx:
		return unit_address(u, cursor_uleb(c), base);
	case DW_RLE_base_address:
		*base = cursor_number(c, 8);
		return true;
	case DW_RLE_offset_pair:
		low = cursor_uleb(c);
		high = cursor_uleb(c);
		if (*base && !c->broken)
			add(to, *base + low, *base + high);
		return true;
	case DW_RLE_startx_endx:
		if (!unit_address(u, cursor_uleb(c), &low) ||
		    !unit_address(u, cursor_uleb(c), &high))
			return false;
		break;
	case DW_RLE_startx_length:
		if (!unit_address(u, cursor_uleb(c), &low))
			return false;
		high = low + cursor_uleb(c);
		break;
	case DW_RLE_start_end:
		low = cursor_number(c, 8);
		high = cursor_number(c, 8);
		break;
	case DW_RLE_start_length:
		low = cursor_number(c, 8);
		high = low + cursor_uleb(c);
		break;
	default: /* the end of the list, or nothing that is known */
		return false;
	}
	if (!c->broken)
		add(to, low, high);
	return true;
}

/* One entry of .debug_ranges. */
static bool add_pair(struct ranges *to, const struct unit *u, struct dwarf_cursor *c,
		     uint64_t *base)
{
	uint64_t low = cursor_number(c, 8), high = cursor_number(c, 8);

	if (c->broken || (!low && !high))
		return false;
	if (low == UINT64_MAX)
		*base = high;
	else if (low != 1 || high != 1 || *base)
		add(to, *base + low, *base + high);
	return true;
}

static void add_list(struct ranges *to, const struct unit *u, uint64_t offset)
{
	enum dwarf_part part = u->width.version >= 5 ? DWARF_RNGLISTS : DWARF_RANGES;
	uint32_t before = to->count;
	struct dwarf_cursor c = { .broken = true };

	for (uint64_t size = LIST_FIRST; c.broken && size <= LIST_MOST; size *= 8) {
		uint64_t base = u->has_low ? u->low : 0;

		to->count = before;
		if (!dwarf_part_at(u->all->file, part, offset, size, &c))
			return;
		while (to->count - before < RANGES_MAX &&
		       (part == DWARF_RNGLISTS ? add_entry(to, u, &c, &base)
					       : add_pair(to, u, &c, &base)) &&
		       !c.broken)
			;
		if (size >= dwarf_part_size(u->all->file, part))
			return;
	}
}

/* DW_FORM_rnglistx: the offsets follow the header, and count from there. */
static bool indexed_list(const struct unit *u, uint64_t index, uint64_t *ret)
{
	uint64_t base = u->ranges_base, at = base + index * u->width.offset;
	struct dwarf_cursor c;

	if (index > UINT32_MAX ||
	    !dwarf_part_at(u->all->file, DWARF_RNGLISTS, at, u->width.offset, &c))
		return false;
	*ret = base + cursor_number(&c, u->width.offset);
	return !c.broken;
}

void ranges_add(struct ranges *to, const struct unit *u, const struct die *d)
{
	const struct die_value *high = &d->at[DIE_HIGH], *list = &d->at[DIE_RANGES];
	uint64_t offset, low, end;

	if (die_has(d, DIE_RANGES)) {
		offset = list->number;
		if (list->form != DW_FORM_rnglistx || indexed_list(u, list->number, &offset))
			add_list(to, u, offset);
		return;
	}
	if (!die_has(d, DIE_HIGH) || !die_address(u, d, DIE_LOW, &low))
		return;
	if (!die_address(u, d, DIE_HIGH, &end))
		end = low + high->number;
	add(to, low, end);
}
