#include "elf/dwarf_file.h"

#include "base/mem.h"
#include "elf/debugfile.h"
#include "elf/dwarf_unpack.h"
#include "elf/section.h"

#include <stdlib.h>
#include <sys/mman.h>

#define BLOCK 4096u
#define STRING_FIRST 256u
#define STRING_MOST (64u << 10)

static const char *const part_names[NR_DWARF_PART] = {
	[DWARF_INFO] = ".debug_info",
	[DWARF_ABBREV] = ".debug_abbrev",
	[DWARF_STR] = ".debug_str",
	[DWARF_LINE] = ".debug_line",
	[DWARF_LINE_STR] = ".debug_line_str",
	[DWARF_RANGES] = ".debug_ranges",
	[DWARF_RNGLISTS] = ".debug_rnglists",
	[DWARF_ADDR] = ".debug_addr",
	[DWARF_STR_OFFSETS] = ".debug_str_offsets",
	[DWARF_ARANGES] = ".debug_aranges",
};

struct part {
	bool looked_for;
	bool whole; /* unpacked: all of it is there */
	uint64_t offset, size;
	uint8_t *bytes; /* size of them, addressable; those of read blocks are right */
	uint8_t *read;	/* a bit each block */
};

struct dwarf_file {
	const struct image *image;
	struct part parts[NR_DWARF_PART];
	uint64_t unpacked, kept; /* bytes in memory */
	nsec deadline;
	struct image *alt_image;
	struct dwarf_file *alt;
	bool alt_looked_for;
};

static void part_done(struct part *p)
{
	if (p->whole)
		free(p->bytes);
	else if (p->bytes)
		munmap(p->bytes, p->size);
	free(p->read);
	*p = (struct part){ 0 };
}

static struct dwarf_file *file_new(const struct image *image)
{
	struct dwarf_file *f = NEW(struct dwarf_file);

	f->image = image;
	f->deadline = UINT64_MAX;
	return f;
}

struct dwarf_file *dwarf_file_open(const struct image *image)
{
	if (!image_has_section(image, ".debug_info"))
		image = image_debug_file(image);
	return image && image_has_section(image, ".debug_info") ? file_new(image) : NULL;
}

void dwarf_file_close(struct dwarf_file *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < NR_DWARF_PART; i++)
		part_done(&f->parts[i]);
	dwarf_file_close(f->alt);
	image_close(f->alt_image);
	free(f);
}

/* .gnu_debugaltlink: a path, NUL, the build-id of the file with what several
 * images share. */
static struct image *alt_open(const struct image *image)
{
	const struct section *s = image_section(image, ".gnu_debugaltlink");
	const char *bytes = (const char *)section_bytes(image, s);
	struct build_id id = { 0 };
	size_t path;

	if (!bytes)
		return NULL;
	path = strlen(bytes) + 1;
	if (path >= s->size || s->size - path > sizeof(id.bytes))
		return NULL;
	id.size = s->size - path;
	memcpy(id.bytes, bytes + path, id.size);
	return debugfile_supplement(image, bytes, &id);
}

struct dwarf_file *dwarf_file_alt(struct dwarf_file *f)
{
	if (!f->alt_looked_for) {
		f->alt_looked_for = true;
		f->alt_image = alt_open(f->image);
		if (f->alt_image && image_has_section(f->alt_image, ".debug_info")) {
			f->alt = file_new(f->alt_image);
			f->alt->alt_looked_for = true; /* it has none itself */
		}
	}
	if (f->alt)
		f->alt->deadline = f->deadline;
	return f->alt;
}

void dwarf_set_deadline(struct dwarf_file *f, nsec deadline)
{
	f->deadline = deadline;
}

bool dwarf_is_late(const struct dwarf_file *f)
{
	return f->deadline != UINT64_MAX && clock_cpu() > f->deadline;
}

