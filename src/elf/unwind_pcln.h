/*
 * unwind_pcln - unwind rules of Go's functions, by what the program itself knows.
 *
 * A compiled function saves RBP right below its return address as soon as it has a
 * frame (the frame pointers of Go 1.7 and later), and from Go 1.21 on so does every
 * function in assembler that calls others.  So one that goes on to another stack
 * (runtime.systemstack, calls of C) has left RBP pointing into the one it came from;
 * before 1.21 its caller's frame is what is found there, and the caller missing.
 */
#ifndef SONDE_ELF_UNWIND_PCLN_H
#define SONDE_ELF_UNWIND_PCLN_H

#include "elf/cfi.h"
#include "elf/cfi_rule.h"
#include "elf/pcln.h"
#include "elf/unwind_page.h"

struct go_rules {
	struct pcln pcln;
	uint8_t *bytes; /* owned; NULL: no program in Go */
};

/* Adds an entry for every function.  A table that cannot be read is counted and is
 * as good as none. */
void go_rules_init(struct go_rules *g, const struct image *image, struct cfi *cfi);
void go_rules_done(struct go_rules *g);
/* The rules of one entry, up to (not including) limit; false: broken. */
bool go_rules_run(struct go_rules *g, const struct fde *f, uint64_t limit,
		  struct rulebook *rules, struct pager *pager);

#endif
