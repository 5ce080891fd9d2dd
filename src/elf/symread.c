/* Reads the functions out of .symtab and .dynsym. */
#include "elf/dynamic.h"
#include "elf/section.h"
#include "elf/segment.h"
#include "elf/symbols.h"
#include "elf/symlist.h"

#include <string.h>

/* An assembler routine without a type counts if it is exported; labels inside
 * a function are dropped when the list is sorted. */
static bool is_function(const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && ELF64_ST_BIND(s->st_info) == STB_GLOBAL);
}

/* Drops "@VERSION" and "@@VERSION". */
static const char *plain_name(struct symlist *l, const char *name, size_t length)
{
	const char *at = memchr(name, '@', length);

	return at && at > name ? symlist_keep(l, name, at - name) : name;
}

static bool add_function(struct symlist *l, const struct image *at, const Elf64_Sym *s,
			 const char *name)
{
	uint64_t offset, end;

	if (!image_to_offset(at, s->st_value, &offset))
		return false;
	end = image_code_end(at, offset);
	if (!end)
		return false;
	symlist_add(l, (struct symbol){
			       .offset = offset,
			       .size = s->st_size < end - offset ? s->st_size : end - offset,
			       .raw = name,
			       .kind = ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC ? SYMBOL_IFUNC
										  : SYMBOL_FUNC,
			       .global = ELF64_ST_BIND(s->st_info) != STB_LOCAL,
			       .weak = ELF64_ST_BIND(s->st_info) == STB_WEAK,
			       .label = ELF64_ST_TYPE(s->st_info) == STT_NOTYPE,
		       });
	return true;
}

static bool add_all(struct symlist *l, const struct image *at, const struct symbols *table)
{
	uint64_t budget = symbols_budget(table);
	bool any = false;

	for (uint32_t i = 0; i < table->count; i++) {
		const char *name;
		size_t length;

		if (!is_function(&table->at[i]))
			continue;
		name = symbols_name(table, i);
		length = strnlen(name, budget);
		if (length + 1 > budget) {
			l->forgotten += table->count - i;
			break;
		}
		budget -= length + 1;
		if (length)
			any |= add_function(l, at, &table->at[i], plain_name(l, name, length));
	}
	return any;
}

bool symread_static(struct symlist *l, const struct image *at, const struct image *from)
{
	return add_all(l, at, image_statics(from));
}

bool symread_dynamic(struct symlist *l, const struct image *image)
{
	return add_all(l, image, dynamic_symbols(image_dynamics(image)));
}
