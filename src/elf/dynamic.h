/*
 * dynamic - what the dynamic linker is told about an image.
 *
 * Read from PT_DYNAMIC, as the dynamic linker does it, so it holds for files
 * without section headers too.  The number of symbols is nowhere written down;
 * it follows from the hash tables (DT_HASH, DT_GNU_HASH), else from .dynsym.
 */
#ifndef SONDE_ELF_DYNAMIC_H
#define SONDE_ELF_DYNAMIC_H

#include "elf/symbols.h"

struct dynamic;

/* Never NULL; empty for a static program or a broken table. */
struct dynamic *dynamic_load(const struct image *image);
void dynamic_free(struct dynamic *d);

const struct symbols *dynamic_symbols(const struct dynamic *d);
/* DT_NEEDED, in order: NULL past the end. */
const char *dynamic_needed(const struct dynamic *d, uint32_t index);
/* Relocations that fill the procedure linkage table (DT_JMPREL, DT_PLTRELSZ). */
uint32_t dynamic_plt_relocations(const struct dynamic *d, const Elf64_Rela **ret);

/* The image's own, loaded at the first question. */
const struct dynamic *image_dynamics(const struct image *image);

#endif
