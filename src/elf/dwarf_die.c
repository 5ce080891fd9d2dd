#include "elf/dwarf_die.h"

#include "elf/dwarf_unit.h"

#include <dwarf.h>

/* Most have less: no more is read at first. */
#define DIE_SIZE_USUAL 1024
/* Beyond it no index is to be believed: nothing holds so many. */
#define STRING_INDEX_MAX (1ull << 32)

uint8_t die_slot_of(uint64_t attribute)
{
	static const struct {
		uint16_t attribute;
		uint8_t slot;
	} slots[] = {
		{ DW_AT_name, DIE_NAME },
		{ DW_AT_linkage_name, DIE_LINKAGE_NAME },
		{ DW_AT_MIPS_linkage_name, DIE_LINKAGE_NAME },
		{ DW_AT_abstract_origin, DIE_ORIGIN },
		{ DW_AT_specification, DIE_SPECIFICATION },
		{ DW_AT_sibling, DIE_SIBLING },
		{ DW_AT_low_pc, DIE_LOW },
		{ DW_AT_high_pc, DIE_HIGH },
		{ DW_AT_ranges, DIE_RANGES },
		{ DW_AT_call_file, DIE_CALL_FILE },
		{ DW_AT_call_line, DIE_CALL_LINE },
		{ DW_AT_decl_file, DIE_DECL_FILE },
		{ DW_AT_decl_line, DIE_DECL_LINE },
		{ DW_AT_inline, DIE_INLINE },
		{ DW_AT_language, DIE_LANGUAGE },
		{ DW_AT_stmt_list, DIE_LINE_TABLE },
		{ DW_AT_comp_dir, DIE_FOLDER },
		{ DW_AT_str_offsets_base, DIE_STR_BASE },
		{ DW_AT_addr_base, DIE_ADDR_BASE },
		{ DW_AT_GNU_addr_base, DIE_ADDR_BASE },
		{ DW_AT_rnglists_base, DIE_RANGES_BASE },
		{ DW_AT_dwo_name, DIE_SPLIT },
		{ DW_AT_GNU_dwo_name, DIE_SPLIT },
	};

	for (unsigned i = 0; i < COUNT_OF(slots); i++)
		if (slots[i].attribute == attribute)
			return slots[i].slot;
	return NR_DIE_SLOT;
}

void form_skip(struct dwarf_cursor *c, uint16_t form, struct dwarf_width width)
{
	uint16_t size = form_size(form, width);

	if (size != SIZE_VARIES) {
		cursor_skip(c, size);
		return;
	}
	switch (form) {
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		cursor_skip_leb(c);
		break;
	case DW_FORM_string:
		cursor_skip_string(c);
		break;
	case DW_FORM_block1:
		cursor_skip(c, cursor_u8(c));
		break;
	case DW_FORM_block2:
		cursor_skip(c, cursor_number(c, 2));
		break;
	case DW_FORM_block4:
		cursor_skip(c, cursor_number(c, 4));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		cursor_skip(c, cursor_uleb(c));
		break;
	case DW_FORM_indirect:
		form = cursor_uleb(c);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			cursor_break(c);
		else
			form_skip(c, form, width);
		break;
	default: /* not known, so nothing behind it can be found */
		cursor_break(c);
	}
}

uint64_t form_number(struct dwarf_cursor *c, uint16_t form, struct dwarf_width width)
{
	uint16_t size = form_size(form, width);

	switch (form) {
	case DW_FORM_flag_present:
		return 1;
	case DW_FORM_sdata:
		return cursor_sleb(c);
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return cursor_uleb(c);
	}
	if (size <= 8)
		return cursor_number(c, size);
	form_skip(c, form, width);
	return 0;
}

static struct die_value value_read(const struct unit *u, const struct abbrev_attribute *a,
				   struct dwarf_cursor *c)
{
	struct die_value v = { .form = a->form };

	if (v.form == DW_FORM_indirect) {
		v.form = cursor_uleb(c);
		if (v.form == DW_FORM_indirect)
			cursor_break(c);
	}
	if (v.form == DW_FORM_implicit_const) {
		v.number = a->value;
	} else if (v.form == DW_FORM_string) {
		v.number = unit_offset_of(u, c);
		cursor_skip_string(c);
	} else {
		v.number = form_number(c, v.form, u->width);
	}
	return v;
}

