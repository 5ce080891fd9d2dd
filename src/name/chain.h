/*
 * chain - which functions are inlined at the offsets of a stream's images.
 *
 * A chain is what is known of one offset: its levels, innermost first, the last
 * one being the function itself.  Chains are made where the file is, and told
 * and taken as EVENT_INLINE records.
 */
#ifndef SONDE_NAME_CHAIN_H
#define SONDE_NAME_CHAIN_H

#include "base/array.h"
#include "base/intern.h"
#include "wire/codec.h"

#define CHAIN_NONE UINT32_MAX
#define CHAINS_MAX (1u << 20)
#define CHAIN_LEVELS_MAX (4u << 20) /* of all */

struct chain_level {
	text_id function, file, at_file;
	uint32_t line, at_line;
};

struct chain {
	uint64_t offset;
	uint32_t image;
	uint32_t first; /* of its levels */
	uint16_t count; /* 0: nothing is known there, and never will be */
	bool recorded;
};

/* Zero is valid and empty. */
struct chains {
	ARRAY(struct chain) list;
	ARRAY(struct chain_level) levels;
	struct table at;      /* hash of image and offset, moved on at a collision */
	struct chain arrives; /* its levels so far, from records */
	uint32_t told;	      /* chains before this one were told */
	uint64_t forgotten;   /* there were too many, or records did not fit together */
};

void chains_done(struct chains *c);
/* Index of the chain of an offset, CHAIN_NONE if it was never added. */
uint32_t chains_find(const struct chains *c, uint32_t image, uint64_t offset);
/* Adds one, or replaces the one that is there: its index, CHAIN_NONE if there
 * are too many. */
uint32_t chains_add(struct chains *c, const struct chain *chain,
		    const struct chain_level *levels);
/* Takes a checked record; the chain is there with its last level. */
void chains_take(struct chains *c, struct intern *text, const struct event_inline *e);

/* Calls each with a record for every level of the chains that were added and
 * not told, except those that came from records. */
typedef void (*chain_record)(void *context, const struct event *e);
void chains_each_new(struct chains *c, const struct intern *text, chain_record each,
		     void *context);

#endif
