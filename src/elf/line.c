#include "elf/line.h"

#include "base/array.h"
#include "elf/dwarf.h"

#include <dwarf.h>
#include <string.h>

#define UNITS_MAX (1u << 20)
#define NESTING_MAX 16
/* Overlapping units are looked through this far back. */
#define UNITS_BACK 8
#define DIES_BETWEEN_CHECKS 512

struct unit {
	uint64_t low, high;
	Dwarf_Off die;
	bool read;
	uint32_t first, count; /* its functions, once read */
};

struct function {
	uint64_t start;
	Dwarf_Off die;
};

struct lines {
	const struct image *image;
	nsec budget, spent, began;
	bool opened;
	struct dwarf *file; /* NULL: there is none */
	Dwarf *dwarf;
	ARRAY(struct unit) units;	  /* by low */
	ARRAY(struct function) functions; /* of the units read; each unit's by start */
};

struct lines *lines_new(const struct image *image, nsec budget)
{
	struct lines *l = NEW(struct lines);

	l->image = image;
	l->budget = budget;
	return l;
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	dwarf_close(l->file);
	array_done(&l->units);
	array_done(&l->functions);
	free(l);
}

nsec lines_spent(const struct lines *l)
{
	return l->spent;
}

static bool out_of_time(const struct lines *l)
{
	return l->spent + (clock_cpu() - l->began) > l->budget;
}

static int compare_units(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static void add_unit(struct lines *l, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	/* a skeleton's functions are in a file of its choice */
	if (dwarf_tag(die) != DW_TAG_compile_unit || dwarf_is_skeleton(die))
		return;
	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0 &&
	       l->units.count < UNITS_MAX)
		if (low < high)
			array_push(&l->units, ((struct unit){ .low = low,
							      .high = high,
							      .die = dwarf_dieoffset(die) }));
}

static void read_units(struct lines *l)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die die;

	for (uint32_t n = 0; l->units.count < UNITS_MAX; n++, at = next) {
		if (dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL) || next <= at)
			break;
		if (dwarf_offdie(l->dwarf, at + header, &die))
			add_unit(l, &die);
		if (n % 16 == 0 && out_of_time(l))
			break;
	}
	if (l->units.count)
		qsort(l->units.at, l->units.count, sizeof(struct unit), compare_units);
}

static void open_lines(struct lines *l)
{
	l->opened = true;
	l->file = dwarf_open(l->image);
	if (!l->file)
		return;
	l->dwarf = dwarf_handle(l->file);
	read_units(l);
}

static void add_function(struct lines *l, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
		return;
	/* the cold part of a function has a start of its own */
	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		array_push(&l->functions, ((struct function){ low, dwarf_dieoffset(die) }));
}

static bool has_functions_inside(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type;
}

/* False: the time is up.  A sibling must lie behind, or a trap leads in circles. */
static bool read_functions(struct lines *l, Dwarf_Die *parent, unsigned nesting)
{
	Dwarf_Off last = dwarf_dieoffset(parent);
	unsigned seen = 0;
	Dwarf_Die die;

	for (int r = dwarf_child(parent, &die); !r && dwarf_dieoffset(&die) > last;
	     r = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);

		last = dwarf_dieoffset(&die);
		if (++seen % DIES_BETWEEN_CHECKS == 0 && out_of_time(l))
			return false;
		if (tag == DW_TAG_subprogram)
			add_function(l, &die);
		else if (has_functions_inside(tag) && nesting < NESTING_MAX &&
			 !read_functions(l, &die, nesting + 1))
			return false;
	}
	return true;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* A unit may have several ranges; its functions are read once. */
static void read_unit(struct lines *l, Dwarf_Off offset)
{
	uint32_t first = l->functions.count;
	Dwarf_Die die;

	if (dwarf_offdie(l->dwarf, offset, &die))
		read_functions(l, &die, 0);
	if (l->functions.count > first)
		qsort(l->functions.at + first, l->functions.count - first,
		      sizeof(struct function), compare_functions);
	for (uint32_t i = 0; i < l->units.count; i++) {
		struct unit *u = &l->units.at[i];

		if (u->die != offset)
			continue;
		u->read = true;
		u->first = first;
		u->count = l->functions.count - first;
	}
}

/* How many elements of an array sorted by its first member are at or before a value. */
static uint32_t count_until(const void *at, uint32_t count, size_t size, uint64_t value)
{
	uint32_t low = 0;

	while (low < count) {
		uint32_t middle = low + (count - low) / 2;
		uint64_t start;

		memcpy(&start, (const char *)at + middle * size, sizeof(start));
		if (start <= value)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

static const struct function *unit_find(struct lines *l, uint32_t unit, uint64_t address)
{
	const struct function *functions;
	const struct unit *u;
	uint32_t i;

	if (!l->units.at[unit].read)
		read_unit(l, l->units.at[unit].die);
	u = &l->units.at[unit];
	if (!u->count)
		return NULL;
	functions = l->functions.at + u->first;
	i = count_until(functions, u->count, sizeof(*functions), address);
	return i && functions[i - 1].start == address ? &functions[i - 1] : NULL;
}

static const struct function *function_at(struct lines *l, uint64_t address)
{
	uint32_t i = count_until(l->units.at, l->units.count, sizeof(struct unit), address);
	const struct function *f = NULL;

	for (uint32_t back = 0; !f && i-- && back < UNITS_BACK; back++)
		if (address < l->units.at[i].high)
			f = unit_find(l, i, address);
	return f;
}

static bool definition(struct lines *l, uint64_t address, const char **ret_file,
		       uint32_t *ret_line)
{
	const struct function *f = function_at(l, address);
	const char *file;
	Dwarf_Die die;
	int line;

	if (!f || !dwarf_offdie(l->dwarf, f->die, &die))
		return false;
	file = dwarf_decl_file(&die);
	if (!file || dwarf_decl_line(&die, &line) || line <= 0)
		return false;
	*ret_file = file;
	*ret_line = line;
	return true;
}

bool lines_find(struct lines *l, uint64_t offset, const char **ret_file, uint32_t *ret_line)
{
	bool found = false;
	uint64_t address;

	if (l->spent > l->budget || !image_to_address(l->image, offset, &address))
		return false;
	l->began = clock_cpu();
	if (!l->opened)
		open_lines(l);
	if (l->units.count)
		found = definition(l, address, ret_file, ret_line);
	l->spent += clock_cpu() - l->began;
	return found;
}
