#include "elf/image.h"

#include "base/array.h"
#include "elf/debugfile.h"
#include "elf/dynamic.h"
#include "elf/section.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_SIZE_MAX (8ull << 30)
#define SEGMENTS_MAX 256
#define SECTIONS_MAX 65535
#define NOTES_SIZE_MAX 65536

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#endif

struct segment {
	uint64_t offset, size, address;
	bool code;
};

struct image {
	char *name, *path;
	int fd;         /* -1: bytes has it all */
	uint8_t *bytes;
	uint64_t size;
	struct build_id build_id;
	ARRAY(struct segment) segments;
	uint64_t dynamic_offset, dynamic_size;
	struct section *sections;
	uint8_t **contents; /* of each section, NULL until asked for */
	uint32_t nr_sections;
	uint64_t kept; /* bytes in contents */
	char *section_names;
	struct dynamic *dynamic; /* NULL until asked for */
	struct image *debug;     /* NULL until asked for, then as found */
	bool debug_searched;
};

size_t image_read(const struct image *image, uint64_t offset, void *to, size_t size)
{
	size_t done = 0;

	if (offset >= image->size)
		return 0;
	if (size > image->size - offset)
		size = image->size - offset;
	if (image->fd < 0) {
		memcpy(to, image->bytes + offset, size);
		return size;
	}
	while (done < size) {
		ssize_t n = pread(image->fd, (char *)to + done, size - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += n;
	}
	return done;
}

static bool read_whole(const struct image *image, uint64_t offset, void *to, size_t size)
{
	return image_read(image, offset, to, size) == size;
}

/* Notes are { name size, content size, type } with name and content padded to
 * the segment's alignment (System V ABI, "Note Section"). */
static void read_build_id(struct image *image, const Elf64_Phdr *p)
{
	uint64_t align = p->p_align == 8 ? 8 : 4, size = p->p_filesz;
	AUTO_FREE uint8_t *bytes = NULL;

	if (size > NOTES_SIZE_MAX || image->build_id.size)
		return;
	bytes = mem_alloc(size + 1);
	if (!read_whole(image, p->p_offset, bytes, size))
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
		    note.n_descsz <= sizeof(image->build_id.bytes)) {
			image->build_id.size = note.n_descsz;
			memcpy(image->build_id.bytes, bytes + content, note.n_descsz);
			return;
		}
		at = (end + align - 1) & ~(align - 1);
	}
}

static int read_segments(struct image *image, const Elf64_Ehdr *e, struct error *err)
{
	if (e->e_phnum > SEGMENTS_MAX || (e->e_phnum && e->e_phentsize != sizeof(Elf64_Phdr)))
		return error_set(err, EINVAL, "'%s' is broken: %u program headers of %u bytes",
				 image->name, e->e_phnum, e->e_phentsize);
	for (unsigned i = 0; i < e->e_phnum; i++) {
		Elf64_Phdr p;

		if (!read_whole(image, e->e_phoff + i * sizeof(p), &p, sizeof(p)))
			return error_set(err, EINVAL,
					 "'%s' is broken: it ends before its program headers",
					 image->name);
		if (p.p_offset + p.p_filesz < p.p_offset || p.p_vaddr + p.p_filesz < p.p_vaddr)
			continue;
		if (p.p_type == PT_LOAD && p.p_filesz)
			array_push(&image->segments,
				   ((struct segment){ p.p_offset, p.p_filesz, p.p_vaddr,
						      p.p_flags & PF_X }));
		if (p.p_type == PT_NOTE)
			read_build_id(image, &p);
		if (p.p_type == PT_DYNAMIC) {
			image->dynamic_offset = p.p_offset;
			image->dynamic_size = p.p_filesz;
		}
	}
	return 0;
}

static void add_section(struct image *image, const Elf64_Shdr *s, uint64_t names_size)
{
	struct section *to = &image->sections[image->nr_sections++];

	*to = (struct section){
		.name = s->sh_name < names_size ? image->section_names + s->sh_name : "",
		.type = s->sh_type,
		.link = s->sh_link,
		.flags = s->sh_flags,
		.address = s->sh_addr,
		.offset = s->sh_offset,
		.size = s->sh_size,
	};
}

