/*
 * entry - is the stack at an address that of a function's first instruction?
 *
 * The unwind table (.eh_frame) says for each address where the return address
 * lies.  A return hook writes there through the stack pointer, so this is asked
 * before one is set: a symbol may be a label within a function, and the entry of
 * an unnamed range may be a part that was moved away and is only jumped to.
 */
#ifndef SONDE_PROBE_ENTRY_H
#define SONDE_PROBE_ENTRY_H

#include "elf/image.h"

enum entry_answer {
	ENTRY_UNKNOWN, /* the table does not cover the address */
	ENTRY_YES,     /* the return address is at [SP] */
	ENTRY_NO,
};

struct entry_table;

/* Never NULL; answers ENTRY_UNKNOWN where the file has no table.  The image must
 * outlive it. */
struct entry_table *entry_table_new(const struct image *image);
void entry_table_free(struct entry_table *t); /* NULL is fine */
enum entry_answer entry_ask(const struct entry_table *t, uint64_t address);

#endif
