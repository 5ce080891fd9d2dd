/*
 * rows - the one array of words that holds every image's directory and rows.
 *
 * Built in memory; rows_map() moves it into the kernel's map, which is shared
 * memory: what is added later is there at once.
 */
#ifndef SONDE_SOURCE_ROWS_H
#define SONDE_SOURCE_ROWS_H

#include "base/array.h"
#include "base/error.h"
#include "elf/unwind.h"
#include "wire/textmap.h"

#define ROWS_SPARE_CHUNKS 1024 /* 4 MiB for libraries that are loaded later */
#define ROWS_SPARE_EXCS 1024

struct rows {
	ARRAY(uint32_t) words; /* until rows_map() */
	uint32_t *shared;      /* the kernel's map, NULL before */
	uint32_t used, room;   /* words */
	ARRAY(struct rule_exc) excs;
	uint32_t excs_written, excs_room; /* room 0: no bound yet */
	uint64_t left_out;		  /* images for which there was no room */
	size_t mapped;			  /* bytes */
};

/* Where an image is; nr_pages 0: it is not. */
struct rows_place {
	uint32_t directory, first_page, nr_pages, first_exc;
};

void rows_done(struct rows *r);
/* Adds an image's table; without room *ret_place has no pages. */
void rows_add(struct rows *r, const struct unwind_table *table, struct rows_place *ret_place);
/* Chunks in use. */
uint32_t rows_chunks(const struct rows *r);
/* Moves all into the map fd of so many chunks and excs. */
int rows_map(struct rows *r, int fd, uint32_t chunks, uint32_t excs, struct error *err);
/* Writes the excs that are new into their map. */
void rows_write(struct rows *r, int excs_fd);

/* Bytes of an ELF image in this process' memory, found by its own headers; at
 * most `most`. */
size_t rows_mapped_size(const void *at, size_t most);

#endif
