/*
 * fuzz_elf - any bytes as an ELF file: headers, symbols, stubs, unwind table,
 * names.  Nothing in it may crash, hang or read beyond its bytes, and what is
 * found must be where it was looked for.
 *
 * A corpus of small ELF files (shared, static, stripped, with a debug link) is
 * worth having: headers are not guessed.
 */
#include "base/text.h"
#include "elf/demangle.h"
#include "elf/section.h"
#include "elf/segment.h"
#include "elf/symtab.h"

#include <assert.h>
#include <string.h>

#define ASKED 4096 /* symbols looked at closely */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ask_image(const struct image *image)
{
	static const char *const globs[] = { "__cxa_throw", "*Unwind*", "main" };
	uint64_t address, offset;
	size_t length = 0;
	uint8_t code[64];

	for (unsigned i = 0; i < sizeof(globs) / sizeof(globs[0]); i++) {
		image_imports(image, globs[i]);
		image_defines(image, globs[i]);
	}
	for (unsigned i = 0; image_needed(image, i); i++)
		length += strlen(image_needed(image, i));
	for (uint64_t at = 0; at < 1 << 16; at += 509) {
		if (image_to_address(image, at, &address))
			assert(image_to_offset(image, address, &offset));
		if (image_is_code(image, at))
			assert(image_code_end(image, at) > at);
		assert(image_read(image, at, code, sizeof(code)) <= sizeof(code));
	}
	assert(image_read(image, UINT64_MAX - 8, code, sizeof(code)) == 0);
	for (uint32_t i = 0; image_section_at(image, i); i++)
		length += strlen(image_section_at(image, i)->name);
	assert(length < UINT32_MAX);
}

static void ask_symbol(const struct symtab *t, uint32_t index, struct text *name)
{
	const struct symbol *s = symtab_at(t, index), *f;

	assert(!index || symtab_at(t, index - 1)->offset <= s->offset);
	f = symtab_find(t, s->offset + s->size / 2);
	assert(!f || s->offset + s->size / 2 - f->offset < f->size);
	f = symtab_named(t, s->raw);
	assert(f && !strcmp(f->raw, s->raw));
	assert(symtab_at(t, symtab_lower(t, s->offset))->offset == s->offset);
	text_clear(name);
	demangle(s->raw, DEMANGLE_FULL, name);
	demangle(s->raw, DEMANGLE_NAME, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	AUTO_TEXT struct text name = { 0 };
	const struct symtab *symbols;
	struct image *image;
	struct error err;

	if (image_open_memory(bytes, size, "fuzz", &image, &err))
		return 0;
	ask_image(image);
	symbols = image_symbols(image);
	for (uint32_t i = 0; i < symtab_count(symbols) && i < ASKED; i++)
		ask_symbol(symbols, i, &name);
	for (uint64_t at = 0; at < 1 << 16; at += 127)
		symtab_find(symbols, at);
	image_close(image);
	return 0;
}
