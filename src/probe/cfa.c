#include "probe/cfa.h"

#include "base/mem.h"
#include "elf/unwind.h"

struct cfa_table {
	struct unwind_table rows;
};

struct cfa_table *cfa_table_new(const struct image *image)
{
	struct cfa_table *t = NEW(struct cfa_table);

	unwind_build(image, &t->rows, NULL); /* on error it is empty */
	return t;
}

void cfa_table_free(struct cfa_table *t)
{
	if (!t)
		return;
	unwind_done(&t->rows);
	free(t);
}

uint32_t cfa_rule(const struct cfa_table *t, uint64_t address)
{
	return unwind_find(&t->rows, address);
}

enum cfa_answer cfa_is_entry(const struct cfa_table *t, uint64_t address)
{
	uint32_t rule = cfa_rule(t, address);

	if (RULE_TYPE(rule) == RULE_NONE)
		return CFA_UNKNOWN;
	return cfa_is_same(rule, RULE_ENTRY) ? CFA_YES : CFA_NO;
}
