/*
 * fuzz_unwind - any bytes as call frame information, and as an ELF file with
 * some.  What comes out must be a table that the kernel half can walk.
 *
 * The first byte says which: an ELF file begins with 0x7f; of others bit 1 is the
 * table of a Go program (its names are read too), bit 0 .debug_frame rather than
 * .eh_frame, and the section follows.
 *
 * sources: src/elf/*.c src/base/*.c
 */
#include "elf/cfi_build.h"
#include "elf/symtab.h"
#include "elf/unwind.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_rule(const struct unwind_table *t, uint32_t rule)
{
	const struct rule_exc *e;

	switch (RULE_TYPE(rule)) {
	case RULE_NONE:
		assert(!rule);
		return;
	case RULE_SP:
	case RULE_FP:
		return;
	case RULE_SPECIAL:
		assert(RULE_VALUE(rule) >= RULE_END && RULE_VALUE(rule) <= RULE_SWITCH);
		return;
	case RULE_EXC:
		assert(RULE_INDEX(rule) < t->excs.count);
		e = &t->excs.at[RULE_INDEX(rule)];
		assert(e->cfa_reg >= 0 && e->cfa_reg < 16 && e->cfa_deref >> 1 == 0);
		assert(e->rbp_kind >= 0 && e->rbp_kind <= RULE_RBP_UNDEFINED &&
		       e->injected >> 1 == 0);
		return;
	}
	assert(!"a rule of no type");
}

static void check_page(const struct unwind_table *t, uint32_t index)
{
	const struct unwind_page *p = &t->pages[index];
	uint64_t address = (t->first_page + index) << ROW_PAGE_SHIFT;

	assert(p->count <= UNWIND_PAGE_ROWS && p->first + p->count <= t->rows.count);
	for (uint32_t i = 0; i < p->count; i++) {
		const uint32_t *row = &t->rows.at[p->first + i];

		assert(i ? ROW_OFFSET(row[0]) > ROW_OFFSET(row[-1]) : !ROW_OFFSET(*row));
		assert(!i || ROW_RULE(row[0]) != ROW_RULE(row[-1]));
		check_rule(t, ROW_RULE(*row));
		assert(unwind_find(t, address + ROW_OFFSET(*row)) == ROW_RULE(*row));
	}
}

static void check_names(const struct image *image)
{
	const struct symtab *t = image_symbols(image);

	for (uint32_t i = 0; i < symtab_count(t); i++)
		assert(strlen(symtab_at(t, i)->raw) && symtab_at(t, i)->size);
}

static void check(const uint8_t *bytes, size_t size)
{
	struct unwind_table t;
	struct image *image;

	if (image_open_memory(bytes, size, "fuzz", &image, NULL))
		return;
	if (!unwind_build(image, &t, NULL)) {
		assert(t.nr_pages <= UNWIND_PAGES_MAX && t.excs.count <= UNWIND_EXCS_MAX);
		for (uint32_t i = 0; i < t.nr_pages; i++)
			check_page(&t, i);
		assert(unwind_find(&t, UINT64_MAX) == RULE_NONE || t.nr_pages);
		unwind_done(&t);
	}
	check_names(image);
	image_close(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct build given = { 0 }, none = { 0 };
	uint8_t *file;

	if (size && *bytes == 0x7f) {
		check(bytes, size);
		return 0;
	}
	if (!size)
		return 0;
	build_put_bytes(&given, bytes + 1, size - 1);
	if (*bytes & 2)
		file = build_elf_go(&given, &size);
	else
		file = *bytes & 1 ? build_elf(&none, &given, &size)
				  : build_elf(&given, &none, &size);
	check(file, size);
	free(file);
	array_done(&given.bytes);
	return 0;
}
