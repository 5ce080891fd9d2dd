/*
 * Stubs of the procedure linkage table, by what they jump to.
 *
 * A stub jumps through a slot of the global offset table; a relocation says
 * which symbol the slot is for.  So the stubs' code is read rather than
 * counted, which holds for every linker's order.  The forms (x86-64 psABI,
 * "Procedure Linkage Table", and its IBT variant):
 *
 *	[endbr64] [bnd] jmp *slot(%rip)		.plt .plt.sec .plt.got
 *	endbr64; push $n; ...			.plt with IBT: the n-th of .rela.plt
 */
#include "base/table.h"
#include "elf/dynamic.h"
#include "elf/section.h"
#include "elf/symlist.h"

#include <string.h>

#define STUB_BYTES 16
#define STUBS_MAX (1u << 20)

struct stubs {
	struct symlist *list;
	const struct image *image;
	const struct symbols *symbols;
	const Elf64_Rela *relocations;
	uint32_t nr_relocations;
	struct table slots; /* address of the slot: index of the symbol */
};

static void add_slots(struct stubs *s, const Elf64_Rela *r, uint64_t count)
{
	for (uint64_t i = 0; i < count && s->slots.count < STUBS_MAX; i++) {
		unsigned type = ELF64_R_TYPE(r[i].r_info);
		uint32_t symbol = ELF64_R_SYM(r[i].r_info);

		if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) && symbol &&
		    symbol < s->symbols->count)
			table_set(&s->slots, r[i].r_offset, symbol);
	}
}

/* Index of the symbol a stub at this address is for, TABLE_NONE if it is no stub. */
static uint32_t stub_symbol(const struct stubs *s, const uint8_t code[STUB_BYTES],
			    uint64_t address)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned at = memcmp(code, endbr64, 4) ? 0 : 4;
	int32_t distance;
	uint32_t n;

	if (at && code[at] == 0x68) { /* push $n */
		memcpy(&n, code + at + 1, 4);
		n = n < s->nr_relocations ? ELF64_R_SYM(s->relocations[n].r_info) : 0;
		return n && n < s->symbols->count ? n : TABLE_NONE;
	}
	if (code[at] == 0xf2) /* bnd */
		at++;
	if (code[at] != 0xff || code[at + 1] != 0x25) /* jmp *distance(%rip) */
		return TABLE_NONE;
	memcpy(&distance, code + at + 2, 4);
	return table_find(&s->slots, address + at + 6 + distance);
}

static void add_stub(struct stubs *s, uint64_t offset, uint32_t size, uint32_t symbol)
{
	const char *name = symbols_name(s->symbols, symbol);
	size_t length = strnlen(name, 1024);
	char stub[1024 + sizeof("@plt")];

	if (!length)
		return;
	memcpy(stub, name, length);
	memcpy(stub + length, "@plt", sizeof("@plt"));
	symlist_add(s->list, (struct symbol){ .offset = offset,
					      .size = size,
					      .raw = symlist_keep(s->list, stub, length + 4),
					      .kind = SYMBOL_PLT });
}

static void add_section_stubs(struct stubs *s, const char *name, uint32_t step)
{
	const struct section *sec = image_section(s->image, name);
	const uint8_t *bytes = section_bytes(s->image, sec);
	uint8_t code[STUB_BYTES];

	if (!bytes || sec->size > STUBS_MAX * STUB_BYTES)
		return;
	for (uint64_t at = 0; at + step <= sec->size; at += step) {
		uint64_t left = sec->size - at;
		uint32_t symbol;

		memset(code, 0, sizeof(code));
		memcpy(code, bytes + at, left < STUB_BYTES ? left : STUB_BYTES);
		symbol = stub_symbol(s, code, sec->address + at);
		if (symbol != TABLE_NONE && image_is_code(s->image, sec->offset + at))
			add_stub(s, sec->offset + at, step, symbol);
	}
}

void symread_plt(struct symlist *l, const struct image *image)
{
	const struct dynamic *d = image_dynamics(image);
	const struct section *rest = image_section(image, ".rela.dyn");
	AUTO_FREE uint8_t *bytes = section_copy(image, rest);
	struct stubs s = { .list = l, .image = image, .symbols = dynamic_symbols(d) };

	s.nr_relocations = dynamic_plt_relocations(d, &s.relocations);
	add_slots(&s, s.relocations, s.nr_relocations);
	if (bytes)
		add_slots(&s, (const Elf64_Rela *)bytes, rest->size / sizeof(Elf64_Rela));
	add_section_stubs(&s, ".plt", STUB_BYTES);
	add_section_stubs(&s, ".plt.sec", STUB_BYTES);
	add_section_stubs(&s, ".plt.got", 8);
	table_done(&s.slots);
}
