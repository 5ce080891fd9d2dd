#include "elf/cfi_rule.h"

#include <dwarf.h>

#define REGISTERS 16 /* general ones */

/* A row on its way to a rule. */
struct draft {
	struct rule_exc exc; /* the whole of it */
	unsigned slot;	     /* the same RBP as a slot of a plain rule */
	bool plain;	     /* needs no exc */
	bool fits;	     /* no offset was cut */
};

/* An expression of the form bregN offset [deref [plus_uconst more]]. */
struct based {
	int64_t offset, more;
	uint8_t reg;
	bool deref;
};

static int32_t narrow(struct draft *d, int64_t v)
{
	d->fits &= v == (int32_t)v;
	return (int32_t)v;
}

static bool based_read(struct based *b, const struct cfi_place *p)
{
	struct dwarf_cursor c = { .at = p->expression, .end = p->expression + p->value };
	uint8_t op = cursor_u8(&c);

	*b = (struct based){ .reg = op - DW_OP_breg0 };
	if (c.broken || b->reg >= REGISTERS)
		return false;
	b->offset = cursor_sleb(&c);
	if (c.at < c.end) {
		b->deref = cursor_u8(&c) == DW_OP_deref;
		if (!b->deref)
			return false;
	}
	if (c.at < c.end) {
		if (cursor_u8(&c) != DW_OP_plus_uconst)
			return false;
		b->more = cursor_uleb(&c);
	}
	return !c.broken && c.at == c.end;
}

static bool is_at_sp(const struct cfi_place *p, enum cfi_how how, int64_t offset, bool deref)
{
	struct based b;

	return p->how == how && based_read(&b, p) && b.reg == RULE_REG_RSP &&
	       b.offset == offset && b.deref == deref && !b.more;
}

static bool is_signal(const struct cfi_row *row)
{
	return is_at_sp(&row->cfa, CFI_VAL_EXPRESSION, RULE_SIGNAL_RSP, true) &&
	       is_at_sp(&row->ra, CFI_EXPRESSION, RULE_SIGNAL_RIP, false) &&
	       is_at_sp(&row->rbp, CFI_EXPRESSION, RULE_SIGNAL_RBP, false);
}

/* 0: CFA is not that of a lazy PLT stub. */
static uint32_t plt_rule(const struct cfi_place *p)
{
	static const uint8_t form[] = { DW_OP_breg7, 8, DW_OP_breg16, 0,	  DW_OP_lit15,
					DW_OP_and,   0, DW_OP_ge,     DW_OP_lit3, DW_OP_shl,
					DW_OP_plus };
	uint8_t copy[sizeof(form)], from;

	if (p->how != CFI_VAL_EXPRESSION || p->value != sizeof(form))
		return 0;
	memcpy(copy, p->expression, sizeof(copy));
	from = copy[6];
	copy[6] = 0;
	if (memcmp(copy, form, sizeof(form)))
		return 0;
	if (from == DW_OP_lit11)
		return RULE_SPECIAL_OF(RULE_PLT11);
	return from == DW_OP_lit10 ? RULE_SPECIAL_OF(RULE_PLT10) : 0;
}

static bool draft_cfa_expression(struct draft *d, const struct cfi_place *p)
{
	struct based b;

	if (!based_read(&b, p))
		return false;
	d->plain = false;
	d->exc.cfa_reg = b.reg;
	d->exc.cfa_deref = b.deref;
	d->exc.cfa_off = narrow(d, b.offset);
	d->exc.cfa_off2 = narrow(d, b.more);
	return true;
}

/* NR_UNWIND_GAP, or why there is no rule. */
static enum unwind_gap draft_cfa(struct draft *d, const struct cfi_row *row)
{
	if (row->cfa.how == CFI_VAL_EXPRESSION)
		return draft_cfa_expression(d, &row->cfa) ? NR_UNWIND_GAP : UNWIND_EXPRESSION;
	if (row->cfa.how != CFI_OFFSET || row->cfa_register >= REGISTERS)
		return UNWIND_REGISTER;
	d->exc.cfa_reg = row->cfa_register;
	d->exc.cfa_off = narrow(d, row->cfa_offset);
	if (d->exc.cfa_reg != RULE_REG_RSP && d->exc.cfa_reg != RULE_REG_RBP)
		d->plain = false;
	if (d->exc.cfa_off < 0 || d->exc.cfa_off % 8 || d->exc.cfa_off / 8 > RULE_VALUE_MAX)
		d->plain = false;
	return NR_UNWIND_GAP;
}

