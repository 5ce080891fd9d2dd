#include "probe/code.h"

#include "base/text.h"
#include "elf/section.h"
#include "probe/place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMAGES_MAX 16384

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct code_image *find_image(struct code *c, const struct map *map)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (map_is_same_file(&c->at[i].map, map))
			return &c->at[i];
	return NULL;
}

static void open_image(struct code_image *image, struct images *images, uint32_t pid)
{
	struct error err = { "" };
	AUTO_FREE char *path = NULL;

	image->failed = map_path(&image->map, pid, &path, &err);
	if (!image->failed)
		image->failed = images_open(images, path, image->name, &image->image, &err);
	if (image->failed)
		image->why = mem_text(err.text);
}

/* The inode of a process's executable, 0 if it may not be asked. */
static uint64_t exe_inode(uint32_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/exe", process_face(pid));
	return stat(path, &st) ? 0 : st.st_ino;
}

static int add_process(struct code *c, const struct process *p, struct images *images,
		       struct error *err)
{
	uint32_t pid = p->pid;
	struct maps maps = { 0 };
	uint64_t exe = exe_inode(pid);
	bool have_main = false;
	int ret = maps_read(pid, &maps, err);

	if (ret)
		return ret;
	c->pages += maps_code_pages(&maps);
	c->key += maps_code_key(&maps);
	for (uint32_t i = 0; i < maps.count && c->count < IMAGES_MAX; i++) {
		const struct map *map = &maps.at[i];
		struct code_image *image = find_image(c, map);

		if (!map->exec || map->kind != MAP_KIND_FILE)
			continue;
		if (image && image->pid == pid)
			array_push(&image->ranges, *map);
		if (image)
			continue;
		image = array_add(c);
		image->path = mem_text(map->path);
		image->name = base_name(image->path);
		image->pid = pid;
		image->map = *map;
		image->map.path = image->path;
		array_push(&image->ranges, image->map);
		/* Without the right to ask: the executable is mapped lowest or alone
		 * below its libraries. */
		image->is_main = !have_main && (exe ? map->inode == exe : true);
		have_main |= image->is_main;
		if (image->is_main)
			memcpy(image->alias, p->comm, COMM_SIZE);
		open_image(image, images, pid);
	}
	maps_done(&maps);
	return 0;
}

static bool any_open(const struct code *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->at[i].image)
			return true;
	return false;
}

static char *text_take(struct text *t)
{
	char *s = mem_text(text_string(t));

	text_done(t);
	return s;
}

int code_open(const struct target *target, struct images *images, struct code *ret,
	      struct error *err)
{
	struct code c = { 0 };
	struct text name = { 0 }, option = { 0 };
	int failed = 0;

	for (uint32_t i = 0; i < target->processes.count; i++) {
		failed = add_process(&c, &target->processes.at[i], images, err);
		/* of many processes some may end meanwhile */
		if (failed && target->processes.count == 1)
			break;
	}
	if (!any_open(&c)) {
		if (c.count && c.at[0].why)
			failed = error_set(err, EACCES, "%s", c.at[0].why);
		else if (!failed)
			failed = error_set(err, ENOENT,
					   "the target has no file of code mapped (it may be "
					   "ending just now)");
		code_done(&c);
		return failed;
	}
	if (target->processes.count == 1)
		text_add_plain(&name, target->processes.at[0].comm);
	else
		target_describe(target, &name);
	target_option(target, &option);
	c.processes = target->processes.count;
	c.name = text_take(&name);
	c.option = text_take(&option);
	*ret = c;
	return 0;
}

int code_open_file(const char *path, struct code *ret, struct error *err)
{
	struct code c = { 0 };
	struct code_image *image = array_add(&c);
	int failed;

	image->path = realpath(path, NULL);
	if (!image->path)
		image->path = mem_text(path);
	image->name = base_name(image->path);
	image->is_main = true;
	snprintf(image->alias, COMM_SIZE, "%.*s", COMM_SIZE - 1, base_name(path));
	failed = image_open(path, image->name, &image->image, err);
	if (failed) {
		code_done(&c);
		return failed;
	}
	c.name = mem_text(image->name);
	c.option = mem_format("-- %s", path);
	*ret = c;
	return 0;
}

void code_done(struct code *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct code_image *image = &c->at[i];

		free(image->goroutines);
		table_done(&image->cold);
		table_done(&image->callers);
		array_done(&image->ranges);
		image_close(image->image);
		free(image->path);
		free(image->why);
	}
	free(c->name);
	free(c->option);
	array_done(c);
	c->name = c->option = NULL;
}

bool code_is_image(const struct code_image *image, const char *name)
{
	return place_is_image(name, image->path) ||
	       (image->is_main && text_glob(name, image->alias));
}

static uint64_t name_hash(const char *raw, size_t length)
{
	return hash_bytes(raw, length, 0);
}

static void index_cold_parts(struct code_image *image)
{
	for (uint32_t i = 0; i < symtab_count(image->symbols); i++) {
		const char *raw = symtab_at(image->symbols, i)->raw;
		const char *cold = strstr(raw, ".cold");

		if (cold)
			table_set(&image->cold, name_hash(raw, cold - raw), i);
	}
}

const struct symtab *code_symbols(struct code_image *image)
{
	if (image->image && !image->symbols) {
		image->symbols = image_symbols(image->image);
		index_cold_parts(image);
	}
	return image->symbols;
}

const struct symbol *code_function_at(const struct code_image *image, uint64_t address)
{
	uint64_t offset;

	return image_to_offset(image->image, address, &offset)
		       ? symtab_find(image->symbols, offset)
		       : NULL;
}

const struct unwind_table *code_cfa(struct code_image *image)
{
	return image_unwind(image->image);
}

const struct symbol *code_cold_part(struct code_image *image, const struct symbol *function)
{
	size_t length = strlen(function->raw);
	uint32_t at = table_find(&image->cold, name_hash(function->raw, length));
	const struct symbol *s;

	if (at == TABLE_NONE)
		return NULL;
	s = symtab_at(image->symbols, at);
	return !strncmp(s->raw, function->raw, length) && s->raw[length] == '.' ? s : NULL;
}

static const struct map *find_range(const struct code_image *image, uint64_t offset)
{
	for (uint32_t i = 0; i < image->ranges.count; i++) {
		const struct map *map = &image->ranges.at[i];

		if (offset >= map->offset && offset - map->offset < map->end - map->start)
			return map;
	}
	return NULL;
}

bool code_is_mapped(const struct code_image *image, uint64_t offset)
{
	return find_range(image, offset) != NULL;
}

size_t code_read_memory(const struct code_image *image, uint64_t offset, void *to, size_t size)
{
	const struct map *map = find_range(image, offset);
	char path[64];
	ssize_t n;

	if (!map)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/mem", process_face(image->pid));
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = pread(fd, to, size, map->start + (offset - map->offset));
	return n < 0 ? 0 : n;
}
