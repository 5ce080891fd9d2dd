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
	Elf64_Sym *at; /* owned */
	uint32_t count;
	const char *strings;
	uint64_t strings_size;
};

enum symbols_side { SYMBOLS_IMPORT, SYMBOLS_DEFINED };

/* .symtab: false if it has none.  The strings are kept by the image. */
bool symbols_static(const struct image *image, struct symbols *ret);
void symbols_done(struct symbols *s);
/* "" where it has none or the file lies about it. */
const char *symbols_name(const struct symbols *s, uint32_t index);
/* Is a name that matches the glob on this side? */
bool symbols_match(const struct symbols *s, const char *glob, enum symbols_side side);

#endif
