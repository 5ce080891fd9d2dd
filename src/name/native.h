/*
 * native - names of one ELF image: its symbols, and where it has DWARF, lines and
 * inlined functions.
 *
 * Symbols and DWARF are read at the first question; with a reader, symbols are read there, and
 * nothing is known until they are.
 */
#ifndef SONDE_NAME_NATIVE_H
#define SONDE_NAME_NATIVE_H

#include "base/clock.h"
#include "base/text.h"
#include "elf/image.h"
#include "elf/inline.h"
#include "elf/reader.h"
#include "model/naming.h"

struct native;

/* What an origin of names knows about the function around an offset. */
struct found {
	uint64_t start, length;
	struct text name; /* demangled; cleared by the origin, freed by the caller */
	const char *file; /* "" = not known; lives as long as the origin */
	uint32_t line;
	bool late; /* there was no time to look for file and line */
	bool made; /* its symbol is not there, only where it begins: "fn_65100~deflate" */
};

/* Takes the image over, on failure too.  -ESTALE: it has another build-id than the one that was
 * mapped (wanted, may be NULL or empty: not known).  The reader (NULL: none) is the caller's.
 */
int native_open(struct image *image, const struct build_id *wanted, struct reader *reader,
		struct native **ret, struct error *err);
/* The vdso of this kernel, from our own mapping. */
int native_open_vdso(const struct build_id *wanted, struct native **ret, struct error *err);
void native_close(struct native *n); /* NULL is fine */

/* CPU time that lines and inlined functions may take from now on. */
void native_set_line_budget(struct native *n, nsec left);
/* 1; 0: no function there; -EAGAIN: its symbols are still being read. */
int native_find(struct native *n, uint64_t offset, struct found *ret);
/* Symbols that were left out (elf/symtab.h), of those that are read. */
uint64_t native_forgotten(const struct native *n);
/* Waits for them, so long at most. */
void native_wait(struct native *n, nsec time);
/* What is inlined at an offset, as inlines_find(); -EAGAIN also as above. */
int native_expand(struct native *n, uint64_t offset, struct inline_level *ret, unsigned room);
/* What the data is called that lies so many bytes behind where an offset is mapped.  False:
 * nobody knows. */
bool native_variable(const struct native *n, uint64_t offset, uint64_t distance,
		     struct data_name *ret);
/* Time spent on lines so far. */
nsec native_line_spent(const struct native *n);

#endif
