/*
 * dwarf_unit - the units of .debug_info, and which of them has an address.
 *
 * A unit is what one run of the compiler gave (DWARF 5 section 7.5.1).  Their
 * headers are read in one pass over nothing else; where their code lies is in
 * .debug_aranges, or, for units that are not in it, in their first entry.
 */
#ifndef SONDE_ELF_DWARF_UNIT_H
#define SONDE_ELF_DWARF_UNIT_H

#include "elf/dwarf_die.h"

#define UNITS_MAX (1u << 20)

struct units;

struct unit {
	struct units *all;
	uint64_t offset, first, end; /* in .debug_info: header, first entry, behind it */
	uint64_t abbrev_offset;
	const struct abbrev_table *abbrevs; /* NULL until it was opened */
	struct dwarf_width width;
	bool has_code; /* neither a type unit nor a skeleton of a split one */
	bool opened, broken;
	bool in_aranges;
	uint16_t language; /* DW_LANG_... */
	bool has_low, has_line_table;
	uint64_t low; /* base of its ranges */
	uint64_t line_table;
	uint64_t str_base, addr_base, ranges_base;
};

/* [low, high) of addresses is a unit's. */
struct unit_range {
	uint64_t low, high;
	uint32_t unit;
};

/* Zero with file set is valid; nothing is read yet. */
struct units {
	struct dwarf_file *file;
	ARRAY(struct unit) list; /* by offset; fixed once listed */
	bool listed;
	struct abbrevs abbrevs;
	ARRAY(struct unit_range) ranges; /* by low */
	bool mapped;
	struct units *alt;
};

void units_done(struct units *all);
/* Reads the headers.  False: the time is up, nothing was kept. */
bool units_list(struct units *all);
/* Where code lies.  False: the time is up. */
bool units_map(struct units *all);
/* The units an address may be in: the number of *ret, at most room. */
unsigned units_at(const struct units *all, uint64_t address, uint32_t *ret, unsigned room);
/* The unit of an entry, opened. */
struct die_place units_place(struct units *all, uint64_t offset);
/* Those of the supplementary file, NULL if there is none. */
struct units *units_alt(struct units *all);

/* Reads its first entry: false if it is broken. */
bool unit_open(struct unit *u);
/* At most so many bytes from an offset; false if it is not in the unit. */
bool unit_cursor(const struct unit *u, uint64_t offset, uint64_t size,
		 struct dwarf_cursor *ret);
/* Offset in .debug_info of where a cursor of the unit stands. */
uint64_t unit_offset_of(const struct unit *u, const struct dwarf_cursor *c);
/* Number `index` of its addresses (.debug_addr). */
bool unit_address(const struct unit *u, uint64_t index, uint64_t *ret);
/* The folder it was compiled in: of its first entry. */
const char *unit_folder(const struct unit *u);

#endif
