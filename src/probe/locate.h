/*
 * locate - from a function to the address its probe gets.
 */
#ifndef SONDE_PROBE_LOCATE_H
#define SONDE_PROBE_LOCATE_H

#include "probe/probe.h"
#include "probe/site.h"

/* The best place for the entry of a function, or exactly *exact bytes into it
 * (exact may be NULL).  Refusals are in ret->refused, not an error. */
void locate_choose(struct decoder *decoder, struct code_image *image,
		   const struct symbol *symbol, const uint64_t *exact, struct site_choice *ret);

/* Is the stack at its first byte (or offset bytes on) that of a function's entry?  false
 * for a part of a function that was moved away, and for a label within one. */
bool locate_is_entry(struct code_image *image, const struct symbol *symbol, uint64_t offset);
/* Is it a function that calls arrive at: no such part or label, no PLT entry, no choice
 * among versions (IFUNC)? */
bool locate_is_called(struct code_image *image, const struct symbol *symbol);

/* A function without sites, with strings of its own. */
void function_init(const struct code_image *image, const struct symbol *symbol,
		   struct probe_function *ret);
void function_done(struct probe_function *f);

/* Are its sites mapped, and is what the process has in memory of its parts what the
 * file says?  Breakpoints of other tracers do not count.  0 or -ESTALE; f->checked
 * stays false where the memory may not be read. */
int locate_check_memory(const struct code_image *image, struct probe_function *f,
			struct error *err);

#endif
