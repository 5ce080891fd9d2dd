#include "elf/debugfile.h"

#include "base/array.h"
#include "base/mem.h"
#include "base/text.h"
#include "elf/section.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define DEBUG_ROOT "/usr/lib/debug"
/* Reading this much for a checksum takes about a second. */
#define CRC_SIZE_MAX (1ull << 30)

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size && a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static void add_build_id_path(const struct build_id *id, struct text *path)
{
	text_add(path, DEBUG_ROOT "/.build-id/");
	for (unsigned i = 0; i < id->size; i++)
		text_format(path, "%02x%s", id->bytes[i], i ? "" : "/");
	text_add(path, ".debug");
}

/* The file if it has this build-id. */
static struct image *checked(struct image *found, const struct build_id *id)
{
	if (build_id_equal(image_build_id(found), id))
		return found;
	image_close(found);
	return NULL;
}

static struct image *debugfile_by_build_id(const struct image *image)
{
	const struct build_id *id = image_build_id(image);
	AUTO_TEXT struct text path = { 0 };
	struct image *found = NULL;

	if (id->size < 2)
		return NULL;
	add_build_id_path(id, &path);
	if (image_open_pooled(image_pool(image), text_string(&path), text_string(&path), &found,
			      NULL))
		return NULL;
	return checked(found, id);
}

struct image *debugfile_supplement(const struct image *image, const char *path,
				   const struct build_id *id)
{
	const char *name = strstr(path, "/.dwz/");
	AUTO_TEXT struct text at = { 0 }, by_id = { 0 };
	struct image *found = NULL;

	if (id->size < 2)
		return NULL;
	text_format(&at, DEBUG_ROOT "%s", name ? name : "");
	if (name && !strstr(name, "/..") &&
	    !image_open_supplement(image_pool(image), text_string(&at), &found, NULL))
		found = checked(found, id);
	add_build_id_path(id, &by_id);
	if (!found &&
	    !image_open_supplement(image_pool(image), text_string(&by_id), &found, NULL))
		found = checked(found, id);
	return found;
}

static bool crc_matches(const struct image *image, uint32_t wanted)
{
	AUTO_FREE uint8_t *part = mem_alloc(1 << 18);
	uint64_t at = 0;
	uint32_t crc = 0;
	size_t n;

	while (at < CRC_SIZE_MAX && (n = image_read(image, at, part, 1 << 18))) {
		crc = crc32(crc, part, n);
		at += n;
	}
	return crc == wanted;
}

static struct image *open_checked(const struct image *image, const char *path, uint32_t crc)
{
	const struct build_id *wanted = image_build_id(image), *is;
	struct image *found;
	bool right;

	if (image_open_pooled(image_pool(image), path, path, &found, NULL))
		return NULL;
	is = image_build_id(found);
	right = wanted->size && is->size ? build_id_equal(wanted, is) : crc_matches(found, crc);
	if (right)
		return found;
	image_close(found);
	return NULL;
}

/* .gnu_debuglink: a base name, NUL, padding to four bytes, the CRC-32. */
static const char *debuglink(const struct image *image, uint32_t *ret_crc)
{
	const struct section *s = image_section(image, ".gnu_debuglink");
	const char *name = (const char *)section_bytes(image, s);
	uint64_t at;

	if (!name)
		return NULL;
	at = (strlen(name) + 4) & ~3ull;
	if (!*name || strchr(name, '/') || at + 4 > s->size)
		return NULL;
	memcpy(ret_crc, name + at, 4);
	return name;
}

/* Where an image lies: root is what leads to the target's files ("/proc/PID/root" or ""),
 * folder is as seen from there. */
struct location {
	char *root, *folder;
};

/* The path it is open by: what /proc/PID/map_files has is named after addresses.  It is
 * looked for as the target sees it, then as sonde does. */
static char *open_path(const struct image *image)
{
	int fd = pooled_file_pin(image_file(image));
	AUTO_FREE char *link = mem_format("/proc/self/fd/%d", fd);
	char path[PATH_MAX];
	ssize_t n = fd < 0 ? -1 : readlink(link, path, sizeof(path) - 1);

	if (fd >= 0)
		pooled_file_unpin(image_file(image));
	return n > 0 && path[0] == '/' ? mem_text_part(path, n) : NULL;
}

/* false: nobody can say. */
static bool locate(const struct image *image, struct location *ret)
{
	const char *path = image_path(image), *rest;
	size_t process = text_starts(path, "/proc/") ? 6 + strspn(path + 6, "0123456789") : 0;
	bool mapped = process && text_starts(path + process, "/map_files/");
	bool rooted = process && text_starts(path + process, "/root/");
	AUTO_FREE char *opened = mapped ? open_path(image) : NULL;
	const char *slash;

	rest = mapped ? opened : rooted ? path + process + strlen("/root") : path;
	slash = rest ? strrchr(rest, '/') : NULL;
	if (!slash)
		return false;
	ret->folder = mem_text_part(rest, slash - rest);
	ret->root =
		mapped || rooted ? mem_format("%.*s/root", (int)process, path) : mem_text("");
	return true;
}

static struct image *find_below(const struct image *image, const char *root, const char *folder)
{
	static const char *const forms[] = { "%s%s/%s", "%s%s/.debug/%s",
					     "%s" DEBUG_ROOT "%s/%s" };
	struct image *found = NULL;
	uint32_t crc;
	const char *name = debuglink(image, &crc);

	for (unsigned i = 0; name && !found && i < COUNT_OF(forms); i++) {
		AUTO_FREE char *candidate = mem_format(forms[i], root, folder, name);

		if (strcmp(candidate, image_path(image)))
			found = open_checked(image, candidate, crc);
	}
	return found;
}

static struct image *debugfile_by_link(const struct image *image)
{
	struct location at;
	struct image *found;

	if (!locate(image, &at))
		return NULL;
	found = find_below(image, at.root, at.folder);
	/* the target may be gone, or may see its files elsewhere */
	if (!found && at.root[0])
		found = find_below(image, "", at.folder);
	free(at.root);
	free(at.folder);
	return found;
}

struct image *debugfile_open(const struct image *image)
{
	struct image *found = debugfile_by_build_id(image);

	return found ? found : debugfile_by_link(image);
}
