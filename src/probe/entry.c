#include "probe/entry.h"

#include "base/mem.h"
#include "elf/unwind.h"

struct entry_table {
	struct unwind_table rows;
};

struct entry_table *entry_table_new(const struct image *image)
{
	struct entry_table *t = NEW(struct entry_table);

	unwind_build(image, &t->rows, NULL); /* on error it is empty */
	return t;
}

void entry_table_free(struct entry_table *t)
{
	if (!t)
		return;
	unwind_done(&t->rows);
	free(t);
}

enum entry_answer entry_ask(const struct entry_table *t, uint64_t address)
{
	uint32_t rule = unwind_find(&t->rows, address);

	if (RULE_TYPE(rule) == RULE_NONE)
		return ENTRY_UNKNOWN;
	/* the canonical frame address is SP + 8: the return address is at [SP] */
	return RULE_TYPE(rule) == RULE_SP && RULE_VALUE(rule) == 1 ? ENTRY_YES : ENTRY_NO;
}
