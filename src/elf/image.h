/*
 * image - one ELF file of code, whoever mapped it.
 *
 * Offsets are file offsets (what maps and uprobes speak); addresses are the
 * file's own virtual addresses (what symbols and DWARF speak).  They differ by
 * segment, never by a constant.  The file is foreign: everything is bounded
 * and checked, and a broken file gives an error, never a crash.
 *
 * Several threads may use an image; one that asks for what another is reading waits for it.
 */
#ifndef SONDE_ELF_IMAGE_H
#define SONDE_ELF_IMAGE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct filepool;
struct image;

struct build_id {
	uint8_t size; /* bytes, 0 = none */
	uint8_t bytes[20];
};

/* Opens a regular ELF file (never a FIFO or device; at most 8 GiB).  name is
 * what to call it in messages.  -ENOENT, -EACCES, -EINVAL (not ELF, broken),
 * -ENOTSUP (another machine's code). */
int image_open(const char *path, const char *name, struct image **ret, struct error *err);
/* The same; of all such files only some are open. */
int image_open_pooled(struct filepool *pool, const char *path, const char *name,
		      struct image **ret, struct error *err);
/* A file that may have nothing but debug information (dwz makes such, of type
 * ET_REL): it has no code and no addresses. */
int image_open_supplement(struct filepool *pool, const char *path, struct image **ret,
			  struct error *err);
/* From memory (the vdso); bytes are copied. */
int image_open_memory(const void *bytes, size_t size, const char *name, struct image **ret,
		      struct error *err);
/* One more who uses it: returns it. */
struct image *image_use(struct image *image);
/* The last who opened or uses it frees it; NULL is fine. */
void image_close(struct image *image);

const char *image_name(const struct image *image);
const struct build_id *image_build_id(const struct image *image);
/* False: no loaded segment has it. */
bool image_to_address(const struct image *image, uint64_t offset, uint64_t *ret_address);
bool image_to_offset(const struct image *image, uint64_t address, uint64_t *ret_offset);
/* Is this file offset inside an executable segment? */
bool image_is_code(const struct image *image, uint64_t offset);
/* Reads code or other content at a file offset: number of bytes read. */
size_t image_read(const struct image *image, uint64_t offset, void *to, size_t size);
bool image_has_section(const struct image *image, const char *name);
/* Is there an undefined dynamic symbol (an import) whose raw name matches the
 * glob, or a defined one in .symtab or .dynsym?  */
bool image_imports(const struct image *image, const char *glob);
bool image_defines(const struct image *image, const char *glob);
/* DT_NEEDED, in order: NULL past the end. */
const char *image_needed(const struct image *image, unsigned index);

#endif
