/*
 * unwind_rows - prints the unwind table of a file, to be compared with another
 * reader's.
 *
 *	unwind_rows FILE
 *
 * A line a row, the last one being what is left out; registers are DWARF's
 * numbers, c is CFA, s the same as before, u lost:
 *
 *	1040 7+8 s c-8		ADDRESS CFA RBP RA
 *	1052 *10-8+0 *6+0 c-8	CFA is read from memory; RBP lies at [RBP]
 *	1060 7+8 s c-8 injected	the caller was interrupted, it called nothing
 *	2000 end | plt11 | plt10 | signal | none
 *	# expression=3		entries or rows that could not be used, by kind
 */
#include "elf/unwind.h"

#include <inttypes.h>
#include <stdio.h>

static void exc_print(const struct rule_exc *e)
{
	if (e->cfa_deref)
		printf("*%d%+d%+d", e->cfa_reg, e->cfa_off, e->cfa_off2);
	else
		printf("%d%+d", e->cfa_reg, e->cfa_off);
	if (e->rbp_kind == RULE_RBP_AT_CFA)
		printf(" c%+d", e->rbp_off);
	else if (e->rbp_kind == RULE_RBP_AT_RBP)
		printf(" *6%+d", e->rbp_off);
	else
		printf(e->rbp_kind == RULE_RBP_SAME ? " s" : " u");
	printf(" c%+d%s\n", e->ra_off, e->injected ? " injected" : "");
}

static void rule_print(const struct unwind_table *t, uint32_t rule)
{
	static const char *const special[] = {
		[RULE_END] = "end",	  [RULE_PLT11] = "plt11",   [RULE_PLT10] = "plt10",
		[RULE_SIGNAL] = "signal", [RULE_SWITCH] = "switch",
	};

	switch (RULE_TYPE(rule)) {
	case RULE_SP:
	case RULE_FP:
		printf("%d+%u", RULE_TYPE(rule) == RULE_SP ? RULE_REG_RSP : RULE_REG_RBP,
		       RULE_VALUE(rule) * 8);
		if (RULE_SLOT(rule))
			printf(" c-%u c-8\n", 8 * (RULE_SLOT(rule) + 1));
		else
			printf(" s c-8\n");
		return;
	case RULE_SPECIAL:
		printf("%s\n", special[RULE_VALUE(rule)]);
		return;
	case RULE_EXC:
		exc_print(&t->excs.at[RULE_INDEX(rule)]);
		return;
	}
	printf("none\n");
}

static void table_print(const struct unwind_table *t)
{
	for (uint32_t p = 0; p < t->nr_pages; p++)
		for (uint32_t i = 0; i < t->pages[p].count; i++) {
			uint32_t row = t->rows.at[t->pages[p].first + i];
			uint64_t page = (t->first_page + p) << ROW_PAGE_SHIFT;

			printf("%" PRIx64 " ", page + ROW_OFFSET(row));
			rule_print(t, ROW_RULE(row));
		}
	printf("#");
	for (unsigned i = 0; i < NR_UNWIND_GAP; i++)
		if (t->counts.gaps[i])
			printf(" %s=%" PRIu64, unwind_gap_name(i), t->counts.gaps[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct unwind_table t;
	struct image *image;
	struct error err;

	if (argc != 2) {
		fprintf(stderr, "usage: unwind_rows FILE\n");
		return 2;
	}
	if (image_open(argv[1], argv[1], &image, &err) || unwind_build(image, &t, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	table_print(&t);
	unwind_done(&t);
	image_close(image);
	return 0;
}
