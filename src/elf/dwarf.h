/*
 * dwarf - the DWARF of an image, opened with libdw so that it does no harm.
 *
 * It is the image's own or that of its debug file.  The file is foreign:
 * sections that together unpack to more than DWARF_SIZE_MAX bytes are not read,
 * and no path that the file names is opened.  So a supplementary file (dwz) is
 * found by its build-id below /usr/lib/debug only, and whoever walks the units
 * must leave out skeletons (dwarf_is_skeleton), whose rest is in a .dwo.
 */
#ifndef SONDE_ELF_DWARF_H
#define SONDE_ELF_DWARF_H

#include "elf/image.h"

#include <elfutils/libdw.h>

#define DWARF_SIZE_MAX (1ull << 30)

struct dwarf;

/* NULL if there is none that can be used.  The image must outlive it. */
struct dwarf *dwarf_open(const struct image *image);
void dwarf_close(struct dwarf *d); /* NULL is fine */

Dwarf *dwarf_handle(const struct dwarf *d);
bool dwarf_is_skeleton(Dwarf_Die *unit);

#endif