static enum unwind_gap draft_ra(struct draft *d, const struct cfi_row *row)
{
	if (row->ra.how != CFI_OFFSET)
		return UNWIND_RETURN;
	d->exc.ra_off = narrow(d, row->ra.value);
	if (d->exc.ra_off != -8)
		d->plain = false;
	return NR_UNWIND_GAP;
}

/* Below SP there is nothing of ours: the function has popped RBP. */
static bool is_popped(const struct cfi_row *row)
{
	return row->cfa.how == CFI_OFFSET && row->cfa_register == RULE_REG_RSP &&
	       row->cfa_offset >= 0 && row->rbp.how == CFI_OFFSET &&
	       row->rbp.value < -row->cfa_offset;
}

static void draft_rbp_saved(struct draft *d, int64_t offset)
{
	d->exc.rbp_kind = RULE_RBP_AT_CFA;
	d->exc.rbp_off = narrow(d, offset);
	if (offset <= -16 && offset >= -8 * (int)(RULE_SLOT_MAX + 1) && offset % 8 == 0)
		d->slot = -offset / 8 - 1;
	else
		d->plain = false;
}

/* False: it is lost. */
static bool draft_rbp(struct draft *d, const struct cfi_row *row)
{
	const struct cfi_place *p = &row->rbp;
	struct based b;

	if (p->how == CFI_UNSAID || p->how == CFI_SAME || is_popped(row))
		return true;
	if (p->how == CFI_OFFSET) {
		draft_rbp_saved(d, p->value);
		return true;
	}
	d->plain = false;
	if (p->how == CFI_EXPRESSION && based_read(&b, p) && b.reg == RULE_REG_RBP &&
	    !b.deref) {
		d->exc.rbp_kind = RULE_RBP_AT_RBP;
		d->exc.rbp_off = narrow(d, b.offset);
		return true;
	}
	d->exc.rbp_kind = RULE_RBP_UNDEFINED;
	return p->how == CFI_UNDEFINED;
}

/* Its index, TABLE_NONE when there are too many. */
static uint32_t exc_index(struct rulebook *b, const struct rule_exc *exc)
{
	uint64_t key = hash_bytes(exc, sizeof(*exc), 0);
	uint32_t index;

	/* different ones with the same hash follow one another */
	while ((index = table_find(&b->known, key)) != TABLE_NONE) {
		if (!memcmp(&b->to->excs.at[index], exc, sizeof(*exc)))
			return index;
		key++;
	}
	if (b->to->excs.count == UNWIND_EXCS_MAX)
		return TABLE_NONE;
	index = b->to->excs.count;
	array_push(&b->to->excs, *exc);
	table_set(&b->known, key, index);
	return index;
}

static uint32_t none(struct rulebook *b, enum unwind_gap gap)
{
	b->to->counts.gaps[gap]++;
	return RULE_NONE;
}

static void draft_injected(struct draft *d, const struct cfi_row *row)
{
	d->exc.injected = row->injected;
	d->plain &= !row->injected;
}

static uint32_t draft_rule(struct rulebook *b, const struct draft *d)
{
	uint32_t index;

	if (d->plain)
		return RULE(d->exc.cfa_reg == RULE_REG_RSP ? RULE_SP : RULE_FP,
			    d->exc.cfa_off / 8, d->slot);
	index = exc_index(b, &d->exc);
	if (index == TABLE_NONE)
		return none(b, UNWIND_EXCESS);
	b->to->counts.excs++;
	return RULE_EXC_OF(index);
}

uint32_t rulebook_rule(struct rulebook *b, const struct cfi_row *row)
{
	struct draft d = { .plain = true, .fits = true };
	enum unwind_gap gap;
	uint32_t plt;

	if (row->ra.how == CFI_UNDEFINED)
		return RULE_SPECIAL_OF(RULE_END);
	if (is_signal(row))
		return RULE_SPECIAL_OF(RULE_SIGNAL);
	gap = draft_ra(&d, row);
	if (gap != NR_UNWIND_GAP)
		return none(b, gap);
	plt = plt_rule(&row->cfa);
	if (plt)
		return plt;
	gap = draft_cfa(&d, row);
	if (gap != NR_UNWIND_GAP)
		return none(b, gap);
	if (!draft_rbp(&d, row))
		b->to->counts.gaps[UNWIND_RBP]++;
	draft_injected(&d, row);
	return d.fits ? draft_rule(b, &d) : none(b, UNWIND_OFFSET);
}

void rulebook_done(struct rulebook *b)
{
	table_done(&b->known);
}
