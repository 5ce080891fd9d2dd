/*
 * unwind - for every code address of an image, how to reach the caller's frame.
 *
 * The call frame information (CFI) that compilers write for exceptions and
 * debuggers, .eh_frame and .debug_frame (DWARF 5 section 6.4; Linux Standard
 * Base 5.0 "Exception Frames"), executed once and laid out so that the kernel
 * half finds a rule by one short search: see wire/rule.h for rows and rules.
 *
 *	page 0x25: row { 0x000, SP+8 } { 0x0c1, SP+16 } { 0x0c4, FP+16, RBP at CFA-16 } ...
 *
 * - Every page with code begins with the rule that is in force there.
 * - Where no entry covers the code the rule is RULE_NONE; gaps of less than 16
 *   bytes between functions are padding, and go on with the function before.
 * - RBP whose saved copy lies below SP is in the register: it was popped.
 * - Rules that only debuggers can follow are RULE_NONE and counted by kind.
 */
#ifndef SONDE_ELF_UNWIND_H
#define SONDE_ELF_UNWIND_H

#include "base/array.h"
#include "elf/image.h"
#include "wire/rule.h"

/* Bounds of one image; what is over them is left out and counted. */
#define UNWIND_PAGES_MAX (1u << 20) /* 4 GiB of addresses from the first code on */
#define UNWIND_ROWS_MAX (1u << 24)
#define UNWIND_EXCS_MAX 4096
#define UNWIND_FDES_MAX (1u << 22)
#define UNWIND_CIES_MAX (1u << 16)

/* What cannot be used, and what it is counted in. */
enum unwind_gap {
	UNWIND_BROKEN,	     /* entries: cut off, or they contradict themselves */
	UNWIND_VERSION,	     /* entries: neither version 1, 3 nor 4, or not for 64 bits */
	UNWIND_AUGMENTATION, /* entries: with an augmentation that is not known */
	UNWIND_ENCODING,     /* entries: their pointers are relative to something else */
	UNWIND_OPCODE,	     /* entries: from an instruction on that is not known */
	UNWIND_OUTSIDE,	     /* entries: for addresses where the image has no code */
	UNWIND_EXPRESSION,   /* rows: CFA is an expression of another form */
	UNWIND_REGISTER,     /* rows: CFA is based on a register that is no general one */
	UNWIND_OFFSET,	     /* rows: an offset needs more than 32 bits */
	UNWIND_RETURN,	     /* rows: the return address is not saved near CFA */
	UNWIND_RBP,	     /* rows: RBP is lost, all else holds */
	UNWIND_EXCESS,	     /* entries, rows or pages over the bounds above */
	NR_UNWIND_GAP
};

struct unwind_counts {
	uint64_t fdes, cies;	/* entries that were understood */
	uint64_t excs;		/* rows with a RULE_EXC, before equal neighbours are merged */
	uint64_t covered_bytes; /* of code, by entries */
	uint64_t ignored;	/* instructions without a meaning here (GNU_window_save) */
	uint64_t pages_cut;	/* pages with more than UNWIND_PAGE_ROWS rows */
	uint64_t gaps[NR_UNWIND_GAP];
};

/* Zero is valid and empty. */
struct unwind_table {
	uint64_t first_page;	   /* address >> ROW_PAGE_SHIFT */
	uint32_t nr_pages;	   /* of pages */
	struct unwind_page *pages; /* first counts from the start of rows */
	ARRAY(uint32_t) rows;	   /* ROW(offset, rule) */
	ARRAY(struct rule_exc) excs;
	struct unwind_counts counts;
};

/*
 * Reads .eh_frame, found by section or by PT_GNU_EH_FRAME; then .debug_frame
 * for code that has none, that of the debug file too if less than half of the
 * code is covered.  A file without either gives an empty table.  -EINVAL: a
 * section is there but cannot be read; -ENOTSUP: not built for x86-64.
 */
int unwind_build(const struct image *image, struct unwind_table *ret, struct error *err);
void unwind_done(struct unwind_table *t);
/* Built when it is first asked for; the image's, until it forgets.  Empty on error. */
const struct unwind_table *image_unwind(const struct image *image);
/* For who has packed them elsewhere: those of clang's libraries take 19 MiB. */
void image_forget_unwind(struct image *image);

/* The rule at an address of the file, RULE_NONE outside. */
uint32_t unwind_find(const struct unwind_table *t, uint64_t address);
/* Bytes that the kernel half needs for it. */
uint64_t unwind_size(const struct unwind_table *t);
/* In words: "expression", ... */
const char *unwind_gap_name(enum unwind_gap gap);

#endif
