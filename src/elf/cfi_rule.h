/*
 * cfi_rule - rows of CFI as rules of 20 bits (wire/rule.h).
 *
 * Expressions are known by their form, and these are all that compilers and C
 * libraries write for CFA, RBP and the return address on x86-64:
 *
 *	CFA: breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus	lazy PLT stub
 *	CFA: bregN o, deref [, plus_uconst o2]			realigned stack
 *	CFA: bregN o
 *	RBP: breg6 o						realigned stack
 *	CFA: breg7 160, deref; RBP: breg7 120; RA: breg7 168	signal trampoline
 */
#ifndef SONDE_ELF_CFI_RULE_H
#define SONDE_ELF_CFI_RULE_H

#include "base/table.h"
#include "elf/cfi_run.h"
#include "elf/unwind.h"

struct rulebook {
	struct unwind_table *to; /* gets excs and counts */
	struct table known;	 /* hash of a struct rule_exc: its index */
};

void rulebook_done(struct rulebook *b);
/* The rule for a row; RULE_NONE, counted, if there is none. */
uint32_t rulebook_rule(struct rulebook *b, const struct cfi_row *row);

#endif
