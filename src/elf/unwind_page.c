#include "elf/unwind_page.h"

#include "elf/segment.h"

#define HAS_CODE 1 /* as count of a page that was not begun */

static uint64_t page_of(uint64_t address)
{
	return address >> ROW_PAGE_SHIFT;
}

static uint64_t page_end(const struct segment *s)
{
	return page_of(s->address + s->size - 1) + 1;
}

/* From the first page with code to the end of the last; false if there is none. */
static bool page_range(const struct segments *all, uint64_t *ret_first, uint64_t *ret_end)
{
	uint64_t first = UINT64_MAX, end = 0;

	for (uint32_t i = 0; i < all->loads.count; i++) {
		const struct segment *s = &all->loads.at[i];

		if (!s->code)
			continue;
		first = page_of(s->address) < first ? page_of(s->address) : first;
		end = page_end(s) > end ? page_end(s) : end;
	}
	*ret_first = first;
	*ret_end = end;
	return first < end;
}

void pager_init(struct pager *p, struct unwind_table *to, const struct image *image)
{
	const struct segments *all = image_segments(image);
	uint64_t first, end;

	*p = (struct pager){ .to = to };
	if (!page_range(all, &first, &end))
		return;
	if (end - first > UNWIND_PAGES_MAX) {
		to->counts.gaps[UNWIND_EXCESS] += end - first - UNWIND_PAGES_MAX;
		end = first + UNWIND_PAGES_MAX;
	}
	to->first_page = first;
	to->nr_pages = end - first;
	to->pages = mem_zeroed(to->nr_pages, sizeof(*to->pages));
	for (uint32_t i = 0; i < all->loads.count; i++) {
		const struct segment *s = &all->loads.at[i];

		if (!s->code)
			continue;
		for (uint64_t n = page_of(s->address); n < page_end(s) && n < end; n++)
			to->pages[n - first].count = HAS_CODE;
	}
}

static void begin_pages(struct pager *p, uint32_t end)
{
	struct unwind_table *t = p->to;

	for (; p->next < end; p->next++) {
		struct unwind_page *page = &t->pages[p->next];

		if (page->count && t->rows.count >= UNWIND_ROWS_MAX) {
			page->count = 0;
			t->counts.gaps[UNWIND_EXCESS]++;
		}
		if (!page->count)
			continue;
		*page = (struct unwind_page){ .first = t->rows.count, .count = 1 };
		array_push(&t->rows, ROW(0, p->rule));
	}
}

/* A second rule at the same address takes the place of the first. */
static void replace_last(struct unwind_table *t, struct unwind_page *page, uint32_t row)
{
	uint32_t *last = &t->rows.at[t->rows.count - 1];

	*last = row;
	if (page->count > 1 && ROW_RULE(last[-1]) == ROW_RULE(row)) {
		t->rows.count--;
		page->count--;
	}
}

void pager_add(struct pager *p, uint64_t address, uint32_t rule)
{
	struct unwind_table *t = p->to;
	uint64_t index = page_of(address) - t->first_page;
	uint32_t offset = address & (ROW_PAGE_SIZE - 1);
	struct unwind_page *page;

	if (index >= t->nr_pages) {
		begin_pages(p, t->nr_pages);
		return;
	}
	begin_pages(p, index + 1);
	if (rule == p->rule)
		return;
	p->rule = rule;
	page = &t->pages[index];
	if (!page->count || p->page_cut == index + 1)
		return;
	if (ROW_OFFSET(t->rows.at[t->rows.count - 1]) == offset) {
		replace_last(t, page, ROW(offset, rule));
		return;
	}
	if (page->count == UNWIND_PAGE_ROWS - 1) {
		p->page_cut = index + 1;
		t->counts.pages_cut++;
		rule = RULE_NONE;
	}
	array_push(&t->rows, ROW(offset, rule));
	page->count++;
}

void pager_finish(struct pager *p)
{
	begin_pages(p, p->to->nr_pages);
}
