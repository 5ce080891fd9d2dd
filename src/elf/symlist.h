/*
 * symlist - symbols while they are gathered, from whichever table.
 *
 * Filled by the readers below in any order, then sorted and owned by a symtab.
 * Names either point into the image (or its debug file) or are kept here.
 */
#ifndef SONDE_ELF_SYMLIST_H
#define SONDE_ELF_SYMLIST_H

#include "base/array.h"
#include "elf/symtab.h"

struct symlist {
	ARRAY(struct symbol) symbols;
	ARRAY(char *) blocks; /* of kept names */
	size_t block_used;
	uint64_t forgotten;
};

void symlist_done(struct symlist *l);
/* Adds a symbol unless there are SYMTAB_MAX. */
void symlist_add(struct symlist *l, struct symbol s);
/* A copy of a name that lives as long as the list. */
const char *symlist_keep(struct symlist *l, const char *name, size_t length);

/* Readers.  `at` is the image whose segments the addresses belong to; `from`
 * the file with the table: the image itself or its debug file.  They say
 * whether any function was there. */
bool symread_static(struct symlist *l, const struct image *at, const struct image *from);
bool symread_dynamic(struct symlist *l, const struct image *image);
/* The table of a Go program (pcln.h), which is there when it is stripped too. */
bool symread_pcln(struct symlist *l, const struct image *image);
/* Stubs of the procedure linkage table (plt.c). */
void symread_plt(struct symlist *l, const struct image *image);
/* Functions of the unwind table (fde.c).  The list is sorted: its symbols get
 * the sizes that their file left open; what none of them covers is added
 * behind, unsorted. */
void symread_unwind(struct symlist *l, const struct image *image);

/* Sorts by offset and preference, drops doubles. */
void symlist_sort(struct symlist *l);
/* Gives a sorted list the sizes that are still open, and marks aliases. */
void symlist_finish(struct symlist *l, const struct image *image);

#endif