/* Section headers are optional: a file whose table is broken has none. */
static void read_sections(struct image *image, const Elf64_Ehdr *e)
{
	uint64_t count = e->e_shnum, names = e->e_shstrndx, names_size = 0;
	AUTO_FREE Elf64_Shdr *s = NULL;
	Elf64_Shdr first;

	if (!e->e_shoff || e->e_shentsize != sizeof(first) ||
	    !read_whole(image, e->e_shoff, &first, sizeof(first)))
		return;
	if (!count) /* more than fit into 16 bits: see the ELF specification */
		count = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (count > SECTIONS_MAX)
		return;
	s = mem_zeroed(count, sizeof(*s));
	if (!read_whole(image, e->e_shoff, s, count * sizeof(*s)))
		return;
	if (names < count && s[names].sh_size <= SECTION_SIZE_MAX) {
		names_size = s[names].sh_size;
		if (s[names].sh_offset >= image->size ||
		    names_size > image->size - s[names].sh_offset)
			names_size = 0;
		image->section_names = mem_zeroed(1, names_size + 1);
		image_read(image, s[names].sh_offset, image->section_names, names_size);
	}
	image->sections = mem_zeroed(count, sizeof(*image->sections));
	image->contents = mem_zeroed(count, sizeof(*image->contents));
	for (uint64_t i = 0; i < count; i++)
		add_section(image, &s[i], names_size);
}

static int read_headers(struct image *image, struct error *err)
{
	Elf64_Ehdr e;
	int r;

	if (!read_whole(image, 0, &e, sizeof(e)) || memcmp(e.e_ident, ELFMAG, SELFMAG))
		return error_set(err, EINVAL, "'%s' is not an ELF file", image->name);
	if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB ||
	    e.e_machine != MACHINE)
		return error_set(err, ENOTSUP,
				 "'%s' is code for another kind of machine (ELF machine %u, "
				 "%s bits)",
				 image->name, e.e_machine,
				 e.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64");
	if (e.e_type != ET_EXEC && e.e_type != ET_DYN)
		return error_set(err, EINVAL, "'%s' is neither a program nor a shared library",
				 image->name);
	r = read_segments(image, &e, err);
	if (!r)
		read_sections(image, &e);
	return r;
}

static int image_start(struct image *image, struct image **ret, struct error *err)
{
	int r = read_headers(image, err);

	if (r)
		image_close(image);
	else
		*ret = image;
	return r;
}

int image_open(const char *path, const char *name, struct image **ret, struct error *err)
{
	/* never wait for a FIFO's writer, never take a terminal */
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r;

	if (fd < 0)
		return error_set(err, errno, "cannot open '%s': %s", name, strerror(errno));
	r = image_open_fd(fd, name, ret, err);
	if (!r)
		(*ret)->path = mem_text(path);
	return r;
}

