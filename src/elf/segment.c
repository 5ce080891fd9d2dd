#include "elf/segment.h"

#include <errno.h>
#include <string.h>

#define SEGMENTS_MAX 256
#define NOTES_SIZE_MAX 65536

/* Notes are { name size, content size, type } with name and content padded to
 * the segment's alignment (System V ABI, "Note Section"). */
static void read_build_id(struct build_id *to, const struct image *image, const Elf64_Phdr *p)
{
	uint64_t align = p->p_align == 8 ? 8 : 4, size = p->p_filesz;
	AUTO_FREE uint8_t *bytes = NULL;

	if (size > NOTES_SIZE_MAX || to->size)
		return;
	bytes = mem_alloc(size + 1);
	if (image_read(image, p->p_offset, bytes, size) != size)
		return;
	for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
		Elf64_Nhdr note;
		uint64_t name = at + sizeof(note), content, end;

		memcpy(&note, bytes + at, sizeof(note));
		content = name + ((note.n_namesz + align - 1) & ~(align - 1));
		end = content + note.n_descsz;
		if (end > size)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(bytes + name, "GNU", 4) && note.n_descsz &&
		    note.n_descsz <= sizeof(to->bytes)) {
			to->size = note.n_descsz;
			memcpy(to->bytes, bytes + content, note.n_descsz);
			return;
		}
		at = (end + align - 1) & ~(align - 1);
	}
}

static void add_segment(struct segments *to, const struct image *image, const Elf64_Phdr *p)
{
	if (p->p_offset + p->p_filesz < p->p_offset || p->p_vaddr + p->p_filesz < p->p_vaddr)
		return;
	if (p->p_type == PT_LOAD && p->p_vaddr + p->p_memsz > to->end)
		to->end = p->p_vaddr + p->p_memsz;
	if (p->p_type == PT_LOAD && p->p_filesz)
		array_push(&to->loads, ((struct segment){ p->p_offset, p->p_filesz, p->p_vaddr,
							  p->p_flags & PF_X }));
	if (p->p_type == PT_NOTE)
		read_build_id(&to->build_id, image, p);
	if (p->p_type == PT_DYNAMIC) {
		to->dynamic_offset = p->p_offset;
		to->dynamic_size = p->p_filesz;
	}
}

int segments_read(struct segments *to, const struct image *image, const Elf64_Ehdr *header,
		  struct error *err)
{
	Elf64_Phdr p;

	if (header->e_phnum > SEGMENTS_MAX ||
	    (header->e_phnum && header->e_phentsize != sizeof(p)))
		return error_set(err, EINVAL, "'%s' is broken: %u program headers of %u bytes",
				 image_name(image), header->e_phnum, header->e_phentsize);
	for (unsigned i = 0; i < header->e_phnum; i++) {
		if (image_read(image, header->e_phoff + i * sizeof(p), &p, sizeof(p)) !=
		    sizeof(p))
			return error_set(err, EINVAL,
					 "'%s' is broken: it ends before its program headers",
					 image_name(image));
		add_segment(to, image, &p);
	}
	return 0;
}

void segments_done(struct segments *s)
{
	array_done(&s->loads);
}

/* An executable segment first, should two claim the same bytes. */
static const struct segment *segment_at(const struct image *image, uint64_t offset)
{
	const struct segments *all = image_segments(image);
	const struct segment *found = NULL;

	for (uint32_t i = 0; i < all->loads.count; i++) {
		const struct segment *s = &all->loads.at[i];

		if (offset - s->offset < s->size && (!found || (s->code && !found->code)))
			found = s;
	}
	return found;
}

bool image_to_address(const struct image *image, uint64_t offset, uint64_t *ret_address)
{
	const struct segment *s = segment_at(image, offset);

	if (s)
		*ret_address = offset - s->offset + s->address;
	return s;
}

bool image_to_offset(const struct image *image, uint64_t address, uint64_t *ret_offset)
{
	const struct segments *all = image_segments(image);

	for (uint32_t i = 0; i < all->loads.count; i++) {
		const struct segment *s = &all->loads.at[i];

		if (address - s->address < s->size) {
			*ret_offset = address - s->address + s->offset;
			return true;
		}
	}
	return false;
}

uint64_t image_code_end(const struct image *image, uint64_t offset)
{
	const struct segment *s = segment_at(image, offset);

	return s && s->code ? s->offset + s->size : 0;
}

bool image_is_code(const struct image *image, uint64_t offset)
{
	return image_code_end(image, offset);
}
