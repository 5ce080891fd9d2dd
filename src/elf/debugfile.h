/*
 * debugfile - the separate file with the symbols and DWARF of a stripped image.
 *
 * Looked for, in this order: /usr/lib/debug/.build-id/xx/yyyy.debug by
 * build-id, then the name in .gnu_debuglink next to the image, in .debug/
 * below it and in /usr/lib/debug/<its directory> (as gdb does), in the files that the
 * target sees, then in ours.  A file counts only if it is a regular ELF file whose
 * build-id is the image's, or, where one of them has none, whose CRC-32 is the one in
 * .gnu_debuglink.
 */
#ifndef SONDE_ELF_DEBUGFILE_H
#define SONDE_ELF_DEBUGFILE_H

#include "elf/image.h"

/* Opens it: NULL if there is none.  The caller closes it. */
struct image *debugfile_open(const struct image *image);

/* The supplementary file (dwz) that the image names in .gnu_debugaltlink: of its path only
 * what is behind /.dwz/ is taken, below /usr/lib/debug/.dwz; else by build-id. */
struct image *debugfile_supplement(const struct image *image, const char *path,
				   const struct build_id *id);

/* The image's own, looked for at the first question; closed with the image. */
const struct image *image_debug_file(const struct image *image);

bool build_id_equal(const struct build_id *a, const struct build_id *b);

#endif
