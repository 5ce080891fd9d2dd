/*
 * inline - what the source says about one instruction: which functions it is
 * in, inlined ones included, and on which line of each.
 *
 * From DWARF 2 to 5, the image's own or its debug file's (elf/dwarf_file.h says
 * what is not read).  Nothing is read before the first question.  Then, of each
 * unit that is asked about, all functions and inlined calls are read once, at
 * 0.5 to 1.2 GB a second, into a sorted array; names and lines only of what was
 * asked for.  Everything ends when the CPU time it was given is used up.
 */
#ifndef SONDE_ELF_INLINE_H
#define SONDE_ELF_INLINE_H

#include "base/clock.h"
#include "elf/image.h"

/* Deeper ones are cut: the outer ones of them are left out, not the function. */
#define INLINE_LEVELS_MAX 64

/* All strings live as long as the inlines and are never NULL. */
struct inline_level {
	const char *raw;     /* linkage name (mangled), "" where DWARF has none */
	const char *name;    /* with namespaces and classes; "" where raw says it */
	const char *file;    /* where it is defined */
	uint32_t line;	     /* 0 = not known */
	const char *at_file; /* where in it the instruction is: for all but the */
	uint32_t at_line;    /* innermost the line with the inlined call */
};

struct inlines;

/* Never NULL; costs nothing yet.  The image must outlive it. */
struct inlines *inlines_new(const struct image *image);
void inlines_free(struct inlines *l); /* NULL is fine */

/* The CPU time that all questions together may take; more can be given later. */
void inlines_set_budget(struct inlines *l, nsec budget);
/* CPU time the questions took so far. */
nsec inlines_spent(const struct inlines *l);

/*
 * The levels at a file offset, innermost first; the last one is the function
 * itself.  room is at least 2.  Returns their number: 0, none is known, or
 * -EAGAIN, there was no time to know.
 */
int inlines_find(struct inlines *l, uint64_t offset, struct inline_level *ret, unsigned room);

/* File and line of the definition of the function that starts at this file
 * offset: 1, 0 or -EAGAIN as above. */
int inlines_definition(struct inlines *l, uint64_t offset, const char **ret_file,
		       uint32_t *ret_line);

#endif
