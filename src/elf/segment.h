/*
 * segment - what of an ELF file is loaded where, from its program headers.
 */
#ifndef SONDE_ELF_SEGMENT_H
#define SONDE_ELF_SEGMENT_H

#include "base/array.h"
#include "elf/image.h"

#include <elf.h>

/* A PT_LOAD with content: bytes [offset, offset + size) of the file at address. */
struct segment {
	uint64_t offset, size, address;
	bool code;
};

/* Zero is valid and empty. */
struct segments {
	ARRAY(struct segment) loads;	       /* at most 256 */
	struct build_id build_id;	       /* from PT_NOTE */
	uint64_t end;			       /* of all that is loaded, data too */
	uint64_t dynamic_offset, dynamic_size; /* PT_DYNAMIC, in the file; size 0: none */
};

/* -EINVAL: too many, of a wrong size, or cut off. */
int segments_read(struct segments *to, const struct image *image, const Elf64_Ehdr *header,
		  struct error *err);
void segments_done(struct segments *s);

const struct segments *image_segments(const struct image *image);
/* The end of the executable segment this file offset is in, 0 if it is in none. */
uint64_t image_code_end(const struct image *image, uint64_t offset);

#endif
