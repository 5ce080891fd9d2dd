#include "elf/image.h"

#include "base/array.h"
#include "elf/debugfile.h"
#include "elf/dynamic.h"
#include "elf/filepool.h"
#include "elf/section.h"
#include "elf/segment.h"
#include "elf/symtab.h"
#include "elf/unwind.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_SIZE_MAX (8ull << 30)

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#endif

struct image {
	char *name, *path;
	struct filepool *pool;	  /* of its file, NULL = none */
	struct pooled_file *file; /* NULL: bytes has it all */
	uint8_t *bytes;
	uint64_t size;
	_Atomic uint32_t users;
	bool supplement; /* no code of its own is fine */
	struct segments segments;
	pthread_mutex_t reading;	  /* while symbols are being read: before the lock */
	_Atomic(struct symtab *) symbols; /* NULL until they are */

	pthread_mutex_t lock; /* of what follows, each NULL until asked for */
	struct sections *sections;
	struct dynamic *dynamic;
	struct unwind_table *unwind;
	struct image *debug; /* as found, once searched */
	bool debug_searched;
	struct symbols statics;
	bool statics_read;
};

/* What is in it is asked for while more of it is being read: recursive. */
static struct image *image_new(const char *name)
{
	struct image *image = NEW(struct image);
	pthread_mutexattr_t attr;

	image->name = mem_text(name);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&image->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_mutex_init(&image->reading, NULL);
	return image;
}

void image_lock(const struct image *image)
{
	pthread_mutex_lock(&((struct image *)image)->lock);
}

void image_unlock(const struct image *image)
{
	pthread_mutex_unlock(&((struct image *)image)->lock);
}

size_t image_read(const struct image *image, uint64_t offset, void *to, size_t size)
{
	size_t done = 0;
	int fd;

	if (offset >= image->size)
		return 0;
	if (size > image->size - offset)
		size = image->size - offset;
	if (!image->file) {
		memcpy(to, image->bytes + offset, size);
		return size;
	}
	fd = pooled_file_pin(image->file);
	if (fd < 0)
		return 0;
	while (done < size) {
		ssize_t n = pread(fd, (char *)to + done, size - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += n;
	}
	pooled_file_unpin(image->file);
	return done;
}

/* Of a file without segments: the note in its section, "GNU" and type 3. */
static struct build_id note_build_id(const struct image *image)
{
	const struct section *s = image_section(image, ".note.gnu.build-id");
	const uint8_t *bytes = section_bytes(image, s);
	struct build_id id = { 0 };
	Elf64_Nhdr note;

	if (!bytes || s->size < sizeof(note) + 4)
		return id;
	memcpy(&note, bytes, sizeof(note));
	if (note.n_namesz != 4 || memcmp(bytes + sizeof(note), "GNU", 4) ||
	    note.n_type != NT_GNU_BUILD_ID || note.n_descsz > sizeof(id.bytes) ||
	    note.n_descsz > s->size - sizeof(note) - 4)
		return id;
	id.size = note.n_descsz;
	memcpy(id.bytes, bytes + sizeof(note) + 4, id.size);
	return id;
}

static int read_headers(struct image *image, struct error *err)
{
	Elf64_Ehdr e;
	int r;

	if (image_read(image, 0, &e, sizeof(e)) != sizeof(e) ||
	    memcmp(e.e_ident, ELFMAG, SELFMAG))
		return error_set(err, EINVAL, "'%s' is not an ELF file", image->name);
	if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB ||
	    e.e_machine != MACHINE)
		return error_set(err, ENOTSUP,
				 "'%s' is code for another kind of machine (ELF machine %u, "
				 "%s bits)",
				 image->name, e.e_machine,
				 e.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64");
	if (e.e_type == ET_REL && image->supplement) {
		image->sections = sections_read(image, &e);
		image->segments.build_id = note_build_id(image);
		return 0;
	}
	if (e.e_type != ET_EXEC && e.e_type != ET_DYN)
		return error_set(err, EINVAL, "'%s' is neither a program nor a shared library",
				 image->name);
	r = segments_read(&image->segments, image, &e, err);
	if (!r)
		image->sections = sections_read(image, &e);
	return r;
}

static int image_start(struct image *image, struct image **ret, struct error *err)
{
	int r;

	image->users = 1;
	r = read_headers(image, err);
	if (r)
		image_close(image);
	else
		*ret = image;
	return r;
}

static int open_fd(struct filepool *pool, int fd, const char *name, bool supplement,
		   struct image **ret, struct error *err)
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
	image = image_new(name);
	image->pool = pool;
	image->file = pooled_file_new(pool, own);
	image->size = st.st_size;
	image->supplement = supplement;
	return image_start(image, ret, err);
}

