/*
 * cfa - where the return address of a call lies, at each address of an image.
 *
 * The unwind table (.eh_frame) says how to reach the CFA, the stack pointer
 * before the call: the return address is at CFA - 8, wherever in the function a
 * probe stands.  So a symbol that is only a label within a function, or an
 * unnamed range that was moved away from one, is told from a function; and the
 * two ends of a call are known to belong together.
 */
#ifndef SONDE_PROBE_CFA_H
#define SONDE_PROBE_CFA_H

#include "elf/unwind.h"
#include "wire/rule.h"

enum cfa_answer {
	CFA_UNKNOWN, /* the table does not cover the address */
	CFA_YES,     /* the return address is at [SP] */
	CFA_NO,
};

/* Is the stack at an address that of a function's first instruction? */
enum cfa_answer cfa_is_entry(const struct unwind_table *t, uint64_t address);

/* Does a rule reach the CFA from SP or RBP alone, as a probe can? */
static inline bool cfa_is_plain(uint32_t rule)
{
	return RULE_TYPE(rule) == RULE_SP || RULE_TYPE(rule) == RULE_FP;
}

/* The same place for the CFA? */
static inline bool cfa_is_same(uint32_t a, uint32_t b)
{
	return RULE_TYPE(a) == RULE_TYPE(b) && RULE_VALUE(a) == RULE_VALUE(b);
}

#endif
