#include "elf/unwind.h"

#include "elf/cfi.h"
#include "elf/cfi_rule.h"
#include "elf/debugfile.h"
#include "elf/segment.h"
#include "elf/unwind_page.h"
#include "elf/unwind_pcln.h"
#include "elf/unwind_section.h"

#include <errno.h>

#define PADDING 16 /* gaps of fewer bytes between functions are aligned away */

struct builder {
	const struct image *image;
	struct cfi cfi;
	struct go_rules go;
	struct rulebook rules;
	struct pager pager;
};

/* Cuts an entry to the code it begins in; false if that is none. */
static bool fde_clip(const struct image *image, struct fde *f)
{
	const struct segments *all = image_segments(image);

	for (uint32_t i = 0; i < all->loads.count; i++) {
		const struct segment *s = &all->loads.at[i];

		if (!s->code || f->start - s->address >= s->size)
			continue;
		if (f->end > s->address + s->size)
			f->end = s->address + s->size;
		return true;
	}
	return false;
}

/* Keeps the entries that are for code of the image, from index first on. */
static void clip_all(struct builder *b, uint32_t first)
{
	struct cfi *c = &b->cfi;
	uint32_t kept = first;

	for (uint32_t i = first; i < c->fdes.count; i++) {
		if (fde_clip(b->image, &c->fdes.at[i]))
			c->fdes.at[kept++] = c->fdes.at[i];
		else
			c->counts.gaps[UNWIND_OUTSIDE]++;
	}
	c->counts.fdes -= c->fdes.count - kept;
	c->fdes.count = kept;
}

typedef int section_find(const struct image *image, struct cfi_section *ret, struct error *err);

static int add_section(struct builder *b, section_find *find, const struct image *from,
		       struct error *err)
{
	uint32_t first = b->cfi.fdes.count;
	struct cfi_section section;
	int r = find(from, &section, err);

	if (r > 0) {
		cfi_add(&b->cfi, section);
		clip_all(b, first);
	}
	return r < 0 ? r : 0;
}

/* In bytes, of entries that may overlap, and of the image's code. */
static bool is_half_covered(const struct builder *b)
{
	const struct segments *all = image_segments(b->image);
	uint64_t covered = 0, code = 0;

	for (uint32_t i = 0; i < b->cfi.fdes.count; i++)
		covered += b->cfi.fdes.at[i].end - b->cfi.fdes.at[i].start;
	for (uint32_t i = 0; i < all->loads.count; i++)
		code += all->loads.at[i].code ? all->loads.at[i].size : 0;
	return covered >= code / 2;
}

