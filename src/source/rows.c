#include "source/rows.h"

#include <bpf/bpf.h>
#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

void rows_done(struct rows *r)
{
	if (r->shared)
		munmap(r->shared, r->mapped);
	array_done(&r->words);
	array_done(&r->excs);
}

uint32_t rows_chunks(const struct rows *r)
{
	return (r->used + ROW_CHUNK - 1) / ROW_CHUNK;
}

/* Sets a word; before rows_map() the array grows with it. */
static void put_word(struct rows *r, uint32_t at, uint32_t word)
{
	if (r->shared) {
		r->shared[at] = word;
		return;
	}
	while (r->words.count <= at)
		array_push(&r->words, 0);
	r->words.at[at] = word;
}

/* Words that the table takes at most from `used` on, with what is left empty
 * before a chunk's end. */
static uint64_t words_for(const struct rows *r, const struct unwind_table *table)
{
	uint64_t at = (r->used + 1) / 2 * 2 + 2ull * table->nr_pages;

	for (uint32_t p = 0; p < table->nr_pages; p++) {
		uint32_t n = table->pages[p].count;

		if (at % ROW_CHUNK + n > ROW_CHUNK)
			at = (at / ROW_CHUNK + 1) * ROW_CHUNK;
		at += n;
	}
	return at - r->used;
}

static void put_page(struct rows *r, const struct unwind_table *table, uint32_t page,
		     uint32_t directory)
{
	const struct unwind_page *p = &table->pages[page];

	if (r->used % ROW_CHUNK + p->count > ROW_CHUNK)
		r->used = (r->used / ROW_CHUNK + 1) * ROW_CHUNK;
	put_word(r, directory + 2 * page, r->used);
	put_word(r, directory + 2 * page + 1, p->count);
	for (uint32_t i = 0; i < p->count; i++)
		put_word(r, r->used++, table->rows.at[p->first + i]);
}

void rows_add(struct rows *r, const struct unwind_table *table, struct rows_place *ret_place)
{
	struct rows_place place = { .first_page = table->first_page,
				    .nr_pages = table->nr_pages };
	uint64_t words = words_for(r, table);

	*ret_place = (struct rows_place){ 0 };
	if (!table->nr_pages || table->first_page > UINT32_MAX)
		return;
	if (r->used + words > (r->shared ? r->room : UINT32_MAX / 2) ||
	    (r->excs_room && r->excs.count + table->excs.count > r->excs_room) ||
	    r->excs.count + table->excs.count > RULE_INDEX_MAX) {
		r->left_out++;
		return;
	}
	place.first_exc = r->excs.count;
	for (uint32_t i = 0; i < table->excs.count; i++)
		array_push(&r->excs, table->excs.at[i]);
	r->used = (r->used + 1) / 2 * 2; /* a pair never lies across two chunks */
	place.directory = r->used;
	r->used += 2 * table->nr_pages;
	for (uint32_t p = 0; p < table->nr_pages; p++)
		put_page(r, table, p, place.directory);
	*ret_place = place;
}

int rows_map(struct rows *r, int fd, uint32_t chunks, uint32_t excs, struct error *err)
{
	void *at;

	r->mapped = (size_t)chunks * sizeof(struct row_chunk);
	at = mmap(NULL, r->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return error_set(err, errno, "cannot map the unwind tables: %s",
				 strerror(errno));
	memcpy(at, r->words.at, r->words.count * sizeof(*r->words.at));
	array_done(&r->words);
	r->shared = at;
	r->room = chunks * ROW_CHUNK;
	r->excs_room = excs;
	return 0;
}

void rows_write(struct rows *r, int excs_fd)
{
	for (; r->excs_written < r->excs.count; r->excs_written++)
		bpf_map_update_elem(excs_fd, &r->excs_written, &r->excs.at[r->excs_written],
				    BPF_ANY);
}

size_t rows_mapped_size(const void *at, size_t most)
{
	const Elf64_Ehdr *head = at;
	size_t size = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;

	if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || size > most)
		return 0;
	return size;
}
