#include "elf/section.h"

#include "base/mem.h"

#include <string.h>

#define SECTIONS_MAX 65535

struct sections {
	struct section *at;
	uint32_t count;
	uint8_t **contents; /* of each, NULL until asked for */
	uint64_t kept;	    /* bytes in contents */
	char *names;
	uint64_t names_size;
};

static bool read_whole(const struct image *image, uint64_t offset, void *to, size_t size)
{
	return image_read(image, offset, to, size) == size;
}

static void read_names(struct sections *all, const struct image *image, const Elf64_Shdr *s)
{
	if (s->sh_size > SECTION_SIZE_MAX)
		return;
	all->names = mem_zeroed(1, s->sh_size + 1);
	all->names_size = image_read(image, s->sh_offset, all->names, s->sh_size);
}

static void add_section(struct sections *all, const Elf64_Shdr *s)
{
	all->at[all->count++] = (struct section){
		.name = s->sh_name < all->names_size ? all->names + s->sh_name : "",
		.type = s->sh_type,
		.link = s->sh_link,
		.flags = s->sh_flags,
		.address = s->sh_addr,
		.offset = s->sh_offset,
		.size = s->sh_size,
	};
}

struct sections *sections_read(const struct image *image, const Elf64_Ehdr *header)
{
	uint64_t count = header->e_shnum, names = header->e_shstrndx;
	struct sections *all = NEW(struct sections);
	AUTO_FREE Elf64_Shdr *s = NULL;
	Elf64_Shdr first;

	if (!header->e_shoff || header->e_shentsize != sizeof(first) ||
	    !read_whole(image, header->e_shoff, &first, sizeof(first)))
		return all;
	if (!count) /* more than fit into 16 bits: see the ELF specification */
		count = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (count > SECTIONS_MAX)
		return all;
	s = mem_zeroed(count, sizeof(*s));
	if (!read_whole(image, header->e_shoff, s, count * sizeof(*s)))
		return all;
	if (names < count)
		read_names(all, image, &s[names]);
	all->at = mem_zeroed(count, sizeof(*all->at));
	all->contents = mem_zeroed(count, sizeof(*all->contents));
	for (uint64_t i = 0; i < count; i++)
		add_section(all, &s[i]);
	return all;
}

void sections_free(struct sections *all)
{
	if (!all)
		return;
	for (uint32_t i = 0; i < all->count; i++)
		free(all->contents[i]);
	free(all->contents);
	free(all->at);
	free(all->names);
	free(all);
}

const struct section *image_section(const struct image *image, const char *name)
{
	const struct sections *all = image_sections(image);

	for (uint32_t i = 0; i < all->count; i++)
		if (!strcmp(all->at[i].name, name))
			return &all->at[i];
	return NULL;
}

const struct section *image_section_of(const struct image *image, uint32_t type)
{
	const struct sections *all = image_sections(image);

	for (uint32_t i = 0; i < all->count; i++)
		if (all->at[i].type == type)
			return &all->at[i];
	return NULL;
}

const struct section *image_section_at(const struct image *image, uint32_t index)
{
	const struct sections *all = image_sections(image);

	return index < all->count ? &all->at[index] : NULL;
}

uint8_t *section_copy(const struct image *image, const struct section *s)
{
	uint8_t *bytes;
	uint8_t last;

	if (!s || !s->size || s->type == SHT_NOBITS || s->flags & SHF_COMPRESSED ||
	    s->size > SECTION_SIZE_MAX || s->offset + s->size < s->offset ||
	    !read_whole(image, s->offset + s->size - 1, &last, 1)) /* before so much is taken */
		return NULL;
	bytes = mem_alloc(s->size + 1);
	bytes[s->size] = 0;
	if (read_whole(image, s->offset, bytes, s->size))
		return bytes;
	free(bytes);
	return NULL;
}

static const uint8_t *keep_bytes(const struct image *image, const struct section *s)
{
	struct sections *all = image_sections(image);
	uint8_t **bytes = &all->contents[s - all->at];

	if (*bytes || s->size > SECTION_TOTAL_MAX - all->kept)
		return *bytes;
	*bytes = section_copy(image, s);
	if (*bytes)
		all->kept += s->size;
	return *bytes;
}

const uint8_t *section_bytes(const struct image *image, const struct section *s)
{
	const uint8_t *bytes;

	if (!s)
		return NULL;
	image_lock(image);
	bytes = keep_bytes(image, s);
	image_unlock(image);
	return bytes;
}
