/*
 * recorded - the names that a recording carries for one image (EVENT_SYMBOL), or for its data
 * (EVENT_VARIABLE).
 *
 * They were made where the file was, so they go before anything that is found
 * here.  Of two for the same start the newer holds.
 */
#ifndef SONDE_NAME_RECORDED_H
#define SONDE_NAME_RECORDED_H

#include "base/array.h"
#include "base/intern.h"

#include <stdbool.h>

struct recorded_symbol {
	uint64_t start, length;
	text_id name, file;
	uint32_t line;
	uint32_t age; /* how many were added before it; set by recorded_add */
};

/* Zero is valid and empty. */
struct recorded {
	ARRAY(struct recorded_symbol) symbols;
	uint32_t added;
	bool sorted;
};

void recorded_done(struct recorded *r);
void recorded_add(struct recorded *r, const struct recorded_symbol *symbol);
/* The smallest function around an offset, NULL if none. */
const struct recorded_symbol *recorded_find(struct recorded *r, uint64_t offset);

#endif
