#include "probe/cfa.h"

enum cfa_answer cfa_is_entry(const struct unwind_table *t, uint64_t address)
{
	uint32_t rule = unwind_find(t, address);

	if (RULE_TYPE(rule) == RULE_NONE)
		return CFA_UNKNOWN;
	return cfa_is_same(rule, RULE_ENTRY) ? CFA_YES : CFA_NO;
}
