#include "elf/inline_list.h"

#include "elf/inline_known.h"

#include <dwarf.h>
#include <errno.h>

/* Marks the scopes that have code, or something in them has. */
static bool *scopes_with_code(const struct scopes *s)
{
	bool *has = mem_zeroed(s->list.count + 1, sizeof(*has));

	for (uint32_t i = 0; i < s->segments.count; i++) {
		uint32_t at = s->segments.at[i].scope;

		for (; at != NO_SCOPE && !has[at]; at = s->list.at[at].parent)
			has[at] = true;
	}
	return has;
}

/* One more copy of what an inlined call calls. */
static int count_copy(struct inlines *l, const struct unit *u, uint32_t scope)
{
	struct die_place place = { u, u->offset + known_of(l, u)->scopes.list.at[scope].die };
	struct called c;
	struct die d;
	uint32_t before;
	text_id id;

	if (!die_at(place, &d) || d.abbrev->tag != DW_TAG_inlined_subroutine)
		return 0;
	/* all copies in a unit have one origin: it is named once */
	if (called_of(l, die_reference(u, &d, DIE_ORIGIN), &c))
		return -EAGAIN;
	id = c.raw ? c.raw : c.name;
	before = table_find(&l->copies, id);
	table_set(&l->copies, id, before == TABLE_NONE ? 1 : before + 1);
	return 0;
}

static int count_unit(struct inlines *l, struct unit *u)
{
	AUTO_FREE bool *has = NULL;
	uint32_t count;
	int r = 0;

	if (!u->has_code || !unit_open(u) || !u->has_code)
		return 0;
	if (know_scopes(l, known_of(l, u)))
		return -EAGAIN;
	has = scopes_with_code(&known_of(l, u)->scopes);
	count = known_of(l, u)->scopes.list.count;
	for (uint32_t i = 0; i < count && !r; i++)
		r = has[i] ? count_copy(l, u, i) : 0;
	return r;
}

static int count_copies(struct inlines *l)
{
	int r = units_list(&l->units) ? 0 : -EAGAIN;

	table_clear(&l->copies);
	for (uint32_t i = 0; i < l->units.list.count && !r; i++) {
		known_trim(l);
		r = count_unit(l, &l->units.list.at[i]);
	}
	l->counted = !r;
	return r;
}

/* The id of a text that was met before, 0 if it was not. */
static uint32_t copies_of(struct inlines *l, const char *name)
{
	uint32_t n = *name ? table_find(&l->copies, intern_text(&l->text, name)) : TABLE_NONE;

	return n == TABLE_NONE ? 0 : n;
}

int inlines_copies(struct inlines *l, const char *raw, const char *name)
{
	nsec now = clock_cpu();
	uint32_t count;
	int r = inlines_begin(l, now);

	if (r <= 0 && !l->counted)
		return r;
	r = l->counted ? 0 : count_copies(l);
	l->spent += clock_cpu() - now;
	if (r)
		return r;
	count = copies_of(l, raw);
	return count ? count : copies_of(l, name);
}

static bool path_is(const char *path, const char *file)
{
	size_t n = strlen(path), m = strlen(file);

	return n >= m && !strcmp(path + n - m, file) && (n == m || path[n - m - 1] == '/');
}

/* Says for each file of a unit's table whether it is asked for: NULL if none is. */
static bool *files_wanted(struct inlines *l, const struct unit *u, const char *file,
			  uint32_t *ret_count)
{
	struct known *k = known_of(l, u);
	bool *wanted, any = false;

	if (know_files(l, k))
		return NULL;
	*ret_count = k->files.files.count + 1; /* numbers begin at 0 or 1 */
	wanted = mem_zeroed(*ret_count, sizeof(*wanted));
	for (uint32_t i = 0; i < *ret_count; i++) {
		wanted[i] = path_is(intern_string(&l->text, file_of(l, u, i)), file);
		any |= wanted[i];
	}
	if (any)
		return wanted;
	free(wanted);
	return NULL;
}

/* Rows of a sequence: a stretch begins where the line becomes another one. */
static void add_sequence(struct inlines *l, const struct unit *u, uint32_t sequence,
			 const bool *wanted, uint32_t nr_wanted, struct source_lines *ret)
{
	const struct line_rows *rows = &known_of(l, u)->rows;
	const struct row_sequence *s = &rows->sequences.at[sequence];
	const struct row *last = NULL;

	for (uint32_t i = 0; i < s->count; i++) {
		struct row row = known_of(l, u)->rows.rows.at[s->first + i];
		struct source_line line = { .line = row.line, .sites = 1 };
		bool same = last && last->file == row.file && last->line == row.line;

		last = &known_of(l, u)->rows.rows.at[s->first + i];
		if (same || !row.line || row.file >= nr_wanted || !wanted[row.file] ||
		    !image_to_offset(l->image, row.address, &line.offset))
			continue;
		line.file = intern_string(&l->text, file_of(l, u, row.file));
		array_push(ret, line);
	}
}

static int add_unit(struct inlines *l, struct unit *u, const char *file,
		    struct source_lines *ret)
{
	AUTO_FREE bool *wanted = NULL;
	uint32_t count = 0, sequences;

	if (!unit_open(u) || !u->has_code || !u->has_line_table)
		return 0;
	wanted = files_wanted(l, u, file, &count);
	if (!wanted)
		return 0;
	if (know_rows(l, known_of(l, u)) == -EAGAIN)
		return -EAGAIN;
	sequences = known_of(l, u)->rows.sequences.count;
	for (uint32_t i = 0; i < sequences; i++)
		add_sequence(l, u, i, wanted, count, ret);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;
	int by_file = strcmp(x->file, y->file);

	if (by_file || x->line != y->line)
		return by_file ? by_file : x->line < y->line ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sorts, and makes one of all stretches of a line; a place that several rows or
 * units have counts once. */
static void merge(struct source_lines *all)
{
	uint64_t newest = 0;
	uint32_t kept = 0;

	if (all->count)
		qsort(all->at, all->count, sizeof(*all->at), compare);
	for (uint32_t i = 0; i < all->count; i++) {
		struct source_line *last = kept ? &all->at[kept - 1] : NULL, *at = &all->at[i];

		if (!last || strcmp(last->file, at->file) || last->line != at->line)
			all->at[kept++] = *at;
		else if (at->offset != newest)
			last->sites++;
		newest = at->offset;
	}
	all->count = kept;
}

int inlines_lines(struct inlines *l, const char *file, struct source_lines *ret)
{
	nsec now = clock_cpu();
	int r = inlines_begin(l, now);

	if (r <= 0)
		return r;
	r = units_list(&l->units) ? 0 : -EAGAIN;
	for (uint32_t i = 0; i < l->units.list.count && !r; i++) {
		known_trim(l);
		r = add_unit(l, &l->units.list.at[i], file, ret);
		if (dwarf_is_late(l->units.file))
			r = -EAGAIN;
	}
	merge(ret);
	l->spent += clock_cpu() - now;
	return r;
}
