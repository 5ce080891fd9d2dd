#include "name/origin.h"

#include "elf/demangle.h"

#include <errno.h>
#include <string.h>

void origin_done(struct origin *o)
{
	native_close(o->native);
	kallsyms_free(o->kernel);
	perfmap_free(o->perfmap);
	recorded_done(&o->recorded);
	recorded_done(&o->variables);
	table_done(&o->nameless);
	table_done(&o->offsets);
	table_done(&o->functions);
	free(o->problem);
}

static int origin_problem(struct origin *o, int r, const struct error *err)
{
	free(o->problem);
	o->problem = mem_text(err->text);
	return r;
}

static int open_file(struct origin *o, struct images *images, const char *path,
		     struct error *err)
{
	struct image *image;
	int r = images_open(images, path, o->path, &image, err);

	return r ? r : native_open(image, &o->build_id, images_reader(images), &o->native, err);
}

int origin_open(struct origin *o, struct images *images, const char *open_path,
		struct error *err)
{
	struct error own = { "" };
	int r = open_file(o, images, open_path, &own);

	o->tried = r;
	if (!r)
		return 0;
	if (err)
		*err = own;
	return origin_problem(o, r, &own);
}

static int load_kernel(struct origin *o, struct error *err)
{
	if (o->live)
		return kallsyms_load(KALLSYMS_PATH, &o->kernel, err);
	return error_set(err, ENOENT, "the recording names no more of its kernel");
}

static int load_vdso(struct origin *o, struct error *err)
{
	if (o->live || o->build_id.size)
		return native_open_vdso(&o->build_id, &o->native, err);
	return error_set(err, ENOENT, "the recording names no more of its vdso");
}

static int load_file(struct origin *o, struct error *err)
{
	if (o->live) /* it had no path, or it could not be opened when it was told */
		return error_set(err, ENOENT, "'%s' could not be reached", o->path);
	if (o->build_id.size)
		return open_file(o, NULL, o->path, err);
	return error_set(err, ENOENT,
			 "'%s' had no build-id, so no file here can be told to be it", o->path);
}

static int load_nothing(struct origin *o, struct error *err)
{
	return 0;
}

static void origin_load(struct origin *o)
{
	static int (*const loads[])(struct origin * o, struct error * err) = {
		[IMAGE_FILE] = load_file,      [IMAGE_KERNEL] = load_kernel,
		[IMAGE_VDSO] = load_vdso,      [IMAGE_JIT] = load_nothing,
		[IMAGE_PROBES] = load_nothing,
	};
	struct error err = { "" };
	int r = o->kind < COUNT_OF(loads) ? loads[o->kind](o, &err) : 0;

	o->tried = true;
	if (r)
		origin_problem(o, r, &err);
}

static void say_kernel(struct found *ret, const char *raw, const char *module, size_t size)
{
	text_clear(&ret->name);
	demangle(raw, DEMANGLE_NAME, &ret->name);
	if (size)
		text_format(&ret->name, " [%.*s]", (int)size, module);
	ret->file = "";
	ret->line = 0;
}

static bool find_kernel(const struct kallsyms *kernel, uint64_t address, struct found *ret)
{
	const char *module, *raw;

	raw = kallsyms_find(kernel, address, &ret->start, &ret->length, &module);
	if (raw)
		say_kernel(ret, raw, module, strlen(module));
	return raw;
}

/* 1; 0: no function is there; -ENOTSUP: it cannot be asked. */
static int ask_kernel(const struct origin *o, uint64_t address, struct found *ret)
{
	const char *said = o->asked->ask ? o->asked->ask(o->asked->context, address) : NULL;
	AUTO_FREE char *raw = NULL;
	struct ksym k;

	if (!said)
		return -ENOTSUP;
	if (!ksym_read(said, address, &k))
		return 0;
	raw = mem_text_part(k.name, k.name_size);
	say_kernel(ret, raw, k.module, k.module_size);
	ret->start = k.start;
	ret->length = k.length;
	return 1;
}

/* Loads what there is, at the first question. */
static void origin_need(struct origin *o, nsec line_budget)
{
	if (!o->tried && !o->native)
		origin_load(o);
	if (o->native)
		native_set_line_budget(o->native, line_budget);
}

static bool find_made(struct perfmap *map, uint64_t address, struct found *ret)
{
	const char *name = perfmap_find(map, address, clock_now(), &ret->start, &ret->length);

	if (!name)
		return false;
	text_clear(&ret->name);
	text_add(&ret->name, name);
	ret->file = "";
	ret->line = 0;
	return true;
}

/* What was asked for may be one of those. */
static void note_forgotten(struct origin *o)
{
	uint64_t forgotten = native_forgotten(o->native);
	char count[TEXT_QUANTITY];

	if (!forgotten || o->problem)
		return;
	o->missed = true;
	o->problem =
		mem_format("%s symbols of '%s' were left out: there are too many, or their "
			   "names are too long",
			   text_count(count, forgotten), o->path);
}

static int find_native(struct origin *o, uint64_t offset, struct found *ret)
{
	int r = native_find(o->native, offset, ret);

	if (r == 0 || (r > 0 && ret->made))
		note_forgotten(o);
	return r;
}

int origin_find(struct origin *o, uint64_t offset, nsec line_budget, struct found *ret)
{
	int r = o->kind == IMAGE_KERNEL && o->live ? ask_kernel(o, offset, ret) : -ENOTSUP;

	if (r >= 0)
		return r;
	origin_need(o, line_budget);
	if (o->native)
		return find_native(o, offset, ret);
	if (o->perfmap)
		return find_made(o->perfmap, offset, ret);
	return o->kernel && find_kernel(o->kernel, offset, ret);
}

void origin_wait(struct origin *o, nsec time)
{
	if (o->native)
		native_wait(o->native, time);
}

void origin_give_up(struct origin *o)
{
	if (!o->problem)
		o->problem = mem_format("the symbols of '%s' were still being read", o->path);
}

int origin_expand(struct origin *o, uint64_t offset, nsec line_budget, struct inline_level *ret,
		  unsigned room)
{
	if (o->kind != IMAGE_FILE)
		return 0;
	origin_need(o, line_budget);
	return o->native ? native_expand(o->native, offset, ret, room) : 0;
}

bool origin_variable(struct origin *o, uint64_t offset, uint64_t distance,
		     struct data_name *ret)
{
	if (o->kind != IMAGE_FILE)
		return false;
	origin_need(o, 0);
	return o->native && native_variable(o->native, offset, distance, ret);
}

nsec origin_line_spent(const struct origin *o)
{
	return o->native ? native_line_spent(o->native) : 0;
}
