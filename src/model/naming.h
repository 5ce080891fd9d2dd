/*
 * naming - how the pure half asks for the name of a frame.
 *
 * The model knows frames as (image, offset); what they are called is found
 * late, by whoever can read files (name/namer) or by a test's table.
 */
#ifndef SONDE_MODEL_NAMING_H
#define SONDE_MODEL_NAMING_H

#include <stdbool.h>
#include <stdint.h>

/* Strings stay valid until the next call. */
struct frame_name {
	const char *function;	/* demangled */
	const char *file;	/* "" = not known */
	uint32_t line;		/* of the function's definition, 0 = not known */
	uint64_t start, length; /* of the function, as offsets in its image */
};

struct naming {
	/* false: no function is known there. */
	bool (*find)(void *context, uint32_t image, uint64_t offset, struct frame_name *ret);
	void *context;
};

#endif
