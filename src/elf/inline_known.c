#include "elf/inline_known.h"

#include <dwarf.h>
#include <errno.h>

/* An entry is named by another one, and so on: at most so often. */
#define HOPS_MAX 16
/* What is remembered of units, in rows, scopes and segments; beyond, all is
 * forgotten and read again. */
#define REMEMBERED_MAX (8u << 20)

void known_done(struct inlines *l)
{
	for (uint32_t i = 0; i < l->known.count; i++) {
		struct known *k = &l->known.at[i];

		scopes_done(&k->scopes);
		line_rows_done(&k->rows);
		line_rows_done(&k->files);
		paths_done(&k->paths);
	}
	array_done(&l->known);
	table_clear(&l->of_unit);
	l->remembered = 0;
}

void known_trim(struct inlines *l)
{
	if (l->remembered > REMEMBERED_MAX)
		known_done(l);
}

struct known *known_of(struct inlines *l, const struct unit *u)
{
	uint32_t at = table_find(&l->of_unit, (uintptr_t)u);

	if (at == TABLE_NONE) {
		at = l->known.count;
		((struct known *)array_add(&l->known))->unit = u;
		table_set(&l->of_unit, (uintptr_t)u, at);
	}
	return &l->known.at[at];
}

int know_scopes(struct inlines *l, struct known *k)
{
	int r = k->scopes_read ? 0 : scopes_read(&k->scopes, k->unit, l->lowest);

	if (r || k->scopes_read)
		return r;
	k->scopes_read = true;
	l->remembered += k->scopes.list.count + k->scopes.segments.count;
	return 0;
}

int know_rows(struct inlines *l, struct known *k)
{
	int r = k->rows_read ? 0 : line_rows_read(&k->rows, k->unit);

	if (r == -EAGAIN)
		line_rows_done(&k->rows);
	if (r == -EAGAIN || k->rows_read)
		return r;
	k->rows_read = true; /* or there are none */
	l->remembered += k->rows.rows.count;
	return 0;
}

int know_files(struct inlines *l, struct known *k)
{
	if (!k->files_read)
		k->has_files = !line_rows_read_files(&k->files, k->unit);
	k->files_read = true;
	return k->has_files ? 0 : -EINVAL;
}

text_id file_of(struct inlines *l, const struct unit *u, uint64_t number)
{
	struct known *k = known_of(l, u);
	const struct line_rows *from = k->rows_read ? &k->rows : &k->files;

	if (!k->rows_read)
		know_files(l, k);
	text_clear(&l->scratch);
	line_rows_path(from, u, number, &l->scratch);
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
			ret->name = intern_text(&l->text, die_string(place.unit, &d, DIE_NAME));
			named = place;
		} else if (die_has(&d, DIE_NAME)) {
			named = place; /* the declaration is inside its class */
		}
		if (!ret->line && die_has(&d, DIE_DECL_LINE)) {
			ret->line = die_number(&d, DIE_DECL_LINE);
			if (die_has(&d, DIE_DECL_FILE))
				ret->file =
					file_of(l, place.unit, die_number(&d, DIE_DECL_FILE));
		}
		place = die_reference(place.unit, &d,
				      die_has(&d, DIE_ORIGIN) ? DIE_ORIGIN : DIE_SPECIFICATION);
	}
	return ret->name && !ret->raw ? qualify(l, named, &ret->name) : 0;
}

int called_of(struct inlines *l, struct die_place place, struct called *ret)
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
