/*
 * pcln - what a Go program knows of its own functions.
 *
 * The linker writes it for the run-time system, which walks and names stacks by
 * it, into every program, stripped or not: .gopclntab ("Go 1.2 Runtime Symbol
 * Information", with what Go's runtime/symtab.go changed since).
 *
 *	header	magic, sizes, how many functions, where the other parts begin
 *	functab	{ address of a function, where its entry is }, ascending
 *	entry	{ name, where its tables are, flags, ... }, one a function
 *	pcsp	how far SP lies below where it was at the entry, from pc to pc
 *
 * All of it is foreign; reading is bounded by its size.
 */
#ifndef SONDE_ELF_PCLN_H
#define SONDE_ELF_PCLN_H

#include "elf/section.h"

/* The formats, by the first release of Go that wrote them. */
enum pcln_format { PCLN_1_2, PCLN_1_16, PCLN_1_18, PCLN_1_20 };

struct pcln {
	const uint8_t *bytes; /* the caller's: the whole section */
	uint64_t size;
	enum pcln_format format;
	uint8_t quantum;		/* of differences between pcs */
	uint32_t count;			/* of functions */
	uint64_t text;			/* addresses are relative to it, from PCLN_1_18 on */
	uint64_t names, pctab, functab; /* where they begin in the section */
	uint64_t work;			/* how many more steps through tables are made */
};

struct pcln_func {
	uint64_t start, end; /* addresses; end without padding where that is known */
	const char *name;    /* "main.(*T).f", NUL within the section; "" if it has none */
	uint64_t pcsp;	     /* offset in the section, 0: none */
	bool outermost;	     /* the stack ends here, all is well */
	bool switches;	     /* writes SP: goes on to another stack */
	bool injected;	     /* what it returns to called nothing: a signal handler made the
				goroutine go here */
};

/* NULL: the image has none. */
const struct section *pcln_section(const struct image *image);
/* bytes are the section's, and followed by a NUL (section_copy, section_bytes).
 * False: not a format that is known, broken, or nobody says where its code begins. */
bool pcln_init(struct pcln *p, const struct image *image, const struct section *s,
	       const uint8_t *bytes);
/* From the first function to the end of the last; C code in the program lies elsewhere. */
void pcln_range(const struct pcln *p, uint64_t *ret_start, uint64_t *ret_end);
/* False: broken. */
bool pcln_at(struct pcln *p, uint32_t index, struct pcln_func *ret);

/* Gets each stretch of a function: from this address on SP is so many bytes below
 * where it was at the entry. */
typedef void pcln_emit(void *store, uint64_t address, int64_t below);

/* Goes through a function's pcsp: where the last stretch ends; start if it has no
 * table.  emit may be NULL. */
uint64_t pcln_run(struct pcln *p, const struct pcln_func *f, pcln_emit *emit, void *store);

#endif
