/*
 * inline_path - the namespaces and classes around an entry of a unit.
 *
 * DWARF has no way from an entry to its parent, so the first question about a
 * unit walks it once and notes all that can be around a function.
 */
#ifndef SONDE_ELF_INLINE_PATH_H
#define SONDE_ELF_INLINE_PATH_H

#include "base/text.h"
#include "elf/dwarf_unit.h"

struct enclosure {
	uint32_t die, end; /* from the unit's offset */
	uint32_t parent;   /* index, UINT32_MAX: the unit */
};

/* Zero is valid: not read yet. */
struct paths {
	ARRAY(struct enclosure) list; /* by die */
	bool read;
};

void paths_done(struct paths *p);
/* -EAGAIN: the time is up. */
int paths_read(struct paths *p, const struct unit *u);
/* Adds "ns::C::" for the entry at an offset of .debug_info. */
void paths_add(const struct paths *p, const struct unit *u, uint64_t offset, struct text *to);

#endif
