#include "elf/symbols.h"

#include "base/text.h"
#include "elf/section.h"

#include <string.h>

/* Name bytes for each byte of strings. */
#define BUDGET_RATIO 4
#define BUDGET_LEAST 4096

struct symbols symbols_static(const struct image *image)
{
	const struct section *s = image_section_of(image, SHT_SYMTAB), *strings;
	struct symbols all = { 0 };

	strings = s ? image_section_at(image, s->link) : NULL;
	all.strings = (const char *)section_bytes(image, strings);
	if (!all.strings)
		return all;
	all.strings_size = strings->size;
	all.at = (const Elf64_Sym *)section_bytes(image, s);
	all.count = all.at ? s->size / sizeof(Elf64_Sym) : 0;
	return all;
}

uint64_t symbols_budget(const struct symbols *s)
{
	return s->strings_size * BUDGET_RATIO + BUDGET_LEAST;
}

const char *symbols_name(const struct symbols *s, uint32_t index)
{
	uint32_t name = s->at[index].st_name;

	return name < s->strings_size ? s->strings + name : "";
}

bool symbols_match(const struct symbols *s, const char *glob, enum symbols_side side)
{
	/* most names differ in their first letters: much faster than the glob */
	size_t literal = strcspn(glob, "*?[\\");
	bool whole = !glob[literal];
	uint64_t budget = symbols_budget(s);

	for (uint32_t i = 0; i < s->count; i++) {
		bool import = s->at[i].st_shndx == SHN_UNDEF;
		const char *name = symbols_name(s, i);

		if (import != (side == SYMBOLS_IMPORT) || !*name ||
		    strncmp(name, glob, literal))
			continue;
		if (whole ? !name[literal] || name[literal] == '@' : text_glob(glob, name))
			return true;
		if (whole)
			continue;
		budget -= strnlen(name, budget);
		if (!budget)
			return true;
	}
	return false;
}
