/*
 * dwarf_die - one debugging information entry, as far as names and code go.
 *
 * Of its attributes those with a slot are kept, as number and form; strings
 * and addresses are looked up when they are wanted.
 */
#ifndef SONDE_ELF_DWARF_DIE_H
#define SONDE_ELF_DWARF_DIE_H

#include "elf/dwarf_abbrev.h"

struct unit;

enum die_slot {
	DIE_NAME,
	DIE_LINKAGE_NAME,
	DIE_ORIGIN,
	DIE_SPECIFICATION,
	DIE_SIBLING,
	DIE_LOW,
	DIE_HIGH,
	DIE_RANGES,
	DIE_CALL_FILE,
	DIE_CALL_LINE,
	DIE_DECL_FILE,
	DIE_DECL_LINE,
	DIE_INLINE,
	/* of a unit's first entry */
	DIE_LANGUAGE,
	DIE_LINE_TABLE,
	DIE_FOLDER,
	DIE_STR_BASE,
	DIE_ADDR_BASE,
	DIE_RANGES_BASE,
	DIE_SPLIT, /* a skeleton: the rest is in another file */
	NR_DIE_SLOT,
};

/* NR_DIE_SLOT: none. */
uint8_t die_slot_of(uint64_t attribute);

struct die {
	uint64_t offset; /* in .debug_info */
	const struct abbrev *abbrev;
	uint32_t has; /* bits of enum die_slot; the others hold nothing */
	struct die_value {
		uint64_t number; /* for strings in place: their offset in .debug_info */
		uint16_t form;
	} at[NR_DIE_SLOT];
};

static inline bool die_has(const struct die *d, enum die_slot slot)
{
	return d->has >> slot & 1;
}

/* Where an entry is: a number of a unit, which may be the supplementary file's. */
struct die_place {
	const struct unit *unit; /* NULL: nowhere */
	uint64_t offset;	 /* in its .debug_info */
};

/* Reads the attributes; the cursor stands behind the code and then behind them. */
void die_read(const struct unit *u, const struct abbrev *a, struct dwarf_cursor *c,
	      struct die *ret);
/* Only goes behind them. */
void die_skip(const struct unit *u, const struct abbrev *a, struct dwarf_cursor *c);
/* Reads a whole entry; false: there is none. */
bool die_at(struct die_place place, struct die *ret);

/* Where a reference leads. */
struct die_place die_reference(const struct unit *u, const struct die *d, enum die_slot slot);
/* The string, to be used before the next question; "" if it has none. */
const char *die_string(const struct unit *u, const struct die *d, enum die_slot slot);
/* False: it has none, or it is broken. */
bool die_address(const struct unit *u, const struct die *d, enum die_slot slot, uint64_t *ret);
/* 0 if it has none. */
uint64_t die_number(const struct die *d, enum die_slot slot);

/* The number of an attribute's form that is no block: used by the line table, too. */
uint64_t form_number(struct dwarf_cursor *c, uint16_t form, struct dwarf_width width);
/* Goes behind an attribute's content of any form. */
void form_skip(struct dwarf_cursor *c, uint16_t form, struct dwarf_width width);

#endif
