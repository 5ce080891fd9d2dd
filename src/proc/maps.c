#include "proc/maps.h"

#include "base/table.h"
#include "base/text.h"
#include "proc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAPS_MAX (1u << 20) /* vm.max_map_count is 65,530 by default */
#define MAPS_TEXT_MAX (512ull << 20)
#define DELETED " (deleted)"

static const struct {
	const char *name;
	enum map_kind kind;
} special_maps[] = {
	{ "[vdso]", MAP_KIND_VDSO },
	{ "[stack]", MAP_KIND_STACK },
	{ "[uprobes]", MAP_KIND_PROBES },
	{ "[vvar]", MAP_KIND_OTHER },
	{ "[vvar_vclock]", MAP_KIND_OTHER },
	{ "[vsyscall]", MAP_KIND_OTHER },
	{ "[uprobes-trampoline]", MAP_KIND_PROBES },
};

static enum map_kind kind_of(const struct map *m)
{
	/* A file may be called "[vdso]", but not without a directory before it. */
	if (m->path[0] == '/' && m->inode)
		return MAP_KIND_FILE;
	for (unsigned i = 0; i < COUNT_OF(special_maps); i++)
		if (!strcmp(m->path, special_maps[i].name))
			return special_maps[i].kind;
	return m->exec ? MAP_KIND_JIT : MAP_KIND_OTHER;
}

/* The kernel writes a newline in a path as \012 and nothing else escaped
 * (show_map_vma(), seq_file_path(m, file, "\n")). */
static char *unescape(const char *from, size_t length)
{
	char *path = mem_alloc(length + 1), *to = path;

	for (size_t i = 0; i < length;) {
		if (length - i >= 4 && !memcmp(from + i, "\\012", 4)) {
			*to++ = '\n';
			i += 4;
		} else {
			*to++ = from[i++];
		}
	}
	*to = 0;
	return path;
}

/* "start-end rwxp offset major:minor inode   path", proc(5). */
static bool parse_line(const char *line, size_t length, struct map *m, char **ret_path)
{
	char head[160], permission[5];
	int used = 0;
	size_t copied = length < sizeof(head) - 1 ? length : sizeof(head) - 1;
	char *path;

	memcpy(head, line, copied);
	head[copied] = 0;
	if (sscanf(head,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64
		   "%n",
		   &m->start, &m->end, permission, &m->offset, &m->major, &m->minor, &m->inode,
		   &used) != 7)
		return false;
	if (m->start >= m->end || strlen(permission) != 4)
		return false;
	m->read = permission[0] == 'r';
	m->write = permission[1] == 'w';
	m->exec = permission[2] == 'x';
	m->shared = permission[3] == 's';
	while ((size_t)used < length && line[used] == ' ')
		used++;
	path = unescape(line + used, length - used);
	if (m->inode && text_ends(path, DELETED)) {
		m->deleted = true;
		path[strlen(path) - strlen(DELETED)] = 0;
	}
	m->path = *ret_path = path;
	m->kind = kind_of(m);
	return true;
}

int maps_parse(const char *bytes, size_t size, struct maps *ret, struct error *err)
{
	struct maps m = { 0 };
	const char *end = bytes + size;
	unsigned number = 0;

	while (bytes < end) {
		const char *stop = memchr(bytes, '\n', end - bytes);
		struct map map = { 0 };
		char *path = NULL;
		bool good;

		number++;
		stop = stop ? stop : end;
		good = parse_line(bytes, stop - bytes, &map, &path);
		if (path)
			array_push(&m.paths, path);
		if (good && m.count && map.start < m.at[m.count - 1].end)
			good = false;
		if (!good || m.count >= MAPS_MAX) {
			maps_done(&m);
			return error_set(err, EINVAL, "line %u of a process's maps is broken",
					 number);
		}
		array_push(&m, map);
		bytes = stop + 1;
	}
	*ret = m;
	return 0;
}

static int read_all(int fd, struct text *to)
{
	char part[65536];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) > 0) {
		text_add_part(to, part, n);
		if (to->size > MAPS_TEXT_MAX)
			return -EFBIG;
	}
	return n < 0 ? -errno : 0;
}

