#include "elf/symtab.h"

#include "elf/debugfile.h"
#include "elf/symlist.h"

#include <string.h>

#define NO_PARENT UINT32_MAX
/* Functions within functions are rare, and more than this a trap. */
#define NESTING_MAX 64

struct symtab {
	struct symlist list;
	const char *origin;
	/* The functions proper (no aliases), for the search. */
	uint64_t *starts;
	uint32_t *index;  /* into the list */
	uint32_t *parent; /* the closest function before that reaches beyond this one's start */
	uint32_t nr_starts;
	uint32_t *by_name; /* indexes into the list, sorted by name; NULL until asked for */
};

/* The stack of functions that are still open at each start is kept in the
 * parents themselves: the top is the last function, or one of its parents. */
static void index_starts(struct symtab *t)
{
	uint32_t n = t->list.symbols.count;

	t->starts = mem_alloc(n * sizeof(*t->starts));
	t->index = mem_alloc(n * sizeof(*t->index));
	t->parent = mem_alloc(n * sizeof(*t->parent));
	for (uint32_t i = 0; i < n; i++) {
		const struct symbol *s = &t->list.symbols.at[i];
		uint32_t to = t->nr_starts, around = to ? to - 1 : NO_PARENT;

		if (s->alias)
			continue;
		while (around != NO_PARENT) {
			const struct symbol *o = &t->list.symbols.at[t->index[around]];

			if (s->offset - o->offset < o->size)
				break;
			around = t->parent[around];
		}
		t->starts[to] = s->offset;
		t->index[to] = i;
		t->parent[to] = around;
		t->nr_starts++;
	}
}

static const char *read_named(struct symlist *l, const struct image *image)
{
	const struct image *debug;
	bool own = symread_static(l, image, image), exported;

	exported = symread_dynamic(l, image);
	if (own)
		return "symtab";
	debug = image_debug_file(image);
	if (debug && symread_static(l, image, debug))
		return "debug file";
	if (symread_pcln(l, image))
		return "pclntab";
	return exported ? "dynsym" : "none";
}

struct symtab *symtab_load(const struct image *image)
{
	struct symtab *t = NEW(struct symtab);

	t->origin = read_named(&t->list, image);
	symread_plt(&t->list, image);
	symlist_sort(&t->list);
	symread_unwind(&t->list, image);
	symlist_sort(&t->list);
	symlist_finish(&t->list, image);
	index_starts(t);
	return t;
}

void symtab_free(struct symtab *t)
{
	if (!t)
		return;
	symlist_done(&t->list);
	free(t->starts);
	free(t->index);
	free(t->parent);
	free(t->by_name);
	free(t);
}

uint32_t symtab_count(const struct symtab *t)
{
	return t->list.symbols.count;
}

const struct symbol *symtab_at(const struct symtab *t, uint32_t index)
{
	return index < t->list.symbols.count ? &t->list.symbols.at[index] : NULL;
}

/* How many starts are at or before an offset. */
static uint32_t starts_until(const struct symtab *t, uint64_t offset)
{
	uint32_t low = 0, high = t->nr_starts;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->starts[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct symbol *symtab_find(const struct symtab *t, uint64_t offset)
{
	uint32_t i = starts_until(t, offset);

	if (!i--)
		return NULL;
	for (unsigned hops = 0; i != NO_PARENT && hops < NESTING_MAX; hops++) {
		const struct symbol *s = &t->list.symbols.at[t->index[i]];

		if (offset - s->offset < s->size)
			return s;
		i = t->parent[i];
	}
	return NULL;
}

uint32_t symtab_lower(const struct symtab *t, uint64_t offset)
{
	uint32_t i = offset ? starts_until(t, offset - 1) : 0;

	return i < t->nr_starts ? t->index[i] : t->list.symbols.count;
}

static int compare_raw(const void *a, const void *b, void *list)
{
	const struct symlist *l = list;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int r = strcmp(l->symbols.at[x].raw, l->symbols.at[y].raw);

	return r ? r : x < y ? -1 : x > y;
}

static void index_names(struct symtab *t)
{
	uint32_t n = t->list.symbols.count;

	t->by_name = mem_alloc(n * sizeof(*t->by_name) + 1);
	for (uint32_t i = 0; i < n; i++)
		t->by_name[i] = i;
	qsort_r(t->by_name, n, sizeof(*t->by_name), compare_raw, &t->list);
}

const struct symbol *symtab_named(const struct symtab *t, const char *raw)
{
	uint32_t low = 0, high = t->list.symbols.count;

	if (!t->by_name)
		index_names((struct symtab *)t);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(t->list.symbols.at[t->by_name[middle]].raw, raw) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == t->list.symbols.count ||
	    strcmp(t->list.symbols.at[t->by_name[low]].raw, raw))
		return NULL;
	return &t->list.symbols.at[t->by_name[low]];
}

const char *symtab_origin(const struct symtab *t)
{
	return t->origin;
}

uint64_t symtab_forgotten(const struct symtab *t)
{
	return t->list.forgotten;
}
