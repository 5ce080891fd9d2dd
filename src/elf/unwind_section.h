/*
 * unwind_section - finds the call frame information of an image.
 *
 * A section is a copy that the caller frees.  Each returns 1, 0 if there is
 * none, or -EINVAL: it is there but cannot be read.
 */
#ifndef SONDE_ELF_UNWIND_SECTION_H
#define SONDE_ELF_UNWIND_SECTION_H

#include "elf/cfi.h"

/* .eh_frame by its section header; without one through PT_GNU_EH_FRAME, whose
 * table (.eh_frame_hdr) says where it begins but not where it ends. */
int unwind_section_eh(const struct image *image, struct cfi_section *ret, struct error *err);
/* .debug_frame, which may be compressed. */
int unwind_section_debug(const struct image *image, struct cfi_section *ret, struct error *err);

#endif
