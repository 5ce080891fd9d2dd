#include "name/native.h"

#include "base/mem.h"
#include "elf/debugfile.h"
#include "elf/demangle.h"
#include "elf/symtab.h"
#include "elf/variable.h"
#include "proc/maps.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct native {
	struct image *image;
	struct inlines *inlines;
	struct reader *reader; /* of its symbols; NULL: we do */
};

int native_open(struct image *image, const struct build_id *wanted, struct reader *reader,
		struct native **ret, struct error *err)
{
	if (wanted && wanted->size && !build_id_equal(wanted, image_build_id(image))) {
		error_set(err, ESTALE,
			  "'%s' is another build than the one that runs (its build-id differs)",
			  image_name(image));
		image_close(image);
		return -ESTALE;
	}
	*ret = NEW(struct native);
	(*ret)->image = image;
	(*ret)->inlines = inlines_new(image);
	(*ret)->reader = reader;
	return 0;
}

int native_open_vdso(const struct build_id *wanted, struct native **ret, struct error *err)
{
	struct maps maps = { 0 };
	struct image *image;
	int r = maps_read(getpid(), &maps, err);

	if (r)
		return r;
	r = error_set(err, ENOENT, "this kernel gives processes no vdso");
	for (uint32_t i = 0; i < maps.count; i++) {
		const struct map *m = &maps.at[i];

		if (m->kind == MAP_KIND_VDSO)
			r = image_open_memory((const void *)(uintptr_t)m->start,
					      m->end - m->start, "[vdso]", &image, err);
	}
	maps_done(&maps);
	return r ? r : native_open(image, wanted, NULL, ret, err);
}

void native_close(struct native *n)
{
	if (!n)
		return;
	inlines_free(n->inlines);
	image_close(n->image);
	free(n);
}

nsec native_line_spent(const struct native *n)
{
	return inlines_spent(n->inlines);
}

void native_set_line_budget(struct native *n, nsec left)
{
	inlines_set_budget(n->inlines, inlines_spent(n->inlines) + left);
}

static bool is_read(const struct native *n)
{
	return !n->reader || reader_has(n->reader, n->image);
}

void native_wait(struct native *n, nsec time)
{
	if (n->reader)
		reader_wait(n->reader, n->image, time);
}

uint64_t native_forgotten(const struct native *n)
{
	return image_symbols_are_read(n->image) ? symtab_forgotten(image_symbols(n->image)) : 0;
}

int native_find(struct native *n, uint64_t offset, struct found *ret)
{
	const struct symbol *s;

	if (!is_read(n))
		return -EAGAIN;
	s = symtab_find(image_symbols(n->image), offset);
	if (!s)
		return 0;
	text_clear(&ret->name);
	demangle(s->raw, DEMANGLE_NAME, &ret->name);
	if (s->near) {
		text_add_char(&ret->name, '~');
		demangle(s->near, DEMANGLE_NAME, &ret->name);
	}
	ret->made = s->kind == SYMBOL_UNNAMED;
	ret->start = s->offset;
	ret->length = s->size;
	ret->file = "";
	ret->line = 0;
	if (s->kind == SYMBOL_FUNC || s->kind == SYMBOL_IFUNC)
		ret->late = inlines_definition(n->inlines, s->offset, &ret->file, &ret->line) ==
			    -EAGAIN;
	return 1;
}

bool native_variable(const struct native *n, uint64_t offset, uint64_t distance,
		     struct data_name *ret)
{
	AUTO_FREE char *plain = NULL;
	struct variable v;
	uint64_t address;

	if (!image_to_address(n->image, offset, &address) ||
	    !variable_find(n->image, address + distance, &v))
		return false;
	plain = mem_text_part(v.raw, strcspn(v.raw, "@"));
	demangle(plain, DEMANGLE_NAME, &ret->name);
	ret->into = v.into;
	ret->size = v.size;
	return true;
}

int native_expand(struct native *n, uint64_t offset, struct inline_level *ret, unsigned room)
{
	return is_read(n) ? inlines_find(n->inlines, offset, ret, room) : -EAGAIN;
}
