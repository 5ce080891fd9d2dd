/*
 * symbols - a raw symbol table of an ELF file: the entries and their strings.
 *
 * Layout: Elf64_Sym of the System V ABI.  Strings end with a NUL even where
 * the file forgot it.
 */
#ifndef SONDE_ELF_SYMBOLS_H
#define SONDE_ELF_SYMBOLS_H

#include "elf/image.h"

#include <elf.h>

struct symbols {
	const Elf64_Sym *at; /* the owner's */
	uint32_t count;
	const char *strings;
	uint64_t strings_size;
};

enum symbols_side { SYMBOLS_IMPORT, SYMBOLS_DEFINED };

/* For the image itself: reads its .symtab, which it keeps; empty if it has none. */
struct symbols symbols_static(const struct image *image);
/* The same, read at the first question. */
const struct symbols *image_statics(const struct image *image);
/* How many bytes of names may be looked at.  Names of honest files share a suffix here and
 * there; a trap lets every symbol point at one huge name. */
uint64_t symbols_budget(const struct symbols *s);
/* "" where it has none or the file lies about it. */
const char *symbols_name(const struct symbols *s, uint32_t index);
/* Is a name that matches the glob on this side?  Names beyond the budget are taken to be. */
bool symbols_match(const struct symbols *s, const char *glob, enum symbols_side side);

#endif
