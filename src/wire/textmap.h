/*
 * textmap - where a process has its code, and the unwind rows for it, as the
 * kernel half reads them.
 *
 * The map 'rows' is one array of 32-bit words in chunks of ROW_CHUNK.  It holds
 * for each image a directory, two words a 4 KiB page of its text (index of the
 * page's first row, number of rows), and the rows (wire/rule.h).  A pair of the
 * directory and the rows of one page never lie across two chunks.
 */
#ifndef SONDE_WIRE_TEXTMAP_H
#define SONDE_WIRE_TEXTMAP_H

#include "wire/rule.h"

#define ROW_CHUNK 1024 /* words: a chunk is one page of memory */

struct row_chunk {
	__u32 words[ROW_CHUNK];
};

/* [start, end) of a process shows text whose ELF address is pc - bias. */
struct space_map {
	__u64 start, end;
	__u64 bias;
	__u32 directory;  /* index of its first word */
	__u32 first_page; /* ELF address >> ROW_PAGE_SHIFT of the first page */
	__u32 nr_pages;	  /* 0: no rows are known: frame pointers only */
	__u32 first_exc;  /* of the image, in the map 'excs' */
};

#define SPACE_MAPS 512
#define SPACE_PARTS 16

/* Never changed once a process points to it: a new one takes its place.  A process with
 * more maps has parts in up to SPACE_PARTS slots, each behind the one before. */
struct space_maps {
	__u32 count;
	__u32 generation; /* 1..65535: what was cached for another is not taken */
	__u64 next_start; /* the start of the next part's first map */
	__u32 next;	  /* its slot + 1, 0 = there is none */
	__u32 unused;
	struct space_map maps[SPACE_MAPS]; /* ascending, not overlapping */
};

#endif
