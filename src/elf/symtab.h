/*
 * symtab - the functions of one image, by offset and by name.
 *
 * .symtab, .dynsym and, where the file is stripped, the .symtab of its debug
 * file (by build-id, then .gnu_debuglink), or what a Go program carries for its
 * own use (.gopclntab), are read once into one array sorted by offset.  Aliases (several names
 * at one offset) are kept, the preferred name first: global before weak before local, then the
 * one without leading underscores, then the shorter.
 *
 * Two kinds have no symbol in the file.  The stubs of the procedure linkage
 * table are named after what they jump to, "f@plt".  Code that no symbol
 * covers but that has an unwind table entry (.eh_frame_hdr: one for each
 * function, stripped or not) is a function "fn_<address in hex>"; `near` is
 * then the closest exported name before it, at most SYMBOL_NEAR bytes away,
 * as a hint where in the file it lies (shown "fn_65100~deflate").
 *
 * A file has at most SYMTAB_MAX functions; what it claims beyond is left out
 * and counted (symtab_forgotten).
 */
#ifndef SONDE_ELF_SYMTAB_H
#define SONDE_ELF_SYMTAB_H

#include "elf/image.h"

#include <string.h>

struct symtab;

#define SYMTAB_MAX (4u << 20)
#define SYMBOL_NEAR (64u << 10)

enum symbol_kind {
	SYMBOL_FUNC,
	SYMBOL_IFUNC,	/* its code chooses the implementation, it is not the function itself */
	SYMBOL_PLT,	/* "f@plt": a stub, never what a place means */
	SYMBOL_UNNAMED, /* "fn_<address>" from the unwind table */
};

struct symbol {
	uint64_t offset;  /* file offset of its first instruction */
	uint64_t size;	  /* bytes; where the file says 0, up to the next symbol */
	const char *raw;  /* as in the file (mangled, no @VERSION) */
	const char *near; /* SYMBOL_UNNAMED: raw name of the closest exported one, or NULL */
	enum symbol_kind kind;
	bool global; /* exported or global, not a local symbol */
	bool weak;   /* global, but another of that name goes first */
	bool label;  /* exported code without a type, from an assembler file */
	bool alias;  /* another symbol at the same offset comes before it */
};

/* Of a name that was made here, "fn_65100" or "fn_65100~deflate", the length without the hint;
 * 0: of any other. */
static inline size_t symbol_made_name(const char *name)
{
	size_t digits = strncmp(name, "fn_", 3) == 0 ? strspn(name + 3, "0123456789abcdef") : 0;

	return digits && (!name[3 + digits] || name[3 + digits] == '~') ? 3 + digits : 0;
}

/* All function symbols, read when they are first asked for; the image's.  A file with none
 * gives an empty table. */
const struct symtab *image_symbols(const struct image *image);
/* Have they been read?  Does not wait. */
bool image_symbols_are_read(const struct image *image);

/* For the image itself: reads them.  The image must outlive the table. */
struct symtab *symtab_load(const struct image *image);
void symtab_free(struct symtab *t); /* NULL is fine */

uint32_t symtab_count(const struct symtab *t);
const struct symbol *symtab_at(const struct symtab *t, uint32_t index);
/* The function that contains a file offset (preferred name), NULL if none. */
const struct symbol *symtab_find(const struct symtab *t, uint64_t offset);
/* Index of the first function whose offset is not below this one (for walks). */
uint32_t symtab_lower(const struct symtab *t, uint64_t offset);
/* The function of this raw name, NULL if none (the first by offset of several). */
const struct symbol *symtab_named(const struct symtab *t, const char *raw);
/* Where the names come from: "symtab", "dynsym", "debug file", "pclntab",
 * "none". */
const char *symtab_origin(const struct symtab *t);
/* Symbols left out because there were too many, or their names were a trap. */
uint64_t symtab_forgotten(const struct symtab *t);

#endif
