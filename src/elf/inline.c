#include "elf/inline.h"

#include "base/intern.h"
#include "elf/inline_path.h"
#include "elf/inline_scope.h"
#include "elf/dwarf_rows.h"
#include "elf/segment.h"

#include <dwarf.h>
#include <errno.h>

/* An entry is named by another one, and so on: at most so often. */
#define HOPS_MAX 16
/* What is remembered of units, in rows, scopes and segments; beyond, all is
 * forgotten and read again. */
#define REMEMBERED_MAX (8u << 20)
#define CANDIDATES_MAX 8

/* What is known of one unit. */
struct known {
	const struct unit *unit;
	struct scopes scopes;
	struct rows rows, files; /* files: only the tables of files */
	struct paths paths;
	bool scopes_read, rows_read, files_read;
};

/* What an entry is called and where it is defined. */
struct called {
	text_id raw, name, file;
	uint32_t line;
};

struct inlines {
	const struct image *image;
	nsec budget, spent;
	bool opened;
	uint64_t lowest; /* address of code */
	struct units units;
	ARRAY(struct known) known;
	struct table of_unit; /* address of a unit: index of what is known */
	ARRAY(struct called) called;
	struct table of_die; /* an entry: index of what it is called */
	struct intern text;
	struct text scratch;
	uint64_t remembered;
};

struct inlines *inlines_new(const struct image *image)
{
	struct inlines *l = NEW(struct inlines);

	l->image = image;
	return l;
}

static void forget(struct inlines *l)
{
	for (uint32_t i = 0; i < l->known.count; i++) {
		struct known *k = &l->known.at[i];

		scopes_done(&k->scopes);
		rows_done(&k->rows);
		rows_done(&k->files);
		paths_done(&k->paths);
	}
	array_done(&l->known);
	table_clear(&l->of_unit);
	l->remembered = 0;
}

