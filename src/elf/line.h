/*
 * line - where in the source a function is defined.
 *
 * From DWARF (the image's own or its debug file's), as elf/inline.h reads it:
 * nothing before the first question, and all of it ends when the time it was
 * given is used up.  What is not known by then stays unknown.
 */
#ifndef SONDE_ELF_LINE_H
#define SONDE_ELF_LINE_H

#include "base/clock.h"
#include "elf/image.h"

struct lines;

/* Never NULL; costs nothing yet.  budget is the CPU time of this process that
 * all questions together may take.  The image must outlive it. */
struct lines *lines_new(const struct image *image, nsec budget);
void lines_free(struct lines *l); /* NULL is fine */

/* File and line of the definition of the function that starts at this file
 * offset: false where it is not known.  The path is the compiler's, mostly
 * absolute, and lives as long as l. */
bool lines_find(struct lines *l, uint64_t offset, const char **ret_file, uint32_t *ret_line);

/* CPU time the questions took so far. */
nsec lines_spent(const struct lines *l);

#endif