/* Broken debugging content costs itself only; .eh_frame is what counts. */
static int add_sections(struct builder *b, struct error *err)
{
	const struct image *debug;
	int r = add_section(b, unwind_section_eh, b->image, err);
	uint32_t first = b->cfi.fdes.count;

	go_rules_init(&b->go, b->image, &b->cfi);
	clip_all(b, first);
	if (add_section(b, unwind_section_debug, b->image, NULL))
		b->cfi.counts.gaps[UNWIND_BROKEN]++;
	if (r || is_half_covered(b))
		return r;
	debug = image_debug_file(b->image);
	if (debug && add_section(b, unwind_section_debug, debug, NULL))
		b->cfi.counts.gaps[UNWIND_BROKEN]++;
	return 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int fde_compare(const void *left, const void *right)
{
	const struct fde *a = left, *b = right;
	int r = compare(a->start, b->start);

	if (!r)
		r = compare(a->section, b->section);
	return r ? r : compare(a->program, b->program);
}

static void sort(struct cfi *c)
{
	/* linkers mostly did */
	for (uint32_t i = 1; i < c->fdes.count; i++)
		if (fde_compare(&c->fdes.at[i - 1], &c->fdes.at[i]) > 0) {
			qsort(c->fdes.at, c->fdes.count, sizeof(*c->fdes.at), fde_compare);
			return;
		}
}

/*
 * Leaves one entry for every address: of two that begin together the first,
 * and none inside one of a better kind.  Of others that overlap the later one
 * counts, as for an unwinder that searches by where they begin.
 */
static void drop_doubles(struct cfi *c)
{
	uint32_t kept = 0;
	uint64_t covered[NR_CFI_KIND] = { 0 }; /* up to here, by that kind or a better one */

	for (uint32_t i = 0; i < c->fdes.count; i++) {
		const struct fde *f = &c->fdes.at[i];
		enum cfi_kind kind = c->sections[f->section].kind;

		if (kept && c->fdes.at[kept - 1].start == f->start)
			continue;
		if (kind && f->start < covered[kind - 1])
			continue;
		for (unsigned k = kind; k < NR_CFI_KIND; k++)
			covered[k] = f->end > covered[k] ? f->end : covered[k];
		c->fdes.at[kept++] = *f;
	}
	c->fdes.count = kept;
}

static void take_row(void *store, uint64_t address, const struct cfi_row *row)
{
	struct builder *b = store;

	pager_add(&b->pager, address, row ? rulebook_rule(&b->rules, row) : RULE_NONE);
}

static enum cfi_end run_entry(struct builder *b, const struct fde *f, uint64_t limit)
{
	if (b->cfi.sections[f->section].kind != CFI_PCLN)
		return cfi_run(&b->cfi, f, limit, take_row, b);
	return go_rules_run(&b->go, f, limit, &b->rules, &b->pager) ? CFI_DONE : CFI_BROKEN;
}

static void run_one(struct builder *b, const struct fde *f, uint64_t next)
{
	static const int gaps[] = { [CFI_BROKEN] = UNWIND_BROKEN,
				    [CFI_OPCODE] = UNWIND_OPCODE,
				    [CFI_POINTER] = UNWIND_ENCODING };
	uint64_t limit = f->end < next ? f->end : next;
	enum cfi_end end = run_entry(b, f, limit);

	b->cfi.counts.covered_bytes += limit - f->start;
	if (end != CFI_DONE)
		b->cfi.counts.gaps[gaps[end]]++;
	if (next - limit >= PADDING)
		pager_add(&b->pager, limit, RULE_NONE);
}

static void run_all(struct builder *b)
{
	const struct cfi *c = &b->cfi;

	for (uint32_t i = 0; i < c->fdes.count; i++)
		run_one(b, &c->fdes.at[i],
			i + 1 < c->fdes.count ? c->fdes.at[i + 1].start : UINT64_MAX);
	pager_finish(&b->pager);
}

/* Both halves count: entries here, rows there. */
static void counts_add(struct unwind_counts *to, const struct unwind_counts *from)
{
	to->fdes += from->fdes;
	to->cies += from->cies;
	to->excs += from->excs;
	to->covered_bytes += from->covered_bytes;
	to->ignored += from->ignored;
	to->pages_cut += from->pages_cut;
	for (unsigned i = 0; i < NR_UNWIND_GAP; i++)
		to->gaps[i] += from->gaps[i];
}

int unwind_build(const struct image *image, struct unwind_table *ret, struct error *err)
{
	struct unwind_table table = { 0 };
	struct builder b = { .image = image, .rules.to = &table };
	int r;

#ifndef __x86_64__
	return error_set(err, ENOTSUP, "no unwind table for '%s': only x86-64 has one so far",
			 image_name(image));
#endif
	r = add_sections(&b, err);
	if (!r) {
		sort(&b.cfi);
		drop_doubles(&b.cfi);
		pager_init(&b.pager, &table, image);
		run_all(&b);
		counts_add(&table.counts, &b.cfi.counts);
		table.rows.at =
			mem_resize(table.rows.at, table.rows.count, sizeof(*table.rows.at));
		table.rows.room = table.rows.count;
		*ret = table;
	}
	rulebook_done(&b.rules);
	go_rules_done(&b.go);
	cfi_done(&b.cfi);
	return r;
}

void unwind_done(struct unwind_table *t)
{
	free(t->pages);
	array_done(&t->rows);
	array_done(&t->excs);
	*t = (struct unwind_table){ 0 };
}

uint32_t unwind_find(const struct unwind_table *t, uint64_t address)
{
	uint64_t index = (address >> ROW_PAGE_SHIFT) - t->first_page;
	uint32_t offset = address & (ROW_PAGE_SIZE - 1);
	const uint32_t *rows;
	uint32_t low = 0, high;

	if (index >= t->nr_pages || !t->pages[index].count)
		return RULE_NONE;
	rows = t->rows.at + t->pages[index].first;
	high = t->pages[index].count;
	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (ROW_OFFSET(rows[middle]) <= offset)
			low = middle;
		else
			high = middle;
	}
	return ROW_RULE(rows[low]);
}

uint64_t unwind_size(const struct unwind_table *t)
{
	return (uint64_t)t->nr_pages * sizeof(*t->pages) +
	       (uint64_t)t->rows.count * sizeof(*t->rows.at) +
	       (uint64_t)t->excs.count * sizeof(*t->excs.at);
}

const char *unwind_gap_name(enum unwind_gap gap)
{
	static const char *const names[] = {
		[UNWIND_BROKEN] = "broken",
		[UNWIND_VERSION] = "version",
		[UNWIND_AUGMENTATION] = "augmentation",
		[UNWIND_ENCODING] = "encoding",
		[UNWIND_OPCODE] = "instruction",
		[UNWIND_OUTSIDE] = "outside",
		[UNWIND_EXPRESSION] = "expression",
		[UNWIND_REGISTER] = "register",
		[UNWIND_OFFSET] = "offset",
		[UNWIND_RETURN] = "return address",
		[UNWIND_RBP] = "rbp",
		[UNWIND_EXCESS] = "excess",
	};

	return names[gap];
}
