#include "elf/variable.h"

#include "elf/debugfile.h"
#include "elf/dynamic.h"
#include "elf/segment.h"
#include "elf/symbols.h"

static bool is_variable(const Elf64_Sym *s)
{
	return ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_shndx != SHN_UNDEF;
}

/* Takes a smaller one than there is; size 0: there is none yet. */
static void find_in(const struct symbols *table, uint64_t address, struct variable *ret)
{
	for (uint32_t i = 0; i < table->count; i++) {
		const Elf64_Sym *s = &table->at[i];
		const char *name;

		if (!is_variable(s) || address - s->st_value >= s->st_size ||
		    (ret->size && s->st_size >= ret->size))
			continue;
		name = symbols_name(table, i);
		if (!*name)
			continue;
		*ret = (struct variable){ name, address - s->st_value, s->st_size };
	}
}

bool variable_find(const struct image *image, uint64_t address, struct variable *ret)
{
	const struct image *debug = image_debug_file(image);

	*ret = (struct variable){ "" };
	if (address >= image_segments(image)->end)
		return false; /* of the heap, a stack, another file */
	find_in(image_statics(image), address, ret);
	if (debug)
		find_in(image_statics(debug), address, ret);
	find_in(dynamic_symbols(image_dynamics(image)), address, ret);
	return ret->size;
}