static void part_unpack(struct dwarf_file *f, const struct section *s, struct part *p)
{
	struct unpack u = { .image = f->image, .section = s, .deadline = f->deadline };
	int r;

	u.most = DWARF_UNPACKED_MAX - f->unpacked;
	r = unpack_section(&u);
	p->looked_for = r != -EAGAIN; /* there was no time: it may be asked for again */
	if (r)
		return;
	p->bytes = u.bytes;
	p->size = u.size;
	p->whole = true;
	f->unpacked += u.size;
}

static void part_look(struct dwarf_file *f, enum dwarf_part which)
{
	const struct section *s = image_section(f->image, part_names[which]);
	struct part *p = &f->parts[which];
	uint8_t last;

	p->looked_for = true;
	if (!s || !s->size || s->type == SHT_NOBITS)
		return;
	if (s->flags & SHF_COMPRESSED) {
		part_unpack(f, s, p);
		return;
	}
	if (s->size > DWARF_PART_MAX || s->offset + s->size < s->offset ||
	    image_read(f->image, s->offset + s->size - 1, &last, 1) != 1)
		return;
	p->bytes = mmap(NULL, s->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->bytes == MAP_FAILED) {
		p->bytes = NULL;
		return;
	}
	p->offset = s->offset;
	p->size = s->size;
	p->read = mem_zeroed(s->size / BLOCK / 8 + 1, 1);
}

static struct part *part_of(struct dwarf_file *f, enum dwarf_part which)
{
	if (!f->parts[which].looked_for)
		part_look(f, which);
	return &f->parts[which];
}

uint64_t dwarf_part_size(struct dwarf_file *f, enum dwarf_part part)
{
	return part_of(f, part)->size;
}

static bool block_is_read(const struct part *p, uint64_t block)
{
	return p->read[block / 8] >> block % 8 & 1;
}

/* Reads blocks first..last that are not there yet, neighbours at once. */
static void blocks_read(struct dwarf_file *f, struct part *p, uint64_t first, uint64_t last)
{
	while (first <= last) {
		uint64_t from = first * BLOCK, to, end;

		if (block_is_read(p, first)) {
			first++;
			continue;
		}
		for (end = first; end <= last && !block_is_read(p, end); end++)
			p->read[end / 8] |= 1 << end % 8;
		to = end * BLOCK < p->size ? end * BLOCK : p->size;
		/* what cannot be read stays 0, which says nothing in any section */
		image_read(f->image, p->offset + from, p->bytes + from, to - from);
		f->kept += to - from;
		first = end;
	}
}

bool dwarf_part_at(struct dwarf_file *f, enum dwarf_part part, uint64_t offset, uint64_t size,
		   struct dwarf_cursor *ret)
{
	struct part *p = part_of(f, part);

	if (offset >= p->size || !size)
		return false;
	if (size > p->size - offset)
		size = p->size - offset;
	if (!p->whole)
		blocks_read(f, p, offset / BLOCK, (offset + size - 1) / BLOCK);
	*ret = (struct dwarf_cursor){ p->bytes + offset, p->bytes + offset + size, false };
	return true;
}

uint64_t dwarf_offset_of(struct dwarf_file *f, enum dwarf_part part, const uint8_t *at)
{
	return at - f->parts[part].bytes;
}

const char *dwarf_text(struct dwarf_file *f, struct dwarf_text text)
{
	struct dwarf_cursor c;

	for (uint64_t size = STRING_FIRST; size <= STRING_MOST; size *= 16) {
		if (!dwarf_part_at(f, text.part, text.offset, size, &c))
			return "";
		if (memchr(c.at, 0, cursor_left(&c)))
			return (const char *)c.at;
	}
	return "";
}

void dwarf_file_trim(struct dwarf_file *f)
{
	if (f->alt)
		dwarf_file_trim(f->alt);
	if (f->kept <= DWARF_KEPT_MAX)
		return;
	for (unsigned i = 0; i < NR_DWARF_PART; i++) {
		struct part *p = &f->parts[i];

		if (!p->read)
			continue;
		madvise(p->bytes, p->size, MADV_DONTNEED);
		memset(p->read, 0, p->size / BLOCK / 8 + 1);
	}
	f->kept = 0;
}
