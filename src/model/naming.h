/*
 * naming - how the pure half asks for the name of a frame.
 *
 * The model knows frames as (image, offset); what they are called is found
 * late, by whoever can read files (name/namer) or by a test's table.
 */
#ifndef SONDE_MODEL_NAMING_H
#define SONDE_MODEL_NAMING_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Strings stay valid until the next call. */
struct frame_name {
	const char *function;	/* demangled */
	const char *file;	/* "" = not known */
	uint32_t line;		/* of the function's definition, 0 = not known */
	uint64_t start, length; /* of the function, as offsets in its image */
	const char *at_file;	/* where in it the offset is (or the call of what is */
	uint32_t at_line;	/* inlined there); NULL, "" or 0 = not known */
};

/* Most levels of one offset. */
#define NAMING_LEVELS 64

/* A variable at an address. */
struct data_name {
	struct text name;    /* is added to */
	uint64_t into, size; /* bytes: from where it begins to the address, and of it all */
};

struct naming {
	/* false: no function is known there. */
	bool (*find)(void *context, uint32_t image, uint64_t offset, struct frame_name *ret);
	/* The functions inlined at an offset, innermost first, and last the one that
	 * find() gives.  Returns their number, at most room (2 or more); 0: nothing
	 * is known (yet).  May be NULL.  start and length are only the last one's. */
	unsigned (*expand)(void *context, uint32_t image, uint64_t offset,
			   struct frame_name *ret, unsigned room);
	/* What the data is called that lies so many bytes behind where an offset is mapped.
	 * false: it is not known.  May be NULL. */
	bool (*variable)(void *context, uint32_t image, uint64_t offset, uint64_t distance,
			 struct data_name *ret);
	void *context;
};

/* Is it where the kernel begins to handle what came in between: an interrupt? */
bool naming_is_interrupt(const char *function);

#endif
