#include "elf/symbols.h"

#include "base/text.h"
#include "elf/section.h"

#include <stdlib.h>
#include <string.h>

bool symbols_static(const struct image *image, struct symbols *ret)
{
	const struct section *s = image_section_of(image, SHT_SYMTAB), *strings;
	const uint8_t *names;

	if (!s)
		return false;
	strings = image_section_at(image, s->link);
	names = section_bytes(image, strings);
	if (!names)
		return false;
	*ret = (struct symbols){
		.at = (Elf64_Sym *)section_copy(image, s),
		.strings = (const char *)names,
		.strings_size = strings->size,
	};
	ret->count = ret->at ? s->size / sizeof(Elf64_Sym) : 0;
	return ret->at;
}

void symbols_done(struct symbols *s)
{
	free(s->at);
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

	for (uint32_t i = 0; i < s->count; i++) {
		bool import = s->at[i].st_shndx == SHN_UNDEF;
		const char *name = symbols_name(s, i);

		if (import != (side == SYMBOLS_IMPORT) || !*name ||
		    strncmp(name, glob, literal))
			continue;
		if (whole ? !name[literal] || name[literal] == '@' : text_glob(glob, name))
			return true;
	}
	return false;
}
