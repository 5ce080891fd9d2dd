/*
 * section - the parts of an ELF file, for those who read its tables.
 *
 * Contents are read with pread(2) and kept, never mapped: a mapped file that
 * its owner truncates would end us with SIGBUS.  At most SECTION_SIZE_MAX
 * bytes a section and SECTION_TOTAL_MAX an image are kept.
 */
#ifndef SONDE_ELF_SECTION_H
#define SONDE_ELF_SECTION_H

#include "elf/filepool.h"
#include "elf/image.h"

#include <elf.h>

#define SECTION_SIZE_MAX (256u << 20)
#define SECTION_TOTAL_MAX (1u << 30)

struct section {
	const char *name;
	uint32_t type; /* SHT_... */
	uint32_t link; /* index of the related section (strings of a symbol table) */
	uint64_t flags, address, offset, size;
};

/* All of an image's, with what was read of them. */
struct sections;

/* Never NULL.  A file needs no section headers: one whose table is broken has none. */
struct sections *sections_read(const struct image *image, const Elf64_Ehdr *header);
void sections_free(struct sections *all); /* NULL is fine */
struct sections *image_sections(const struct image *image);

/* NULL: no such section.  The first one of that name or type counts. */
const struct section *image_section(const struct image *image, const char *name);
const struct section *image_section_of(const struct image *image, uint32_t type);
const struct section *image_section_at(const struct image *image, uint32_t index);

/* The contents, size bytes and one NUL behind them, valid until the image is
 * closed.  NULL: no section (s may be NULL), empty, compressed, without bytes
 * in the file, or over the bounds above. */
const uint8_t *section_bytes(const struct image *image, const struct section *s);
/* The same as a copy that the caller frees: for what is read through once. */
uint8_t *section_copy(const struct image *image, const struct section *s);

/* While a part of the image is read that it keeps; a thread may lock it several times. */
void image_lock(const struct image *image);
void image_unlock(const struct image *image);

/* The path it was opened by, "" if it was an open file or memory. */
const char *image_path(const struct image *image);
/* Its file (the image's), NULL if it came from memory. */
struct pooled_file *image_file(const struct image *image);
/* In which that is, NULL = in none. */
struct filepool *image_pool(const struct image *image);

#endif
