#include "elf/unwind_section.h"

#include "base/clock.h"
#include "base/mem.h"
#include "elf/dwarf_unpack.h"
#include "elf/section.h"
#include "elf/segment.h"

#include <dwarf.h>
#include <errno.h>

#define HEADER_VERSION 1
#define HEADER_SIZE_MAX 16 /* of what is read of .eh_frame_hdr */
#define UNPACK_NS NSEC_PER_SEC

static int unreadable(const struct image *image, const char *name, uint64_t size,
		      struct error *err)
{
	return error_set(err, EINVAL,
			 "cannot read '%s' of '%s': its %llu bytes are not all there, "
			 "broken, or more than %u MiB",
			 name, image_name(image), (unsigned long long)size,
			 SECTION_SIZE_MAX >> 20);
}

/* All of a range of the file, NULL if it is not there. */
static uint8_t *bytes_read(const struct image *image, uint64_t offset, uint64_t size)
{
	uint8_t *bytes, last;

	if (!size || size > SECTION_SIZE_MAX || offset + size < offset ||
	    image_read(image, offset + size - 1, &last, 1) != 1)
		return NULL;
	bytes = mem_alloc(size);
	if (image_read(image, offset, bytes, size) == size)
		return bytes;
	free(bytes);
	return NULL;
}

static int by_name(const struct image *image, const char *name, enum cfi_kind kind,
		   struct cfi_section *ret, struct error *err)
{
	const struct section *s = image_section(image, name);
	struct unpack u = { .image = image, .section = s, .most = SECTION_SIZE_MAX };

	/* a debug file keeps the headers of sections that it does not have */
	if (!s || !s->size || s->type == SHT_NOBITS)
		return 0;
	if (s->flags & SHF_COMPRESSED) {
		u.deadline = clock_cpu() + UNPACK_NS;
		if (unpack_section(&u))
			return unreadable(image, name, s->size, err);
	} else {
		u.bytes = section_copy(image, s);
		u.size = s->size;
	}
	if (!u.bytes)
		return unreadable(image, name, s->size, err);
	*ret = (struct cfi_section){
		.bytes = u.bytes, .size = u.size, .address = s->address, .kind = kind
	};
	return 1;
}

static bool find_header(const struct image *image, Elf64_Phdr *ret)
{
	Elf64_Ehdr e;

	if (image_read(image, 0, &e, sizeof(e)) != sizeof(e) || e.e_phentsize != sizeof(*ret))
		return false;
	for (unsigned i = 0; i < e.e_phnum; i++)
		if (image_read(image, e.e_phoff + i * sizeof(*ret), ret, sizeof(*ret)) ==
			    sizeof(*ret) &&
		    ret->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

/* Where .eh_frame begins, as .eh_frame_hdr says: { version, encoding of the
 * address, two more encodings, the address, ... }. */
static bool find_frames(const struct image *image, uint64_t *ret_address)
{
	uint8_t bytes[HEADER_SIZE_MAX];
	struct dwarf_cursor c = { .at = bytes };
	Elf64_Phdr header;
	uint8_t encoding;

	if (!find_header(image, &header))
		return false;
	c.end = bytes + image_read(image, header.p_offset, bytes, sizeof(bytes));
	if (cursor_u8(&c) != HEADER_VERSION)
		return false;
	encoding = cursor_u8(&c);
	cursor_skip(&c, 2);
	return cfi_pointer(&c, encoding, header.p_vaddr + 4, header.p_vaddr, ret_address);
}

static int by_header(const struct image *image, struct cfi_section *ret, struct error *err)
{
	const struct segments *all = image_segments(image);
	uint64_t address;

	if (!find_frames(image, &address))
		return 0;
	for (uint32_t i = 0; i < all->loads.count; i++) {
		const struct segment *s = &all->loads.at[i];
		uint64_t at = address - s->address, size;

		if (at >= s->size)
			continue;
		size = s->size - at < SECTION_SIZE_MAX ? s->size - at : SECTION_SIZE_MAX;
		*ret = (struct cfi_section){
			.bytes = bytes_read(image, s->offset + at, size),
			.size = size,
			.address = address,
			.kind = CFI_EH,
			.ends_at_zero = true,
		};
		return ret->bytes ? 1 : unreadable(image, ".eh_frame", size, err);
	}
	return 0;
}

int unwind_section_eh(const struct image *image, struct cfi_section *ret, struct error *err)
{
	int r = by_name(image, ".eh_frame", CFI_EH, ret, err);

	return r ? r : by_header(image, ret, err);
}

int unwind_section_debug(const struct image *image, struct cfi_section *ret, struct error *err)
{
	return by_name(image, ".debug_frame", CFI_DEBUG, ret, err);
}
