#include "elf/dynamic.h"

#include "base/array.h"
#include "elf/section.h"
#include "elf/segment.h"

#include <string.h>

#define ENTRIES_MAX 4096
#define BUCKETS_MAX (1u << 24)
#define CHAIN_MAX 65536

struct dynamic {
	struct symbols symbols;
	Elf64_Sym *entries;	/* of these */
	ARRAY(uint64_t) needed; /* offsets into the strings */
	Elf64_Rela *plt;
	uint32_t nr_plt;
	char *strings;
};

/* The tags that matter, by number; addresses as in the file. */
struct tags {
	uint64_t symtab, strtab, strsz, hash, gnu_hash, jmprel, pltrelsz;
};

/* size bytes at an address, with a NUL behind; NULL if they are not there. */
static void *read_at(const struct image *image, uint64_t address, uint64_t size)
{
	uint64_t offset;
	char *bytes;

	if (!size || size > SECTION_SIZE_MAX || !image_to_offset(image, address, &offset))
		return NULL;
	bytes = mem_alloc(size + 1);
	bytes[size] = 0;
	if (image_read(image, offset, bytes, size) == size)
		return bytes;
	free(bytes);
	return NULL;
}

static bool read_u32(const struct image *image, uint64_t address, uint32_t *ret)
{
	uint64_t offset;

	return image_to_offset(image, address, &offset) &&
	       image_read(image, offset, ret, sizeof(*ret)) == sizeof(*ret);
}

static void read_tags(struct dynamic *d, const struct image *image, struct tags *tags)
{
	uint64_t offset = image_segments(image)->dynamic_offset;
	uint64_t size = image_segments(image)->dynamic_size;
	Elf64_Dyn e;

	for (uint64_t i = 0; i < ENTRIES_MAX && (i + 1) * sizeof(e) <= size; i++) {
		if (image_read(image, offset + i * sizeof(e), &e, sizeof(e)) != sizeof(e))
			return;
		switch (e.d_tag) {
		case DT_NULL:
			return;
		case DT_NEEDED:
			array_push(&d->needed, e.d_un.d_val);
			break;
		case DT_SYMTAB:
			tags->symtab = e.d_un.d_ptr;
			break;
		case DT_STRTAB:
			tags->strtab = e.d_un.d_ptr;
			break;
		case DT_STRSZ:
			tags->strsz = e.d_un.d_val;
			break;
		case DT_HASH:
			tags->hash = e.d_un.d_ptr;
			break;
		case DT_GNU_HASH:
			tags->gnu_hash = e.d_un.d_ptr;
			break;
		case DT_JMPREL:
			tags->jmprel = e.d_un.d_ptr;
			break;
		case DT_PLTRELSZ:
			tags->pltrelsz = e.d_un.d_val;
			break;
		}
	}
}

/*
 * The GNU hash table: { buckets, first hashed symbol, bloom words, shift },
 * bloom filter, buckets, then a word for every hashed symbol; the last of a
 * chain has its lowest bit set.  The chain of the highest bucket ends with the
 * last symbol.
 */
static uint32_t gnu_hash_count(const struct image *image, uint64_t address)
{
	uint32_t head[4], last = 0, word;
	AUTO_FREE uint32_t *buckets = NULL;
	uint64_t at;

	for (unsigned i = 0; i < 4; i++)
		if (!read_u32(image, address + 4 * i, &head[i]))
			return 0;
	if (head[0] > BUCKETS_MAX || head[2] > BUCKETS_MAX)
		return 0;
	at = address + sizeof(head) + head[2] * 8ull;
	buckets = read_at(image, at, head[0] * 4ull);
	for (uint32_t i = 0; buckets && i < head[0]; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < head[1])
		return head[1];
	at += head[0] * 4ull - head[1] * 4ull;
	for (uint32_t i = last; i - last < CHAIN_MAX; i++)
		if (!read_u32(image, at + i * 4ull, &word))
			break;
		else if (word & 1)
			return i + 1;
	return 0;
}

static uint64_t symbol_count(const struct image *image, const struct tags *tags)
{
	const struct section *s = image_section_of(image, SHT_DYNSYM);
	uint32_t count = 0;

	if (tags->hash && read_u32(image, tags->hash + 4, &count) && count)
		return count;
	if (tags->gnu_hash)
		count = gnu_hash_count(image, tags->gnu_hash);
	/* nothing hashed (a program that only imports): the section knows better */
	if (s && s->address == tags->symtab && s->size / sizeof(Elf64_Sym) > count)
		return s->size / sizeof(Elf64_Sym);
	return count;
}

struct dynamic *dynamic_load(const struct image *image)
{
	struct dynamic *d = NEW(struct dynamic);
	struct tags tags = { 0 };
	uint64_t count;

	read_tags(d, image, &tags);
	d->strings = read_at(image, tags.strtab, tags.strsz);
	if (!d->strings)
		return d;
	count = symbol_count(image, &tags);
	d->entries = read_at(image, tags.symtab, count * sizeof(Elf64_Sym));
	d->symbols = (struct symbols){
		.at = d->entries,
		.strings = d->strings,
		.strings_size = tags.strsz,
	};
	d->symbols.count = d->symbols.at ? count : 0;
	d->plt = read_at(image, tags.jmprel, tags.pltrelsz);
	d->nr_plt = d->plt ? tags.pltrelsz / sizeof(Elf64_Rela) : 0;
	return d;
}

void dynamic_free(struct dynamic *d)
{
	if (!d)
		return;
	free(d->entries);
	free(d->strings);
	free(d->plt);
	array_done(&d->needed);
	free(d);
}

const struct symbols *dynamic_symbols(const struct dynamic *d)
{
	return &d->symbols;
}

const char *dynamic_needed(const struct dynamic *d, uint32_t index)
{
	if (index >= d->needed.count || d->needed.at[index] >= d->symbols.strings_size)
		return NULL;
	return d->symbols.strings + d->needed.at[index];
}

uint32_t dynamic_plt_relocations(const struct dynamic *d, const Elf64_Rela **ret)
{
	*ret = d->plt;
	return d->nr_plt;
}