static int open_path(struct filepool *pool, const char *path, const char *name, bool supplement,
		     struct image **ret, struct error *err)
{
	/* never wait for a FIFO's writer, never take a terminal */
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r;

	if (fd < 0)
		return error_set(err, errno, "cannot open '%s': %s", name, strerror(errno));
	r = open_fd(pool, fd, name, supplement, ret, err);
	if (!r)
		(*ret)->path = mem_text(path);
	return r;
}

int image_open(const char *path, const char *name, struct image **ret, struct error *err)
{
	return open_path(NULL, path, name, false, ret, err);
}

int image_open_pooled(struct filepool *pool, const char *path, const char *name,
		      struct image **ret, struct error *err)
{
	return open_path(pool, path, name, false, ret, err);
}

int image_open_supplement(struct filepool *pool, const char *path, struct image **ret,
			  struct error *err)
{
	return open_path(pool, path, path, true, ret, err);
}

int image_open_memory(const void *bytes, size_t size, const char *name, struct image **ret,
		      struct error *err)
{
	struct image *image = image_new(name);

	image->bytes = mem_copy(bytes, size);
	image->size = size;
	return image_start(image, ret, err);
}

struct image *image_use(struct image *image)
{
	image->users++;
	return image;
}

void image_close(struct image *image)
{
	if (!image || --image->users)
		return;
	image_close(image->debug);
	symtab_free(image->symbols);
	image_forget_unwind(image);
	dynamic_free(image->dynamic);
	sections_free(image->sections);
	segments_done(&image->segments);
	pooled_file_close(image->file);
	pthread_mutex_destroy(&image->lock);
	pthread_mutex_destroy(&image->reading);
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

struct pooled_file *image_file(const struct image *image)
{
	return image->file;
}

struct filepool *image_pool(const struct image *image)
{
	return image->pool;
}

const struct build_id *image_build_id(const struct image *image)
{
	return &image->segments.build_id;
}

const struct segments *image_segments(const struct image *image)
{
	return &image->segments;
}

struct sections *image_sections(const struct image *image)
{
	return image->sections;
}

bool image_has_section(const struct image *image, const char *name)
{
	return image_section(image, name);
}

const struct dynamic *image_dynamics(const struct image *image)
{
	struct image *cache = (struct image *)image;

	image_lock(image);
	if (!image->dynamic)
		cache->dynamic = dynamic_load(image);
	image_unlock(image);
	return image->dynamic;
}

const struct symbols *image_statics(const struct image *image)
{
	struct image *cache = (struct image *)image;

	image_lock(image);
	if (!image->statics_read)
		cache->statics = symbols_static(image);
	cache->statics_read = true;
	image_unlock(image);
	return &image->statics;
}

const struct symtab *image_symbols(const struct image *image)
{
	struct image *cache = (struct image *)image;

	if (image->symbols)
		return image->symbols;
	pthread_mutex_lock(&cache->reading);
	if (!image->symbols)
		cache->symbols = symtab_load(image);
	pthread_mutex_unlock(&cache->reading);
	return image->symbols;
}

bool image_symbols_are_read(const struct image *image)
{
	return image->symbols;
}

const struct unwind_table *image_unwind(const struct image *image)
{
	struct image *cache = (struct image *)image;

	image_lock(image);
	if (!image->unwind) {
		cache->unwind = NEW(struct unwind_table);
		unwind_build(image, image->unwind, NULL); /* on error it is empty */
	}
	image_unlock(image);
	return image->unwind;
}

void image_forget_unwind(struct image *image)
{
	if (image->unwind)
		unwind_done(image->unwind);
	free(image->unwind);
	image->unwind = NULL;
}

bool image_imports(const struct image *image, const char *glob)
{
	return symbols_match(dynamic_symbols(image_dynamics(image)), glob, SYMBOLS_IMPORT);
}

bool image_defines(const struct image *image, const char *glob)
{
	return symbols_match(dynamic_symbols(image_dynamics(image)), glob, SYMBOLS_DEFINED) ||
	       symbols_match(image_statics(image), glob, SYMBOLS_DEFINED);
}

const char *image_needed(const struct image *image, unsigned index)
{
	return dynamic_needed(image_dynamics(image), index);
}

const struct image *image_debug_file(const struct image *image)
{
	struct image *cache = (struct image *)image;

	image_lock(image);
	if (!image->debug_searched)
		cache->debug = debugfile_open(image);
	cache->debug_searched = true;
	image_unlock(image);
	return image->debug;
}
