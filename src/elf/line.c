#include "elf/line.h"

#include "base/mem.h"
#include "elf/inline.h"

struct lines {
	struct inlines *inlines;
};

struct lines *lines_new(const struct image *image, nsec budget)
{
	struct lines *l = NEW(struct lines);

	l->inlines = inlines_new(image);
	inlines_set_budget(l->inlines, budget);
	return l;
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	inlines_free(l->inlines);
	free(l);
}

nsec lines_spent(const struct lines *l)
{
	return inlines_spent(l->inlines);
}

bool lines_find(struct lines *l, uint64_t offset, const char **ret_file, uint32_t *ret_line)
{
	return inlines_definition(l->inlines, offset, ret_file, ret_line) > 0;
}
