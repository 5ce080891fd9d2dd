#include "session/watch_file.h"

#include "elf/section.h"
#include "probe/landmark.h"
#include "wire/codec.h"

bool watch_has_exit(const struct probe *p, uint32_t from, enum probe_exit exit)
{
	for (uint32_t i = from; i < p->functions.count; i++)
		if (p->functions.at[i].exit == exit)
			return true;
	return false;
}

/* name is what the target calls it. */
static int file_for(struct watch *w, uint32_t probe, struct image *image, const char *name,
		    bool plain, struct watch_file **ret, struct error *err)
{
	struct watch_file *f;
	int fd;

	for (uint32_t i = 0; i < w->files.count; i++) {
		f = *ret = &w->files.at[i];
		if (f->probe == probe && !f->watched && f->plain == plain && f->image == image)
			return 0;
	}
	fd = pooled_file_pin(image_file(image));
	if (fd < 0)
		return error_set(err, -fd, "cannot open '%s': %s", name, strerror(-fd));
	f = *ret = array_add(&w->files);
	f->probe = probe;
	f->plain = plain;
	f->image = image_use(image);
	f->path = mem_format("/proc/self/fd/%d", fd);
	return 0;
}

void watch_file_done(struct watch_file *f)
{
	pooled_file_unpin(image_file(f->image));
	image_close(f->image);
	free(f->path);
	array_done(&f->offsets);
	array_done(&f->cookies);
}

static uint64_t dear(const struct site *s)
{
	return s->price == INSN_STEPPED ? COOKIE_STEPPED : 0;
}

/* What cookies name this layout by: none does if all are zero.  False: there are too
 * many. */
static bool name_layout(struct watch *w, const struct goroutine_layout *layout,
			uint64_t *ret_cookie, struct error *err)
{
	static const struct goroutine_layout none;
	uint32_t i = 0;

	*ret_cookie = 0;
	if (!memcmp(layout, &none, sizeof(none)))
		return true;
	while (i < w->layouts.count && memcmp(layout, &w->layouts.at[i], sizeof(*layout)) != 0)
		i++;
	if (i == MAX_LAYOUTS) {
		error_set(
			err, E2BIG,
			"these are programs of more than %u versions of Go: watch some of them "
			"at a time",
			MAX_LAYOUTS);
		return false;
	}
	if (i == w->layouts.count)
		array_push(&w->layouts, *layout);
	*ret_cookie = COOKIE_OF_LAYOUT(i + 1);
	return true;
}

/* Exits before the entry: no call is opened that cannot end.  always: of each cookie. */
static void add_sites(struct watch_file *f, const struct probe_function *function,
		      uint32_t probe, uint64_t always)
{
	uint64_t entry = (function->followed ? COOKIE_FOLLOWS : 0) |
			 (function->exit == EXIT_BRACKET ? COOKIE_BRACKET : 0);

	for (uint32_t i = function->sites.count; i-- > 0;) {
		const struct site *s = &function->sites.at[i];

		array_push(&f->offsets, s->offset);
		array_push(&f->cookies, COOKIE(probe, s->role, s->condition, s->cfa) |
						COOKIE_OF_LENGTH(s->length) | dear(s) | always |
						(i ? 0 : entry));
	}
}

/* Those that no source has yet. */
static void drop_files(struct watch *w, uint32_t probe)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < w->files.count; i++)
		if (w->files.at[i].probe == probe && !w->files.at[i].watched)
			watch_file_done(&w->files.at[i]);
		else
			w->files.at[kept++] = w->files.at[i];
	w->files.count = kept;
}

static int group_function(struct watch *w, const struct probe_function *f, uint32_t probe,
			  struct error *err)
{
	struct watch_file *file;
	uint64_t layout;
	int code =
		file_for(w, probe, f->image, f->image_path, f->exit != EXIT_HOOK, &file, err);

	if (code)
		return code;
	if (!name_layout(w, &f->layout, &layout, err))
		return -E2BIG;
	add_sites(file, f, probe, layout);
	return 0;
}

int watch_group(struct watch *w, const struct probe *p, uint32_t from, struct error *err)
{
	for (uint32_t i = from; i < p->functions.count; i++) {
		int code = group_function(w, &p->functions.at[i], p->id, err);

		if (code) {
			drop_files(w, p->id);
			return code;
		}
	}
	w->hooks |= watch_has_exit(p, from, EXIT_HOOK);
	w->exits |= watch_has_exit(p, from, EXIT_SITES);
	w->brackets |= watch_has_exit(p, from, EXIT_BRACKET);
	return 0;
}

int watch_landmarks(struct watch *w, struct code *code, struct error *err)
{
	unsigned needed = (w->exits || w->brackets ? LANDMARKS_LEAVING : 0) |
			  (w->hooks ? LANDMARKS_MAPS : 0);
	struct landmarks found = { 0 };
	struct watch_file *f;
	uint64_t layout;
	int failed = 0;

	landmarks_find(code, needed, &w->searched, &found);
	for (uint32_t i = 0; i < found.count && !failed; i++) {
		const struct landmark *l = &found.at[i];

		failed = file_for(w, 0, l->image, l->path, true, &f, err);
		if (failed)
			break;
		if (!name_layout(w, &l->layout, &layout, err)) {
			failed = -E2BIG;
			break;
		}
		array_push(&f->offsets, l->site.offset);
		array_push(&f->cookies, COOKIE(0, l->site.role, l->site.condition, 0) |
						dear(&l->site) | layout);
	}
	array_done(&found);
	return failed;
}
