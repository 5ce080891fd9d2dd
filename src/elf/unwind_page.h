/*
 * unwind_page - lays out the rows of an unwind table in pages.
 */
#ifndef SONDE_ELF_UNWIND_PAGE_H
#define SONDE_ELF_UNWIND_PAGE_H

#include "elf/unwind.h"

/* Gets rules in ascending order of their addresses. */
struct pager {
	struct unwind_table *to;
	uint32_t next;	   /* the first page that was not begun */
	uint32_t rule;	   /* in force */
	uint32_t page_cut; /* the last page that was full, + 1 */
};

/* The pages with code of an image, all without rows. */
void pager_init(struct pager *p, struct unwind_table *to, const struct image *image);
/* From this address on the rule holds. */
void pager_add(struct pager *p, uint64_t address, uint32_t rule);
/* Begins the pages that are left. */
void pager_finish(struct pager *p);

#endif
