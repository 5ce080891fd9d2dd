#include "probe/entry.h"

#include "base/mem.h"
#include "elf/section.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

struct entry_table {
	Elf *elf;
	Dwarf_CFI *frames;
};

struct entry_table *entry_table_new(const struct image *image)
{
	struct entry_table *t = NEW(struct entry_table);
	int fd = image_file(image);

	elf_version(EV_CURRENT);
	t->elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	t->frames = t->elf ? dwarf_getcfi_elf(t->elf) : NULL;
	return t;
}

void entry_table_free(struct entry_table *t)
{
	if (!t)
		return;
	if (t->frames)
		dwarf_cfi_end(t->frames);
	if (t->elf)
		elf_end(t->elf);
	free(t);
}

/* The canonical frame address is SP + 8 (x86-64 psABI, figure 3.36: SP is DWARF
 * register 7), given as one or two operations. */
static bool is_sp_plus_8(const Dwarf_Op *ops, size_t count)
{
	if (count == 1)
		return (ops->atom == DW_OP_breg7 && ops->number == 8) ||
		       (ops->atom == DW_OP_bregx && ops->number == 7 && ops->number2 == 8);
	return count == 2 && ops[0].atom == DW_OP_breg7 && ops[0].number == 0 &&
	       ops[1].atom == DW_OP_plus_uconst && ops[1].number == 8;
}

/* No rule for the return address (register 16): nobody called, as for _start. */
static bool has_no_return(Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *ops = NULL;
	size_t count = 0;

	return !dwarf_frame_register(frame, 16, memory, &ops, &count) && !count && !ops;
}

enum entry_answer entry_ask(const struct entry_table *t, uint64_t address)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t count = 0;
	enum entry_answer answer = ENTRY_UNKNOWN;

	if (!t->frames || dwarf_cfi_addrframe(t->frames, address, &frame))
		return answer;
	if (!dwarf_frame_cfa(frame, &ops, &count) && count)
		answer = is_sp_plus_8(ops, count) && !has_no_return(frame) ? ENTRY_YES
									   : ENTRY_NO;
	free(frame);
	return answer;
}
