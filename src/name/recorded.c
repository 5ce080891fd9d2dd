#include "name/recorded.h"

/* A function can lie within another; so many starts are looked at backwards. */
#define BACK_MAX 16

void recorded_done(struct recorded *r)
{
	array_done(&r->symbols);
}

void recorded_add(struct recorded *r, const struct recorded_symbol *symbol)
{
	struct recorded_symbol *to = array_add(&r->symbols);

	*to = *symbol;
	to->age = r->added++;
	r->sorted = false;
}

static int compare(const void *a, const void *b)
{
	const struct recorded_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->age < y->age ? -1 : x->age > y->age;
}

static void sort(struct recorded *r)
{
	uint32_t kept = 0;

	qsort(r->symbols.at, r->symbols.count, sizeof(*r->symbols.at), compare);
	for (uint32_t i = 0; i < r->symbols.count; i++) {
		if (kept && r->symbols.at[kept - 1].start == r->symbols.at[i].start)
			kept--;
		r->symbols.at[kept++] = r->symbols.at[i];
	}
	r->symbols.count = kept;
	r->sorted = true;
}

const struct recorded_symbol *recorded_find(struct recorded *r, uint64_t offset)
{
	uint32_t low = 0, high = r->symbols.count;

	if (!r->sorted && high)
		sort(r);
	high = r->symbols.count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->symbols.at[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t back = 0; low-- && back < BACK_MAX; back++)
		if (offset - r->symbols.at[low].start < r->symbols.at[low].length)
			return &r->symbols.at[low];
	return NULL;
}
