/*
 * dwarf_abbrev - the shapes of debugging entries (DWARF 5 section 7.5.3).
 *
 * Each entry begins with the code of an abbreviation: its tag and the list of
 * its attributes, each with a form.  Sizes are worked out once, so that most
 * entries are skipped by one addition.
 */
#ifndef SONDE_ELF_DWARF_ABBREV_H
#define SONDE_ELF_DWARF_ABBREV_H

#include "base/array.h"
#include "base/table.h"
#include "elf/dwarf_file.h"

/* What sizes depend on, beside the form. */
struct dwarf_width {
	uint8_t version;
	uint8_t offset; /* 4 or 8: bytes of an offset */
};

#define SIZE_VARIES UINT16_MAX

struct abbrev_attribute {
	uint16_t name, form;
	uint16_t size; /* bytes, or SIZE_VARIES */
	uint8_t slot;  /* enum die_slot, NR_DIE_SLOT: of no interest */
	int64_t value; /* of DW_FORM_implicit_const */
};

struct abbrev {
	uint16_t tag;
	bool children;
	uint16_t size;	       /* of all attributes, or SIZE_VARIES */
	uint32_t first, count; /* in the table's attributes */
};

struct abbrev_table {
	ARRAY(struct abbrev) abbrevs;
	ARRAY(struct abbrev_attribute) attributes;
	struct table codes; /* of those whose code is not their index + 1 */
};

/* All tables of a file that were needed so far. */
struct abbrevs {
	ARRAY(struct abbrev_table *) tables;
	struct table at; /* offset and width: index */
	uint64_t attributes;
};

void abbrevs_done(struct abbrevs *all);
/* The table at an offset of .debug_abbrev, NULL if it is broken or there are too
 * many.  It lives until abbrevs_done. */
const struct abbrev_table *abbrevs_find(struct abbrevs *all, struct dwarf_file *f,
					uint64_t offset, struct dwarf_width width);

/* NULL: there is none of this code. */
static inline const struct abbrev *abbrev_find(const struct abbrev_table *t, uint64_t code)
{
	uint32_t i;

	if (code - 1 < t->abbrevs.count && !t->codes.count)
		return &t->abbrevs.at[code - 1];
	i = t->codes.count ? table_find(&t->codes, code) : TABLE_NONE;
	return i == TABLE_NONE ? NULL : &t->abbrevs.at[i];
}

/* The first of its attributes; NULL if the table has none at all. */
static inline const struct abbrev_attribute *abbrev_attributes(const struct abbrev_table *t,
							       const struct abbrev *a)
{
	return t->attributes.at ? t->attributes.at + a->first : NULL;
}

/* Bytes of an attribute's content, or SIZE_VARIES. */
uint16_t form_size(uint64_t form, struct dwarf_width width);

#endif
