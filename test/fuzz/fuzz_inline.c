/*
 * fuzz_inline - any bytes as a file with DWARF: what is inlined at its offsets.
 *
 * sources: src/elf/*.c src/base/*.c
 */
#include "elf/inline.h"
#include "elf/symtab.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define ASKED 300

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ask_one(struct inlines *inlines, uint64_t offset)
{
	struct inline_level levels[INLINE_LEVELS_MAX];
	int count = inlines_find(inlines, offset, levels, INLINE_LEVELS_MAX);
	const char *file;
	uint32_t line;

	assert(count == -EAGAIN || (count >= 0 && count <= INLINE_LEVELS_MAX));
	for (int i = 0; i < count; i++)
		assert(strlen(levels[i].raw) + strlen(levels[i].name) + strlen(levels[i].file) +
			       strlen(levels[i].at_file) <
		       UINT32_MAX);
	if (inlines_definition(inlines, offset, &file, &line) > 0)
		assert(line && *file);
}

static void ask(const struct image *image)
{
	struct inlines *inlines = inlines_new(image);
	const struct symtab *symbols = image_symbols(image);

	inlines_set_budget(inlines, NSEC_PER_SEC);
	for (uint32_t i = 0; i < symtab_count(symbols) && i < ASKED; i++) {
		const struct symbol *s = symtab_at(symbols, i);

		ask_one(inlines, s->offset);
		for (uint64_t at = 1; at < s->size && at < 200; at += 5)
			ask_one(inlines, s->offset + at);
	}
	inlines_free(inlines);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct image *image;

	if (!image_open_memory(bytes, size, "fuzz", &image, NULL)) {
		ask(image);
		image_close(image);
	}
	return 0;
}
