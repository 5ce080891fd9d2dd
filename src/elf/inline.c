#include "elf/inline.h"

#include "elf/dwarf_range.h"
#include "elf/inline_known.h"
#include "elf/segment.h"

#include <dwarf.h>
#include <errno.h>

/* Units that are asked about one address. */
#define CANDIDATES_MAX 8

struct inlines *inlines_new(const struct image *image)
{
	struct inlines *l = NEW(struct inlines);

	l->image = image;
	return l;
}

void inlines_free(struct inlines *l)
{
	if (!l)
		return;
	known_done(l);
	units_done(&l->units);
	dwarf_file_close(l->units.file);
	table_done(&l->of_unit);
	table_done(&l->of_die);
	table_done(&l->copies);
	array_done(&l->called);
	intern_done(&l->text);
	text_done(&l->scratch);
	free(l);
}

void inlines_set_budget(struct inlines *l, nsec budget)
{
	l->budget = budget;
}

nsec inlines_spent(const struct inlines *l)
{
	return l->spent;
}

static void put_name(struct inlines *l, const struct called *c, struct inline_level *to)
{
	to->raw = intern_string(&l->text, c->raw);
	to->name = c->raw ? "" : intern_string(&l->text, c->name);
	to->file = intern_string(&l->text, c->file);
	to->line = c->line;
}

/* NULL: the place is not known. */
static void put_place(struct inlines *l, const struct unit *u, const struct row *row,
		      struct inline_level *to)
{
	*to = (struct inline_level){ "", "", "", 0, "", row ? row->line : 0 };
	if (row)
		to->at_file = intern_string(&l->text, file_of(l, u, row->file));
}

/* The levels of an address whose innermost scope this is. */
static int levels(struct inlines *l, const struct unit *u, uint32_t scope, uint64_t address,
		  struct inline_level *ret, unsigned room)
{
	struct known *k = known_of(l, u);
	const struct row *row = line_rows_find(&k->rows, address);
	struct row called_from;
	struct called c;
	unsigned count = 0;
	struct die d;

	put_place(l, u, row, &ret[0]);
	for (; scope != NO_SCOPE; scope = known_of(l, u)->scopes.list.at[scope].parent) {
		struct die_place at = { u,
					u->offset + known_of(l, u)->scopes.list.at[scope].die };

		if (!die_at(at, &d))
			break;
		if (called_of(l, at, &c))
			return -EAGAIN;
		put_name(l, &c, &ret[count]);
		if (d.abbrev->tag != DW_TAG_inlined_subroutine)
			return count + 1;
		/* what does not fit replaces the one before: the function is always there */
		count += count + 1 < room;
		called_from = (struct row){ .file = die_number(&d, DIE_CALL_FILE),
					    .line = die_number(&d, DIE_CALL_LINE) };
		put_place(l, u, die_has(&d, DIE_CALL_LINE) ? &called_from : NULL, &ret[count]);
	}
	return count || row ? count + 1 : 0;
}

/* The unit of an address and its innermost scope.  *ret is NULL where no unit
 * has it; -EAGAIN: the time is up. */
static int locate(struct inlines *l, uint64_t address, const struct unit **ret,
		  uint32_t *ret_scope)
{
	uint32_t units[CANDIDATES_MAX], scope = NO_SCOPE;
	unsigned count;

	*ret = NULL;
	if (!units_map(&l->units))
		return -EAGAIN;
	count = units_at(&l->units, address, units, CANDIDATES_MAX);
	for (unsigned i = 0; i < count && scope == NO_SCOPE; i++) {
		struct unit *u = &l->units.list.at[units[i]];

		if (!unit_open(u) || !u->has_code)
			continue;
		if (know_scopes(l, known_of(l, u)))
			return -EAGAIN;
		*ret = u;
		scope = scopes_at(&known_of(l, u)->scopes, address);
	}
	*ret_scope = scope;
	return !*ret && dwarf_is_late(l->units.file) ? -EAGAIN : 0;
}

static int find(struct inlines *l, uint64_t address, struct inline_level *ret, unsigned room)
{
	const struct unit *u;
	uint32_t scope;
	int r = locate(l, address, &u, &scope);

	if (r || !u)
		return r;
	if (know_rows(l, known_of(l, u)) == -EAGAIN)
		return -EAGAIN;
	return levels(l, u, scope, address, ret, room);
}

/* Whether a part of the entry's code starts at the address: it may have several. */
static bool starts_at(const struct unit *u, const struct die *d, uint64_t address)
{
	struct ranges all = { 0 };
	bool found = false;

	ranges_add(&all, u, d);
	for (uint32_t i = 0; i < all.count; i++)
		found = found || all.at[i].low == address;
	array_done(&all);
	return found;
}

static int define(struct inlines *l, uint64_t address, const char **ret_file,
		  uint32_t *ret_line)
{
	const struct unit *u;
	struct die_place at;
	struct called c;
	uint32_t scope;
	struct die d;
	int r = locate(l, address, &u, &scope);

	if (r || !u)
		return r;
	for (; scope != NO_SCOPE; scope = known_of(l, u)->scopes.list.at[scope].parent) {
		at = (struct die_place){ u, u->offset +
						    known_of(l, u)->scopes.list.at[scope].die };
		if (!die_at(at, &d))
			return 0;
		if (d.abbrev->tag != DW_TAG_inlined_subroutine)
			break;
	}
	if (scope == NO_SCOPE || !starts_at(u, &d, address))
		return 0;
	if (called_of(l, at, &c))
		return -EAGAIN;
	if (!c.file || !c.line)
		return 0;
	*ret_file = intern_string(&l->text, c.file);
	*ret_line = c.line;
	return 1;
}

/* The lowest address of code: below it lies what the linker threw away. */
static uint64_t lowest_code(const struct image *image)
{
	const struct segments *s = image_segments(image);
	uint64_t lowest = UINT64_MAX;

	for (uint32_t i = 0; i < s->loads.count; i++)
		if (s->loads.at[i].code && s->loads.at[i].address < lowest)
			lowest = s->loads.at[i].address;
	return lowest;
}

int inlines_begin(struct inlines *l, nsec now)
{
	if (l->opened && !l->units.file)
		return 0;
	if (l->spent >= l->budget)
		return -EAGAIN;
	if (!l->opened) {
		l->opened = true;
		l->lowest = lowest_code(l->image);
		l->units.file = dwarf_file_open(l->image);
	}
	if (!l->units.file)
		return 0;
	known_trim(l);
	dwarf_file_trim(l->units.file);
	dwarf_set_deadline(l->units.file, now + (l->budget - l->spent));
	return 1;
}

int inlines_find(struct inlines *l, uint64_t offset, struct inline_level *ret, unsigned room)
{
	nsec now = clock_cpu();
	uint64_t address;
	int r = inlines_begin(l, now);

	if (r <= 0)
		return r;
	r = image_to_address(l->image, offset, &address) ? find(l, address, ret, room) : 0;
	l->spent += clock_cpu() - now;
	return r;
}

int inlines_definition(struct inlines *l, uint64_t offset, const char **ret_file,
		       uint32_t *ret_line)
{
	nsec now = clock_cpu();
	uint64_t address;
	int r = inlines_begin(l, now);

	if (r <= 0)
		return r;
	r = image_to_address(l->image, offset, &address)
		    ? define(l, address, ret_file, ret_line)
		    : 0;
	l->spent += clock_cpu() - now;
	return r;
}