int maps_read(uint32_t pid, struct maps *ret, struct error *err)
{
	AUTO_TEXT struct text text = { 0 };
	char path[64];
	int failed;

	snprintf(path, sizeof(path), "/proc/%u/maps", process_face(pid));
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return error_set(err, ESRCH, "process %u ended", pid);
	if (fd < 0)
		return error_set(err, errno, "cannot read the maps of process %u: %s", pid,
				 strerror(errno));
	failed = read_all(fd, &text);
	if (failed)
		return error_set(err, -failed, "cannot read the maps of process %u: %s", pid,
				 strerror(-failed));
	return maps_parse(text_string(&text), text.size, ret, err);
}

void maps_done(struct maps *m)
{
	for (uint32_t i = 0; i < m->paths.count; i++)
		free(m->paths.at[i]);
	array_done(&m->paths);
	array_done(m);
}

const struct map *maps_find(const struct maps *m, uint64_t address)
{
	uint32_t low = 0, high = m->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->at[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->count && m->at[low].start <= address ? &m->at[low] : NULL;
}

bool map_is_same_file(const struct map *a, const struct map *b)
{
	return a->kind == MAP_KIND_FILE && b->kind == MAP_KIND_FILE && a->inode == b->inode &&
	       a->major == b->major && a->minor == b->minor;
}

const struct map *maps_show(const struct maps *m, const struct map *file, uint64_t offset)
{
	for (uint32_t i = 0; i < m->count; i++) {
		const struct map *map = &m->at[i];

		if (map->exec && map_is_same_file(map, file) && offset >= map->offset &&
		    offset - map->offset < map->end - map->start)
			return map;
	}
	return NULL;
}

/* 1: path is a regular file and, where inode is not 0, that one. */
static int is_file(const char *path, uint64_t inode)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return !inode || (uint64_t)st.st_ino == inode;
}

static bool is_code(const struct map *m)
{
	return m->exec && !m->write && m->kind != MAP_KIND_PROBES && m->kind != MAP_KIND_OTHER;
}

uint64_t maps_code_pages(const struct maps *m)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < m->count; i++)
		if (is_code(&m->at[i]))
			bytes += m->at[i].end - m->at[i].start;
	return bytes / sysconf(_SC_PAGESIZE);
}

uint64_t maps_code_key(const struct maps *m)
{
	uint64_t key = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		const struct map *map = &m->at[i];
		uint64_t parts[4] = { map->major, map->minor, map->inode, map->offset };

		if (is_code(map) && map->kind == MAP_KIND_FILE)
			key += hash_bytes(parts, sizeof(parts), 0);
	}
	return key;
}

int map_path(const struct map *map, uint32_t pid, char **ret, struct error *err)
{
	AUTO_FREE char *by_map = NULL;
	AUTO_FREE char *by_root = NULL;
	uint32_t face = process_face(pid);
	int found;

	if (map->kind != MAP_KIND_FILE)
		return error_set(err, EINVAL, "'%s' is not a mapped file", map->path);
	by_map = mem_format("/proc/%u/map_files/%" PRIx64 "-%" PRIx64, face, map->start,
			    map->end);
	if (is_file(by_map, 0) == 1) {
		*ret = by_map;
		by_map = NULL;
		return 0;
	}
	by_root = mem_format("/proc/%u/root%s", face, map->path);
	/* The device is not compared: overlay and btrfs show stat(2) another one. */
	found = is_file(by_root, map->inode);
	if (found == 1) {
		*ret = by_root;
		by_root = NULL;
		return 0;
	}
	if (!found || found == -ENOENT)
		return error_set(err, ESTALE,
				 "'%s' was replaced or deleted since process %u mapped it; "
				 "to read it by the mapping takes CAP_SYS_ADMIN (sudo)",
				 map->path, pid);
	return error_set(err, -found, "cannot open '%s' of process %u: %s", map->path, pid,
			 strerror(-found));
}