int image_open_fd(int fd, const char *name, struct image **ret, struct error *err)
{
	struct image *image;
	struct stat st;
	int own;

	if (fstat(fd, &st))
		return error_set(err, errno, "cannot look at '%s': %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, EINVAL, "'%s' is not a regular file", name);
	if ((uint64_t)st.st_size > FILE_SIZE_MAX)
		return error_set(err, EINVAL, "'%s' is larger than 8 GiB", name);
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return error_set(err, errno, "cannot keep '%s' open: %s", name,
				 strerror(errno));
	image = NEW(struct image);
	image->name = mem_text(name);
	image->fd = own;
	image->size = st.st_size;
	return image_start(image, ret, err);
}

int image_open_memory(const void *bytes, size_t size, const char *name, struct image **ret,
		      struct error *err)
{
	struct image *image = NEW(struct image);

	image->name = mem_text(name);
	image->fd = -1;
	image->bytes = mem_copy(bytes, size);
	image->size = size;
	return image_start(image, ret, err);
}

void image_close(struct image *image)
{
	if (!image)
		return;
	image_close(image->debug);
	dynamic_free(image->dynamic);
	for (uint32_t i = 0; i < image->nr_sections; i++)
		free(image->contents[i]);
	free(image->contents);
	free(image->sections);
	free(image->section_names);
	array_done(&image->segments);
	if (image->fd >= 0)
		close(image->fd);
	free(image->bytes);
	free(image->path);
	free(image->name);
	free(image);
}

const char *image_name(const struct image *image)
{
	return image->name;
}

const char *image_path(const struct image *image)
{
	return image->path ? image->path : "";
}

int image_file(const struct image *image)
{
	return image->fd;
}

const struct build_id *image_build_id(const struct image *image)
{
	return &image->build_id;
}

/* An executable segment first, should two claim the same bytes. */
static const struct segment *segment_at(const struct image *image, uint64_t offset)
{
	const struct segment *found = NULL;

	for (uint32_t i = 0; i < image->segments.count; i++) {
		const struct segment *s = &image->segments.at[i];

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
	for (uint32_t i = 0; i < image->segments.count; i++) {
		const struct segment *s = &image->segments.at[i];

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

bool image_dynamic(const struct image *image, uint64_t *ret_offset, uint64_t *ret_size)
{
	*ret_offset = image->dynamic_offset;
	*ret_size = image->dynamic_size;
	return image->dynamic_size;
}

const struct section *image_section(const struct image *image, const char *name)
{
	for (uint32_t i = 0; i < image->nr_sections; i++)
		if (!strcmp(image->sections[i].name, name))
			return &image->sections[i];
	return NULL;
}

const struct section *image_section_of(const struct image *image, uint32_t type)
{
	for (uint32_t i = 0; i < image->nr_sections; i++)
		if (image->sections[i].type == type)
			return &image->sections[i];
	return NULL;
}

const struct section *image_section_at(const struct image *image, uint32_t index)
{
	return index < image->nr_sections ? &image->sections[index] : NULL;
}

bool image_has_section(const struct image *image, const char *name)
{
	return image_section(image, name);
}

uint8_t *section_copy(const struct image *image, const struct section *s)
{
	uint8_t *bytes;

	if (!s || !s->size || s->type == SHT_NOBITS || s->flags & SHF_COMPRESSED ||
	    s->size > SECTION_SIZE_MAX || s->offset >= image->size ||
	    s->size > image->size - s->offset)
		return NULL;
	bytes = mem_alloc(s->size + 1);
	bytes[s->size] = 0;
	if (read_whole(image, s->offset, bytes, s->size))
		return bytes;
	free(bytes);
	return NULL;
}

const uint8_t *section_bytes(const struct image *image, const struct section *s)
{
	struct image *cache = (struct image *)image; /* what was read is no change to see */
	uint8_t **bytes;

	if (!s)
		return NULL;
	bytes = &cache->contents[s - image->sections];
	if (*bytes || s->size > SECTION_TOTAL_MAX - image->kept)
		return *bytes;
	*bytes = section_copy(image, s);
	if (*bytes)
		cache->kept += s->size;
	return *bytes;
}

const struct dynamic *image_dynamics(const struct image *image)
{
	struct image *cache = (struct image *)image;

	if (!image->dynamic)
		cache->dynamic = dynamic_load(image);
	return image->dynamic;
}

bool image_imports(const struct image *image, const char *glob)
{
	return symbols_match(dynamic_symbols(image_dynamics(image)), glob, SYMBOLS_IMPORT);
}

bool image_defines(const struct image *image, const char *glob)
{
	struct symbols own;
	bool found;

	if (symbols_match(dynamic_symbols(image_dynamics(image)), glob, SYMBOLS_DEFINED))
		return true;
	if (!symbols_static(image, &own))
		return false;
	found = symbols_match(&own, glob, SYMBOLS_DEFINED);
	symbols_done(&own);
	return found;
}

const char *image_needed(const struct image *image, unsigned index)
{
	return dynamic_needed(image_dynamics(image), index);
}

const struct image *image_debug_file(const struct image *image)
{
	struct image *cache = (struct image *)image;

	if (!image->debug_searched)
		cache->debug = debugfile_open(image);
	cache->debug_searched = true;
	return image->debug;
}