void die_read(const struct unit *u, const struct abbrev *a, struct dwarf_cursor *c,
	      struct die *ret)
{
	const struct abbrev_attribute *at = abbrev_attributes(u->abbrevs, a);

	ret->abbrev = a;
	ret->has = 0;
	for (uint32_t i = 0; i < a->count; i++) {
		if (at[i].slot == NR_DIE_SLOT) {
			form_skip(c, at[i].form, u->width);
			continue;
		}
		ret->at[at[i].slot] = value_read(u, &at[i], c);
		ret->has |= 1u << at[i].slot;
	}
}

void die_skip(const struct unit *u, const struct abbrev *a, struct dwarf_cursor *c)
{
	const struct abbrev_attribute *at = abbrev_attributes(u->abbrevs, a);

	if (a->size != SIZE_VARIES) {
		cursor_skip(c, a->size);
		return;
	}
	for (uint32_t i = 0; i < a->count; i++) {
		if (at[i].size != SIZE_VARIES)
			cursor_skip(c, at[i].size);
		else
			form_skip(c, at[i].form, u->width);
	}
}

static bool die_at_within(struct die_place place, uint64_t size, struct die *ret)
{
	const struct unit *u = place.unit;
	const struct abbrev *a;
	struct dwarf_cursor c;

	if (!unit_cursor(u, place.offset, size, &c))
		return false;
	a = abbrev_find(u->abbrevs, cursor_uleb(&c));
	if (!a)
		return false;
	ret->offset = place.offset;
	die_read(u, a, &c, ret);
	return !c.broken;
}

bool die_at(struct die_place place, struct die *ret)
{
	if (!place.unit || !place.unit->abbrevs)
		return false;
	return die_at_within(place, DIE_SIZE_USUAL, ret) ||
	       die_at_within(place, UINT64_MAX, ret);
}

struct die_place die_reference(const struct unit *u, const struct die *d, enum die_slot slot)
{
	const struct die_value *v = &d->at[slot];

	if (!die_has(d, slot))
		return (struct die_place){ 0 };
	switch (v->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return (struct die_place){ u, u->offset + v->number };
	case DW_FORM_ref_addr:
		return units_place(u->all, v->number);
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		return units_place(units_alt(u->all), v->number);
	}
	return (struct die_place){ 0 };
}

/* DWARF 5 section 7.26; before, the table had no header and no base. */
static const char *string_indexed(const struct unit *u, uint64_t index)
{
	uint64_t at = u->str_base + index * u->width.offset;
	struct dwarf_cursor c;

	if (index > STRING_INDEX_MAX ||
	    !dwarf_part_at(u->all->file, DWARF_STR_OFFSETS, at, u->width.offset, &c))
		return "";
	return dwarf_text(u->all->file,
			  (struct dwarf_text){ DWARF_STR, cursor_number(&c, u->width.offset) });
}

const char *die_string(const struct unit *u, const struct die *d, enum die_slot slot)
{
	const struct die_value *v = &d->at[slot];
	struct dwarf_file *f = u->all->file, *alt;

	if (!die_has(d, slot))
		return "";
	switch (v->form) {
	case DW_FORM_string:
		return dwarf_text(f, (struct dwarf_text){ DWARF_INFO, v->number });
	case DW_FORM_strp:
		return dwarf_text(f, (struct dwarf_text){ DWARF_STR, v->number });
	case DW_FORM_line_strp:
		return dwarf_text(f, (struct dwarf_text){ DWARF_LINE_STR, v->number });
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		alt = dwarf_file_alt(f);
		return alt ? dwarf_text(alt, (struct dwarf_text){ DWARF_STR, v->number }) : "";
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return string_indexed(u, v->number);
	}
	return "";
}

bool die_address(const struct unit *u, const struct die *d, enum die_slot slot, uint64_t *ret)
{
	const struct die_value *v = &d->at[slot];

	if (!die_has(d, slot))
		return false;
	switch (v->form) {
	case DW_FORM_addr:
		*ret = v->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return unit_address(u, v->number, ret);
	}
	return false;
}

uint64_t die_number(const struct die *d, enum die_slot slot)
{
	return die_has(d, slot) ? d->at[slot].number : 0;
}
