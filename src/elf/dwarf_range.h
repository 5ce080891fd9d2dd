/*
 * dwarf_range - the addresses of an entry: one stretch, or a list of them.
 *
 * DW_AT_low_pc and DW_AT_high_pc, or DW_AT_ranges with .debug_rnglists (DWARF 5
 * section 7.25) or .debug_ranges (DWARF 4 section 2.17.3).
 */
#ifndef SONDE_ELF_DWARF_RANGE_H
#define SONDE_ELF_DWARF_RANGE_H

#include "elf/dwarf_die.h"

#define RANGES_MAX (1u << 20) /* of one entry */

struct range {
	uint64_t low, high; /* low < high */
};

struct ranges {
	ARRAY(struct range);
};

/* Adds those of an entry; empty ones are left out, and what the linker threw
 * away, which it has put at 0 or at the end. */
void ranges_add(struct ranges *to, const struct unit *u, const struct die *d);

#endif
