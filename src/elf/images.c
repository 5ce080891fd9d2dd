#include "elf/images.h"

#include "base/array.h"
#include "base/table.h"
#include "elf/reader.h"
#include "elf/section.h"

#include <sys/stat.h>

/* A file is read in a few goes, which are far apart. */
#define OPEN_MOST 64

struct images {
	ARRAY(struct image *);
	struct table files; /* file_key() -> index */
	struct filepool *pool;
	struct reader *reader;
};

struct images *images_new(void)
{
	struct images *all = NEW(struct images);

	all->pool = filepool_new(OPEN_MOST);
	all->reader = reader_new();
	return all;
}

void images_free(struct images *all)
{
	if (!all)
		return;
	reader_free(all->reader);
	for (uint32_t i = 0; i < all->count; i++)
		image_close(all->at[i]);
	array_done(all);
	table_done(&all->files);
	filepool_free(all->pool);
	free(all);
}

static uint64_t file_key(const struct stat *st)
{
	uint64_t parts[] = {
		st->st_dev,	     st->st_ino,	  st->st_size,
		st->st_mtim.tv_sec,  st->st_mtim.tv_nsec, st->st_ctim.tv_sec,
		st->st_ctim.tv_nsec,
	};

	return hash_bytes(parts, sizeof(parts), 0);
}

static struct image *find(const struct images *all, const char *path)
{
	struct stat st;
	uint32_t at = stat(path, &st) ? TABLE_NONE : table_find(&all->files, file_key(&st));

	return at == TABLE_NONE ? NULL : all->at[at];
}

/* By what was opened: the path may lead elsewhere by now. */
static void add(struct images *all, struct image *image)
{
	struct stat st;
	int fd = pooled_file_pin(image_file(image)), code;

	if (fd < 0)
		return;
	code = fstat(fd, &st);
	pooled_file_unpin(image_file(image));
	if (code)
		return;
	table_set(&all->files, file_key(&st), all->count);
	array_push(all, image);
	image_use(image);
}

int images_open(struct images *all, const char *path, const char *name, struct image **ret,
		struct error *err)
{
	struct image *known = all ? find(all, path) : NULL;
	int r;

	if (known) {
		*ret = image_use(known);
		return 0;
	}
	r = image_open_pooled(all ? all->pool : NULL, path, name, ret, err);
	if (!r && all)
		add(all, *ret);
	return r;
}

struct reader *images_reader(const struct images *all)
{
	return all ? all->reader : NULL;
}

uint32_t images_count(const struct images *all)
{
	return all->count;
}
