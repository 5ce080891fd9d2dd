/*
 * dwarf_unpack - a compressed section (SHF_COMPRESSED) as it was.
 *
 * Elf64_Chdr of the System V ABI says how: zlib (1) or zstd (2).
 */
#ifndef SONDE_ELF_DWARF_UNPACK_H
#define SONDE_ELF_DWARF_UNPACK_H

#include "base/clock.h"
#include "elf/section.h"

#include <errno.h>

struct unpack {
	const struct image *image;
	const struct section *section;
	uint64_t most;	/* bytes it may have */
	nsec deadline;	/* clock_cpu() at which to stop */
	uint8_t *bytes; /* the result, the caller's to free */
	uint64_t size;
};

/* -EAGAIN: the time is up; -EINVAL: it is broken, too large, or of a kind that
 * is not known.  Only 0 sets bytes and size. */
int unpack_section(struct unpack *u);

#endif
