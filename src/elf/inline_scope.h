/*
 * inline_scope - the functions and inlined calls of one unit, by address.
 *
 * One pass over the unit's entries gathers them in their order, an inlined call
 * behind what it is in; then their addresses are cut into segments, each of
 * which belongs to the last entry that has it: the innermost one.
 */
#ifndef SONDE_ELF_INLINE_SCOPE_H
#define SONDE_ELF_INLINE_SCOPE_H

#include "elf/dwarf_unit.h"

#define NO_SCOPE UINT32_MAX

struct scope {
	uint32_t die;	 /* from the unit's offset */
	uint32_t parent; /* index of the next outer one, NO_SCOPE: none */
};

struct scope_segment {
	uint64_t start; /* up to the start of the next one */
	uint32_t scope; /* NO_SCOPE: of no function */
};

/* Zero is valid and empty. */
struct scopes {
	ARRAY(struct scope) list;
	ARRAY(struct scope_segment) segments; /* by start */
};

void scopes_done(struct scopes *s);
/* Code below `lowest` is what the linker threw away.  -EAGAIN: the time is up,
 * nothing is kept.  A broken unit gives what was before the break. */
int scopes_read(struct scopes *s, const struct unit *u, uint64_t lowest);
/* The innermost scope of an address, NO_SCOPE if there is none. */
uint32_t scopes_at(const struct scopes *s, uint64_t address);

#endif
