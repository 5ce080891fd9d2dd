#include "elf/dwarf.h"

#include "base/mem.h"
#include "base/text.h"
#include "elf/debugfile.h"
#include "elf/section.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

/* One file of it. */
struct dwarf_part {
	Elf *elf;
	Dwarf *dwarf;
};

struct dwarf {
	struct dwarf_part main, alt;
	struct image *alt_image;
};

/* What the debug sections take once unpacked. */
static uint64_t unpacked_size(const struct image *image)
{
	const struct section *s;
	uint64_t total = 0;
	Elf64_Chdr head;

	for (uint32_t i = 0; (s = image_section_at(image, i)); i++) {
		uint64_t size = s->type == SHT_NOBITS ? 0 : s->size;

		if (!text_starts(s->name, ".debug_") && !text_starts(s->name, ".zdebug_"))
			continue;
		if (s->flags & SHF_COMPRESSED &&
		    image_read(image, s->offset, &head, sizeof(head)) == sizeof(head))
			size = head.ch_size;
		/* the old form: "ZLIB" and the size, big-endian; no compiler writes it now */
		if (size > DWARF_SIZE_MAX || text_starts(s->name, ".zdebug_"))
			return UINT64_MAX;
		total += size;
	}
	return total;
}

static void part_close(struct dwarf_part *p)
{
	if (p->dwarf)
		dwarf_end(p->dwarf);
	elf_end(p->elf);
}

static bool is_text_section(Elf *elf, Elf_Scn *scn)
{
	GElf_Shdr head;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) || !gelf_getshdr(scn, &head))
		return false;
	name = elf_strptr(elf, names, head.sh_name);
	return name && (!strcmp(name, ".debug_str") || !strcmp(name, ".debug_line_str"));
}

/* libdw takes it for granted that the last string ends.  By now it has
 * unpacked the sections. */
static bool texts_end(Elf *elf)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		Elf_Data *content = is_text_section(elf, scn) ? elf_rawdata(scn, NULL) : NULL;

		if (content && content->d_size &&
		    (!content->d_buf || ((char *)content->d_buf)[content->d_size - 1]))
			return false;
	}
	return true;
}

static bool part_open(struct dwarf_part *p, const struct image *image)
{
	/* what the system installed is not truncated under a mapping */
	bool trusted = text_starts(image_path(image), "/usr/lib/debug/");

	if (!image_has_section(image, ".debug_info") || image_file(image) < 0 ||
	    unpacked_size(image) > DWARF_SIZE_MAX || elf_version(EV_CURRENT) == EV_NONE)
		return false;
	p->elf = elf_begin(image_file(image), trusted ? ELF_C_READ_MMAP : ELF_C_READ, NULL);
	p->dwarf = dwarf_begin_elf(p->elf, DWARF_C_READ, NULL);
	return p->dwarf && texts_end(p->elf);
}

/* .gnu_debugaltlink: a path, NUL, the build-id of the file with what several
 * images share.  False: it is needed but not there. */
static bool alt_open(struct dwarf *d, const struct image *image)
{
	const struct section *s = image_section(image, ".gnu_debugaltlink");
	const char *bytes = (const char *)section_bytes(image, s);
	struct build_id id = { 0 };
	size_t path;

	if (!s)
		return true;
	if (!bytes)
		return false;
	path = strlen(bytes) + 1;
	if (path >= s->size || s->size - path > sizeof(id.bytes))
		return false;
	id.size = s->size - path;
	memcpy(id.bytes, bytes + path, id.size);
	d->alt_image = debugfile_by_build_id(&id);
	if (!d->alt_image || !part_open(&d->alt, d->alt_image))
		return false;
	dwarf_setalt(d->main.dwarf, d->alt.dwarf);
	return true;
}

struct dwarf *dwarf_open(const struct image *image)
{
	struct dwarf *d = NEW(struct dwarf);

	if (!image_has_section(image, ".debug_info"))
		image = image_debug_file(image);
	if (image && part_open(&d->main, image) && alt_open(d, image))
		return d;
	dwarf_close(d);
	return NULL;
}

void dwarf_close(struct dwarf *d)
{
	if (!d)
		return;
	part_close(&d->main);
	part_close(&d->alt);
	image_close(d->alt_image);
	free(d);
}

Dwarf *dwarf_handle(const struct dwarf *d)
{
	return d->main.dwarf;
}

bool dwarf_is_skeleton(Dwarf_Die *unit)
{
	return dwarf_hasattr(unit, DW_AT_dwo_name) || dwarf_hasattr(unit, DW_AT_GNU_dwo_name);
}
