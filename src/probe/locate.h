/*
 * locate - from a function to the address its probe gets.
 */
#ifndef SONDE_PROBE_LOCATE_H
#define SONDE_PROBE_LOCATE_H

#include "probe/probe.h"

/* The best place for the entry of a function, or exactly *exact bytes into it
 * (exact may be NULL).  Refusals are in ret->refused, not an error. */
void locate_choose(struct decoder *decoder, struct code_image *image,
		   const struct symbol *symbol, const uint64_t *exact, struct site_choice *ret);
/* Fills a function with its entry's site, with strings of its own. */
void locate_function(struct decoder *decoder, struct code_image *image,
		     const struct symbol *symbol, const uint64_t *exact,
		     struct probe_function *ret);
void function_done(struct probe_function *f);

/* Is what the process has in memory from the entry to the probed instruction
 * what the file says?  Breakpoints of other tracers do not count.  0, -ESTALE,
 * or 1 when the memory may not be read. */
int locate_check_memory(const struct code_image *image, const struct probe_function *function,
			struct error *err);

#endif
