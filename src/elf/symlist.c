#include "elf/symlist.h"

#include "base/text.h"
#include "elf/section.h"
#include "elf/segment.h"

#include <string.h>

#define BLOCK_SIZE (64u << 10)
/* Names are compared no further: a trap has millions of alike ones. */
#define COMPARED 256

void symlist_done(struct symlist *l)
{
	for (uint32_t i = 0; i < l->blocks.count; i++)
		free(l->blocks.at[i]);
	array_done(&l->blocks);
	array_done(&l->symbols);
}

void symlist_add(struct symlist *l, struct symbol s)
{
	if (l->symbols.count < SYMTAB_MAX)
		array_push(&l->symbols, s);
	else
		l->forgotten++;
}

const char *symlist_keep(struct symlist *l, const char *name, size_t length)
{
	char *to;

	if (!l->blocks.count || length + 1 > BLOCK_SIZE - l->block_used) {
		array_push(&l->blocks,
			   (char *)mem_alloc(length >= BLOCK_SIZE ? length + 1 : BLOCK_SIZE));
		l->block_used = 0;
	}
	to = l->blocks.at[l->blocks.count - 1] + l->block_used;
	memcpy(to, name, length);
	to[length] = 0;
	/* a block of its own is full */
	l->block_used = length >= BLOCK_SIZE ? BLOCK_SIZE : l->block_used + length + 1;
	return to;
}

/* Lower is preferred. */
enum rank { RANK_GLOBAL, RANK_WEAK, RANK_LOCAL, RANK_LABEL, RANK_PLT, RANK_UNNAMED };

static enum rank rank(const struct symbol *s)
{
	if (s->kind == SYMBOL_UNNAMED)
		return RANK_UNNAMED;
	if (s->kind == SYMBOL_PLT)
		return RANK_PLT;
	if (s->label)
		return RANK_LABEL;
	if (!s->global)
		return RANK_LOCAL;
	return s->weak ? RANK_WEAK : RANK_GLOBAL;
}

static int compare_names(const char *a, const char *b)
{
	size_t n = strspn(a, "_"), m = strspn(b, "_");

	if (n != m)
		return n < m ? -1 : 1;
	n = strnlen(a, COMPARED);
	m = strnlen(b, COMPARED);
	if (n != m)
		return n < m ? -1 : 1;
	return strncmp(a, b, COMPARED);
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (rank(x) != rank(y))
		return rank(x) < rank(y) ? -1 : 1;
	return x->raw == y->raw ? 0 : compare_names(x->raw, y->raw);
}

/* Is b the same function under the same name (from the other table)? */
static bool is_double(const struct symbol *a, const struct symbol *b)
{
	return a->offset == b->offset &&
	       (a->raw == b->raw || !strncmp(a->raw, b->raw, COMPARED));
}

/* Exported labels inside a function are no functions; end is where the
 * functions so far end. */
static void drop_doubles(struct symlist *l)
{
	uint32_t kept = 0;
	uint64_t end = 0;

	for (uint32_t i = 0; i < l->symbols.count; i++) {
		struct symbol *s = &l->symbols.at[i], *last = &l->symbols.at[kept - 1];

		if (kept && is_double(last, s)) {
			if (last->size < s->size)
				last->size = s->size;
			continue;
		}
		if (s->label && !s->size && s->offset < end)
			continue;
		if (rank(s) < RANK_LABEL && s->offset + s->size > end)
			end = s->offset + s->size;
		l->symbols.at[kept++] = *s;
	}
	l->symbols.count = kept;
}

/* A size that the file leaves open reaches to the next function, and never
 * beyond the segment.  All names of one function have the largest size. */
void symlist_finish(struct symlist *l, const struct image *image)
{
	for (uint32_t i = 0, next; i < l->symbols.count; i = next) {
		struct symbol *s = &l->symbols.at[i];
		uint64_t size = 0, end;

		for (next = i; next < l->symbols.count; next++) {
			if (l->symbols.at[next].offset != s->offset)
				break;
			l->symbols.at[next].alias = next > i;
			if (l->symbols.at[next].size > size)
				size = l->symbols.at[next].size;
		}
		end = image_code_end(image, s->offset);
		if (!size && next < l->symbols.count && l->symbols.at[next].offset < end)
			end = l->symbols.at[next].offset;
		for (uint32_t j = i; j < next; j++)
			l->symbols.at[j].size = size ? size : end - s->offset;
	}
}

static bool is_sorted(const struct symlist *l)
{
	for (uint32_t i = 1; i < l->symbols.count; i++)
		if (compare(&l->symbols.at[i - 1], &l->symbols.at[i]) > 0)
			return false;
	return true;
}

void symlist_sort(struct symlist *l)
{
	if (!is_sorted(l))
		qsort(l->symbols.at, l->symbols.count, sizeof(struct symbol), compare);
	drop_doubles(l);
}
