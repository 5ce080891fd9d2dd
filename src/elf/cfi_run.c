#include "elf/cfi_run.h"

#include "elf/cfi.h"

#include <dwarf.h>

#define OPERAND_BITS 0x3f /* of the instructions that carry one in their first byte */
#define RBP 6

struct run {
	struct cfi *cfi;
	const struct cie *cie;
	const struct cfi_section *section;
	const struct cfi_row *initial; /* what restore goes back to, NULL in a CIE */
	struct dwarf_cursor code;
	struct cfi_row row;
	struct cfi_row *stack; /* CFI_STACK_MAX */
	unsigned depth;
	uint64_t address, limit;
	enum cfi_end end;
	bool over; /* nothing more to do: limit reached, or end is not CFI_DONE */
	cfi_emit *emit;
	void *store;
};

static void stop(struct run *r, enum cfi_end end)
{
	r->end = end;
	r->over = true;
}

/* NULL: a register that is not followed. */
static struct cfi_place *place_of(const struct run *r, struct cfi_row *row, uint64_t reg)
{
	if (reg == RBP)
		return &row->rbp;
	return reg == r->cie->return_register ? &row->ra : NULL;
}

static void place_set(struct run *r, uint64_t reg, enum cfi_how how, int64_t value)
{
	struct cfi_place *p = place_of(r, &r->row, reg);

	if (p)
		*p = (struct cfi_place){ .how = how, .value = value };
}

static void place_restore(struct run *r, uint64_t reg)
{
	struct cfi_place *p = place_of(r, &r->row, reg);

	if (p && r->initial)
		*p = *place_of(r, (struct cfi_row *)r->initial, reg);
	else if (p)
		*p = (struct cfi_place){ .how = CFI_UNSAID };
}

static struct cfi_place expression_read(struct run *r, enum cfi_how how)
{
	uint64_t size = cursor_uleb(&r->code);
	struct cfi_place p = { .how = how, .value = size, .expression = r->code.at };

	cursor_skip(&r->code, size);
	return p;
}

static void place_set_expression(struct run *r, enum cfi_how how)
{
	uint64_t reg = cursor_uleb(&r->code);
	struct cfi_place expression = expression_read(r, how);
	struct cfi_place *p = place_of(r, &r->row, reg);

	if (p)
		*p = expression;
}

/* Wraps: the file is foreign, and what is absurd finds no rule. */
static int64_t factored(const struct run *r, uint64_t n)
{
	return (int64_t)(n * (uint64_t)r->cie->data_align);
}

static void move_to(struct run *r, uint64_t address)
{
	if (address < r->address || !r->emit) {
		stop(r, CFI_BROKEN);
		return;
	}
	r->emit(r->store, r->address, &r->row);
	r->address = address;
	r->over = address >= r->limit;
}

static void advance(struct run *r, uint64_t delta)
{
	uint64_t bytes, to;

	if (__builtin_mul_overflow(delta, r->cie->code_align, &bytes) ||
	    __builtin_add_overflow(r->address, bytes, &to))
		to = UINT64_MAX;
	move_to(r, to);
}

static void set_address(struct run *r)
{
	uint64_t here = r->section->address + (r->code.at - r->section->bytes), to;

	if (cfi_pointer(&r->code, r->cie->encoding, here, 0, &to))
		move_to(r, to);
	else
		stop(r, CFI_POINTER);
}

static void remember(struct run *r)
{
	if (r->depth < CFI_STACK_MAX)
		r->stack[r->depth++] = r->row;
	else
		stop(r, CFI_BROKEN);
}

static void recall(struct run *r)
{
	if (r->depth)
		r->row = r->stack[--r->depth];
	else
		stop(r, CFI_BROKEN);
}

static void set_cfa(struct run *r, uint64_t reg, int64_t offset)
{
	r->row.cfa = (struct cfi_place){ .how = CFI_OFFSET };
	r->row.cfa_register = reg;
	r->row.cfa_offset = offset;
}

