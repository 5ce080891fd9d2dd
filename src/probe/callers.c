#include "probe/callers.h"

#include "elf/segment.h"

#define CHUNK (1u << 20)
#define CODE_BYTES_MAX (512ull << 20) /* of a file that are looked through */
#define DISTANCE 4		      /* bytes */

/* Where code at an address jumps by the distance that its bytes hold. */
static uint64_t target_of(const uint8_t *distance, uint64_t address)
{
	int32_t by;

	memcpy(&by, distance, sizeof(by));
	return address + DISTANCE + (uint64_t)(int64_t)by;
}

static bool leads_on(const uint8_t *distance)
{
	uint8_t code = distance[-1];

	return code == 0xe8 || code == 0xe9 || ((code & 0xf0) == 0x80 && distance[-2] == 0x0f);
}

/* Of bytes[2] on: the two before are those of the last chunk. */
static void count_all(struct table *counts, const uint8_t *bytes, size_t size, uint64_t address)
{
	for (size_t i = 2; i + DISTANCE <= size; i++) {
		uint64_t target;
		uint32_t count;

		if (!leads_on(bytes + i))
			continue;
		target = target_of(bytes + i, address + i);
		count = table_find(counts, target);
		if (count != TABLE_NONE)
			table_set(counts, target, count + 1);
	}
}

static void count_segment(struct code_image *image, const struct segment *s)
{
	const size_t overlap = 2 + DISTANCE - 1;
	AUTO_FREE uint8_t *bytes = mem_alloc(CHUNK);

	for (uint64_t at = 0; at < s->size;) {
		uint64_t left = s->size - at;
		size_t wanted = left < CHUNK ? left : CHUNK;
		size_t size = image_read(image->image, s->offset + at, bytes, wanted);

		count_all(&image->callers, bytes, size, s->address + at);
		if (size < wanted || size <= overlap)
			return;
		at += wanted == left ? left : size - overlap;
	}
}

static void count_image(struct code_image *image)
{
	const struct segments *all = image_segments(image->image);
	uint64_t size = 0;

	for (uint32_t i = 0; i < all->loads.count; i++)
		size += all->loads.at[i].code ? all->loads.at[i].size : 0;
	if (size > CODE_BYTES_MAX)
		return;
	for (uint32_t i = 0; i < symtab_count(image->symbols); i++) {
		uint64_t address;

		if (image_to_address(image->image, symtab_at(image->symbols, i)->offset,
				     &address))
			table_set(&image->callers, address, 0);
	}
	for (uint32_t i = 0; i < all->loads.count; i++)
		if (all->loads.at[i].code)
			count_segment(image, &all->loads.at[i]);
}

uint32_t callers_count(struct code_image *image, const struct symbol *function)
{
	uint64_t address;
	uint32_t count;

	if (!image->callers.count)
		count_image(image);
	if (!image_to_address(image->image, function->offset, &address))
		return UINT32_MAX;
	count = table_find(&image->callers, address);
	return count == TABLE_NONE ? UINT32_MAX : count;
}
