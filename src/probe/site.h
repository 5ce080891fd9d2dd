/*
 * site - where in a function the probe goes, and at what price.
 *
 * A probe at the first instruction is dear when the kernel has to single-step
 * it (endbr64, mov, sub, ...).  It may then stand a few instructions later, if
 * nobody can tell the difference: every call executes that instruction once,
 * and the stack pointer is still the one of the entry (the return hook and the
 * kernel half read the return slot through it).
 */
#ifndef SONDE_PROBE_SITE_H
#define SONDE_PROBE_SITE_H

#include "probe/decoder.h"

/* The bytes of one function, as in the file. */
struct function_code {
	const uint8_t *bytes;
	uint64_t size;
	uint64_t address; /* of bytes[0], in the numbers branches use */
	/* The part the compiler moved away (.cold); it may branch back. */
	const uint8_t *cold;
	uint64_t cold_size, cold_address;
};

struct site_choice {
	uint64_t offset; /* of the probe, bytes from the function's start */
	enum insn_price price;
	const char *insn;    /* name of the instruction it stands on; static */
	uint8_t length;	     /* of that instruction */
	bool jumps;	     /* the thread need not go on behind it */
	bool sp_is_entry;    /* SP there is that of the entry: a return hook can be set */
	bool moved;	     /* not where it was asked for */
	bool decoded;	     /* all of the function was understood */
	const char *no_end;  /* why no return hook can be set, NULL = it can; static; filled by
				locate_choose(), which knows the symbol */
	const char *refused; /* why there is no probe, NULL = there is one; static */
};

/* The best equivalent of the function's entry. */
void site_entry(struct decoder *d, const struct function_code *code, struct site_choice *ret);
/* Exactly there: offset must be an instruction's start, as decoded from the
 * entry. */
void site_exact(struct decoder *d, const struct function_code *code, uint64_t offset,
		struct site_choice *ret);

#endif