/* Instructions about CFA and addresses.  False: it is none of them. */
static bool step_frame(struct run *r, uint8_t opcode)
{
	struct dwarf_cursor *c = &r->code;
	uint64_t reg;

	switch (opcode) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		return set_address(r), true;
	case DW_CFA_advance_loc1:
		return advance(r, cursor_u8(c)), true;
	case DW_CFA_advance_loc2:
		return advance(r, cursor_number(c, 2)), true;
	case DW_CFA_advance_loc4:
		return advance(r, cursor_number(c, 4)), true;
	case DW_CFA_def_cfa:
		reg = cursor_uleb(c);
		return set_cfa(r, reg, cursor_uleb(c)), true;
	case DW_CFA_def_cfa_sf:
		reg = cursor_uleb(c);
		return set_cfa(r, reg, factored(r, cursor_sleb(c))), true;
	case DW_CFA_def_cfa_register:
		return set_cfa(r, cursor_uleb(c), r->row.cfa_offset), true;
	case DW_CFA_def_cfa_offset:
		return r->row.cfa_offset = cursor_uleb(c), true;
	case DW_CFA_def_cfa_offset_sf:
		return r->row.cfa_offset = factored(r, cursor_sleb(c)), true;
	case DW_CFA_def_cfa_expression:
		return r->row.cfa = expression_read(r, CFI_VAL_EXPRESSION), true;
	case DW_CFA_remember_state:
		return remember(r), true;
	case DW_CFA_restore_state:
		return recall(r), true;
	case DW_CFA_GNU_args_size: /* what the callee pops: no part of CFA here */
		return cursor_uleb(c), true;
	case DW_CFA_GNU_window_save:
		return r->cfi->counts.ignored++, true;
	}
	return false;
}

/* Instructions about one register. */
static void step_register(struct run *r, uint8_t opcode)
{
	struct dwarf_cursor *c = &r->code;
	uint64_t reg;

	if (opcode == DW_CFA_expression || opcode == DW_CFA_val_expression) {
		place_set_expression(r, opcode == DW_CFA_expression ? CFI_EXPRESSION
								    : CFI_VAL_EXPRESSION);
		return;
	}
	reg = cursor_uleb(c);
	switch (opcode) {
	case DW_CFA_undefined:
		return place_set(r, reg, CFI_UNDEFINED, 0);
	case DW_CFA_same_value:
		return place_set(r, reg, CFI_SAME, 0);
	case DW_CFA_register:
		return place_set(r, reg, CFI_REGISTER, cursor_uleb(c));
	case DW_CFA_restore_extended:
		return place_restore(r, reg);
	case DW_CFA_offset_extended:
		return place_set(r, reg, CFI_OFFSET, factored(r, cursor_uleb(c)));
	case DW_CFA_offset_extended_sf:
		return place_set(r, reg, CFI_OFFSET, factored(r, cursor_sleb(c)));
	case DW_CFA_GNU_negative_offset_extended:
		return place_set(r, reg, CFI_OFFSET, factored(r, -cursor_uleb(c)));
	case DW_CFA_val_offset:
		return place_set(r, reg, CFI_VAL_OFFSET, factored(r, cursor_uleb(c)));
	case DW_CFA_val_offset_sf:
		return place_set(r, reg, CFI_VAL_OFFSET, factored(r, cursor_sleb(c)));
	}
	stop(r, CFI_OPCODE);
}

static void step(struct run *r)
{
	uint8_t opcode = cursor_u8(&r->code), operand = opcode & OPERAND_BITS;

	switch (opcode & ~OPERAND_BITS) {
	case DW_CFA_advance_loc:
		return advance(r, operand);
	case DW_CFA_offset:
		return place_set(r, operand, CFI_OFFSET, factored(r, cursor_uleb(&r->code)));
	case DW_CFA_restore:
		return place_restore(r, operand);
	}
	if (!step_frame(r, opcode))
		step_register(r, opcode);
}

static void run(struct run *r, uint32_t program, uint32_t size)
{
	r->code.at = r->section->bytes + program;
	r->code.end = r->code.at + size;
	while (r->code.at < r->code.end && !r->over) {
		step(r);
		if (r->code.broken)
			stop(r, CFI_BROKEN);
	}
	if (r->emit && r->address < r->limit)
		r->emit(r->store, r->address, r->end == CFI_DONE ? &r->row : NULL);
}

enum cfi_end cfi_run_cie(struct cfi *c, const struct cie *cie, uint32_t section,
			 struct cfi_row *ret)
{
	struct cfi_row stack[CFI_STACK_MAX];
	struct run r = {
		.cfi = c, .cie = cie, .section = &c->sections[section], .stack = stack
	};

	run(&r, cie->program, cie->program_size);
	if (r.end == CFI_DONE)
		*ret = r.row;
	return r.end;
}

enum cfi_end cfi_run(struct cfi *c, const struct fde *fde, uint64_t limit, cfi_emit *emit,
		     void *store)
{
	const struct cie *cie = &c->cies.at[fde->cie];
	struct cfi_row stack[CFI_STACK_MAX];
	struct run r = { .cfi = c,
			 .cie = cie,
			 .section = &c->sections[fde->section],
			 .initial = &cie->initial,
			 .row = cie->initial,
			 .stack = stack,
			 .address = fde->start,
			 .limit = limit,
			 .emit = emit,
			 .store = store };

	run(&r, fde->program, fde->program_size);
	return r.end;
}
