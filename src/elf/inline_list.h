/*
 * inline_list - of a whole image: how often functions are inlined, and which lines
 * of a source file have code.
 *
 * Both look at every unit (0.1 to 0.5 GB of DWARF a second), within the budget
 * of the inlines.
 */
#ifndef SONDE_ELF_INLINE_LIST_H
#define SONDE_ELF_INLINE_LIST_H

#include "base/array.h"
#include "elf/inline.h"

/* A line with code. */
struct source_line {
	const char *file; /* its path; lives as long as the inlines */
	uint32_t line;
	uint32_t sites;	 /* stretches of code that begin on it */
	uint64_t offset; /* file offset of the first */
};

struct source_lines {
	ARRAY(struct source_line);
};

/* In how many places a function was inlined, by its linkage name, else by the
 * name that struct inline_level has.  -EAGAIN: there was no time to count. */
int inlines_copies(struct inlines *l, const char *raw, const char *name);

/* Adds the lines, by file and line, of the files whose path ends with `file`
 * ("main.c", "src/main.c").  0, or -EAGAIN: some may be missing. */
int inlines_lines(struct inlines *l, const char *file, struct source_lines *ret);

#endif