void inlines_free(struct inlines *l)
{
	if (!l)
		return;
	forget(l);
	units_done(&l->units);
	dwarf_file_close(l->units.file);
	table_done(&l->of_unit);
	table_done(&l->of_die);
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

static struct known *known_of(struct inlines *l, const struct unit *u)
{
	uint32_t at = table_find(&l->of_unit, (uintptr_t)u);

	if (at == TABLE_NONE) {
		at = l->known.count;
		((struct known *)array_add(&l->known))->unit = u;
		table_set(&l->of_unit, (uintptr_t)u, at);
	}
	return &l->known.at[at];
}

static int know_scopes(struct inlines *l, struct known *k)
{
	int r = k->scopes_read ? 0 : scopes_read(&k->scopes, k->unit, l->lowest);

	if (r || k->scopes_read)
		return r;
	k->scopes_read = true;
	l->remembered += k->scopes.list.count + k->scopes.segments.count;
	return 0;
}

static int know_rows(struct inlines *l, struct known *k)
{
	int r = k->rows_read ? 0 : rows_read(&k->rows, k->unit);

	if (r == -EAGAIN)
		rows_done(&k->rows);
	if (r == -EAGAIN || k->rows_read)
		return r;
	k->rows_read = true; /* or there are none */
	l->remembered += k->rows.rows.count;
	return 0;
}

/* The path of a file by its number in the unit's line table. */
static text_id file_of(struct inlines *l, const struct unit *u, uint64_t number)
{
	struct known *k = known_of(l, u);
	const struct rows *from = k->rows_read ? &k->rows : &k->files;

	if (!k->rows_read && !k->files_read)
		rows_read_files(&k->files, u);
	k->files_read = true;
	text_clear(&l->scratch);
	rows_path(from, u, number, &l->scratch);
	return intern_text(&l->text, text_string(&l->scratch));
}

/* In C everything is in one place. */
static bool has_paths(const struct unit *u)
{
	switch (u->language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		return false;
	}
	return true;
}

static int qualify(struct inlines *l, struct die_place place, text_id *name)
{
	struct known *k = known_of(l, place.unit);
	AUTO_TEXT struct text path = { 0 };
	int r;

	if (!has_paths(place.unit))
		return 0;
	r = paths_read(&k->paths, place.unit);
	if (r)
		return r;
	paths_add(&k->paths, place.unit, place.offset, &path);
	text_add(&path, intern_string(&l->text, *name));
	*name = intern_text(&l->text, text_string(&path));
	return 0;
}

/* Follows the entry to where its name and definition stand. */
static int call(struct inlines *l, struct die_place place, struct called *ret)
{
	struct die_place named = { 0 };
	struct die d;

	for (unsigned hop = 0; hop < HOPS_MAX && die_at(place, &d); hop++) {
		if (!ret->raw)
			ret->raw = intern_text(&l->text,
					       die_string(place.unit, &d, DIE_LINKAGE_NAME));
		if (!ret->name) {
			ret->name =
				intern_text(&l->text, die_string(place.unit, &d, DIE_NAME));
			named = place;
		} else if (die_has(&d, DIE_NAME)) {
			named = place; /* the declaration is inside its class */
		}
		if (!ret->line && die_has(&d, DIE_DECL_LINE)) {
			ret->line = die_number(&d, DIE_DECL_LINE);
			if (die_has(&d, DIE_DECL_FILE))
				ret->file = file_of(l, place.unit,
						    die_number(&d, DIE_DECL_FILE));
		}
		place = die_reference(place.unit, &d,
				      die_has(&d, DIE_ORIGIN) ? DIE_ORIGIN : DIE_SPECIFICATION);
	}
	return ret->name && !ret->raw ? qualify(l, named, &ret->name) : 0;
}

static int called_of(struct inlines *l, struct die_place place, struct called *ret)
{
	/* units of both files are in lists of 16-byte aligned elements at least */
	uint64_t key = hash_u64((uintptr_t)place.unit) ^ place.offset;
	uint32_t at = table_find(&l->of_die, key);
	struct called c = { 0 };
	int r;

	if (at != TABLE_NONE) {
		*ret = l->called.at[at];
		return 0;
	}
	r = call(l, place, &c);
	if (r || dwarf_is_late(l->units.file))
		return -EAGAIN;
	table_set(&l->of_die, key, l->called.count);
	array_push(&l->called, c);
	*ret = c;
	return 0;
}

static void put_name(struct inlines *l, const struct called *c, struct inline_level *to)
{
	to->raw = intern_string(&l->text, c->raw);
	to->name = c->raw ? "" : intern_string(&l->text, c->name);
	to->file = intern_string(&l->text, c->file);
	to->line = c->line;
}

static void put_place(struct inlines *l, const struct unit *u, uint64_t file, uint32_t line,
		      struct inline_level *to)
{
	*to = (struct inline_level){ "", "", "", 0, "", line };
	if (line)
		to->at_file = intern_string(&l->text, file_of(l, u, file));
}

/* The levels of an address whose innermost scope this is. */
static int levels(struct inlines *l, const struct unit *u, uint32_t scope, uint64_t address,
		  struct inline_level *ret, unsigned room)
{
	struct known *k = known_of(l, u);
	const struct row *row = rows_find(&k->rows, address);
	struct called c;
	unsigned count = 0;
	struct die d;

	put_place(l, u, row ? row->file : 0, row ? row->line : 0, &ret[0]);
	for (; scope != NO_SCOPE; scope = known_of(l, u)->scopes.list.at[scope].parent) {
		struct die_place at = { u, u->offset + known_of(l, u)->scopes.list.at[scope].die };

		if (!die_at(at, &d))
			break;
		if (called_of(l, at, &c))
			return -EAGAIN;
		put_name(l, &c, &ret[count]);
		if (d.abbrev->tag != DW_TAG_inlined_subroutine)
			return count + 1;
		/* what does not fit replaces the one before: the function is always there */
		count += count + 1 < room;
		put_place(l, u, die_number(&d, DIE_CALL_FILE), die_number(&d, DIE_CALL_LINE),
			  &ret[count]);
	}
	return count || row ? count + 1 : 0;
}

static int find(struct inlines *l, uint64_t address, struct inline_level *ret, unsigned room)
{
	uint32_t units[CANDIDATES_MAX], scope = NO_SCOPE;
	unsigned count = units_at(&l->units, address, units, CANDIDATES_MAX);
	const struct unit *u = NULL;

	for (unsigned i = 0; i < count && scope == NO_SCOPE; i++) {
		struct unit *candidate = &l->units.list.at[units[i]];

		if (!unit_open(candidate) || !candidate->has_code)
			continue;
		if (know_scopes(l, known_of(l, candidate)))
			return -EAGAIN;
		u = candidate;
		scope = scopes_at(&known_of(l, u)->scopes, address);
	}
	if (!u)
		return dwarf_is_late(l->units.file) ? -EAGAIN : 0;
	if (know_rows(l, known_of(l, u)))
		return -EAGAIN;
	return levels(l, u, scope, address, ret, room);
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

/* Opens what is needed; false: there is nothing to ask. */
static bool begin(struct inlines *l, nsec now)
{
	if (!l->opened) {
		l->opened = true;
		l->lowest = lowest_code(l->image);
		l->units.file = dwarf_file_open(l->image);
	}
	if (!l->units.file)
		return false;
	if (l->remembered > REMEMBERED_MAX)
		forget(l);
	dwarf_file_trim(l->units.file);
	dwarf_set_deadline(l->units.file, now + (l->budget - l->spent));
	return true;
}

int inlines_find(struct inlines *l, uint64_t offset, struct inline_level *ret, unsigned room)
{
	nsec now = clock_cpu();
	uint64_t address;
	int r = 0;

	if (l->opened && !l->units.file)
		return 0;
	if (l->spent >= l->budget)
		return -EAGAIN;
	if (begin(l, now) && image_to_address(l->image, offset, &address))
		r = units_map(&l->units) ? find(l, address, ret, room) : -EAGAIN;
	l->spent += clock_cpu() - now;
	return r;
}

int inlines_definition(struct inlines *l, uint64_t offset, const char **ret_file,
		       uint32_t *ret_line)
{
	struct inline_level levels[INLINE_LEVELS_MAX];
	int n = inlines_find(l, offset, levels, INLINE_LEVELS_MAX);

	if (n <= 0)
		return n;
	if (!levels[n - 1].line || !*levels[n - 1].file)
		return 0;
	*ret_file = levels[n - 1].file;
	*ret_line = levels[n - 1].line;
	return 1;
}
