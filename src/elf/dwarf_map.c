/*
 * Where each unit's code lies: .debug_aranges (DWARF 5 section 6.1.2), then
 * the first entries of the units that are not in it.
 */
#include "elf/dwarf_range.h"
#include "elf/dwarf_unit.h"

#define UNIT_RANGES_MAX (8u << 20)
#define UNITS_BETWEEN_CHECKS 16
/* Overlapping ranges are looked through this far back. */
#define RANGES_BACK 8

static void add_range(struct units *all, uint64_t low, uint64_t high, uint32_t unit)
{
	if (low > 1 && low < high && all->ranges.count < UNIT_RANGES_MAX)
		array_push(&all->ranges, ((struct unit_range){ low, high, unit }));
}

/* Index of the unit with this header, UINT32_MAX: none. */
static uint32_t unit_headed(const struct units *all, uint64_t offset)
{
	uint32_t low = 0, high = all->list.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (all->list.at[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < all->list.count && all->list.at[low].offset == offset ? low : UINT32_MAX;
}

/* One set: a header, padding to twice an address, pairs up to (0, 0). */
static void read_set(struct units *all, struct dwarf_cursor *c)
{
	const uint8_t *start = c->at;
	uint8_t offset_size, address, segment;
	uint64_t length = cursor_length(c, &offset_size), unit, begin;
	struct dwarf_cursor set = *c;
	uint32_t index;

	if (c->broken || !cursor_skip(c, length))
		return;
	set.end = set.at + length;
	cursor_number(&set, 2);
	unit = cursor_number(&set, offset_size);
	address = cursor_u8(&set);
	segment = cursor_u8(&set);
	index = unit_headed(all, unit);
	if (set.broken || address != 8 || segment || index == UINT32_MAX)
		return;
	begin = set.at - start;
	cursor_skip(&set, (16 - begin % 16) % 16);
	while (cursor_left(&set) >= 16) {
		uint64_t low = cursor_number(&set, 8), size = cursor_number(&set, 8);

		if (!low && !size)
			break;
		add_range(all, low, low + size, index);
		all->list.at[index].in_aranges = true;
	}
}

static bool read_aranges(struct units *all)
{
	struct dwarf_cursor c;

	if (!dwarf_part_at(all->file, DWARF_ARANGES, 0, UINT64_MAX, &c))
		return true;
	while (cursor_left(&c) && !c.broken) {
		read_set(all, &c);
		if (dwarf_is_late(all->file))
			return false;
	}
	return true;
}

static void read_unit(struct units *all, uint32_t index, struct ranges *room)
{
	struct unit *u = &all->list.at[index];
	struct die d;

	if (u->in_aranges || !u->has_code || !unit_open(u) || !u->has_code ||
	    !die_at((struct die_place){ u, u->first }, &d))
		return;
	array_clear(room);
	ranges_add(room, u, &d);
	for (uint32_t i = 0; i < room->count; i++)
		add_range(all, room->at[i].low, room->at[i].high, index);
}

static int compare(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

bool units_map(struct units *all)
{
	struct ranges room = { 0 };
	bool late;

	if (all->mapped)
		return true;
	array_clear(&all->ranges);
	late = !units_list(all) || !read_aranges(all);
	for (uint32_t i = 0; i < all->list.count && !late; i++) {
		read_unit(all, i, &room);
		late = i % UNITS_BETWEEN_CHECKS == 0 && dwarf_is_late(all->file);
	}
	array_done(&room);
	if (late)
		return false;
	if (all->ranges.count)
		qsort(all->ranges.at, all->ranges.count, sizeof(*all->ranges.at), compare);
	all->mapped = true;
	return true;
}

unsigned units_at(const struct units *all, uint64_t address, uint32_t *ret, unsigned room)
{
	uint32_t low = 0, high = all->ranges.count;
	unsigned count = 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (all->ranges.at[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t back = 0; low-- && back < RANGES_BACK && count < room; back++)
		if (address < all->ranges.at[low].high)
			ret[count++] = all->ranges.at[low].unit;
	return count;
}
