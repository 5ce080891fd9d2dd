#include "elf/cfi.h"

#include <dwarf.h>

#define ADDRESS_SIZE 8 /* of x86-64 */
#define EXTENDED 0xffffffffu
#define AUGMENTATION_MAX 16

/* One entry, wherever its parts are. */
struct entry {
	struct dwarf_cursor rest; /* behind the id */
	uint64_t offset;	  /* of its first byte in the section */
	uint64_t cie;		  /* offset of the CIE of an FDE, may be nonsense */
	bool is_cie;
};

static uint64_t offset_of(const struct cfi_section *s, const struct dwarf_cursor *c)
{
	return c->at - s->bytes;
}

static uint64_t address_of(const struct cfi_section *s, const struct dwarf_cursor *c)
{
	return s->address + offset_of(s, c);
}

/* What an encoded pointer is relative to; false if that is not known here. */
static bool pointer_base(uint8_t encoding, uint64_t at_address, uint64_t data_address,
			 uint64_t *ret)
{
	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		*ret = 0;
		return true;
	case DW_EH_PE_pcrel:
		*ret = at_address;
		return true;
	case DW_EH_PE_datarel:
		*ret = data_address;
		return data_address;
	}
	return false;
}

static bool pointer_value(struct dwarf_cursor *c, uint8_t encoding, uint64_t *ret)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_signed:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		*ret = cursor_number(c, 8);
		break;
	case DW_EH_PE_udata2:
		*ret = cursor_number(c, 2);
		break;
	case DW_EH_PE_udata4:
		*ret = cursor_number(c, 4);
		break;
	case DW_EH_PE_sdata2:
		*ret = (int16_t)cursor_number(c, 2);
		break;
	case DW_EH_PE_sdata4:
		*ret = (int32_t)cursor_number(c, 4);
		break;
	case DW_EH_PE_uleb128:
		*ret = cursor_uleb(c);
		break;
	case DW_EH_PE_sleb128:
		*ret = cursor_sleb(c);
		break;
	default:
		return false;
	}
	return !c->broken;
}

bool cfi_pointer(struct dwarf_cursor *c, uint8_t encoding, uint64_t at_address,
		 uint64_t data_address, uint64_t *ret)
{
	uint64_t base, value;

	if (encoding == DW_EH_PE_aligned) {
		cursor_skip(c, -at_address & (ADDRESS_SIZE - 1));
		encoding = DW_EH_PE_absptr;
	}
	if (!pointer_base(encoding, at_address, data_address, &base) ||
	    !pointer_value(c, encoding, &value))
		return false;
	*ret = base + value;
	return true;
}

/* Cuts the next entry off the front of c.  rest is empty for an entry without
 * content.  False: cut off. */
static bool entry_next(const struct cfi_section *s, struct dwarf_cursor *c, struct entry *e)
{
	uint64_t length, id, at;
	unsigned id_size = 4;

	e->offset = offset_of(s, c);
	length = cursor_number(c, 4);
	if (length == EXTENDED) {
		length = cursor_number(c, 8);
		id_size = s->kind == CFI_EH ? 4 : 8; /* .eh_frame has 4 in any case */
	}
	if (c->broken || length > cursor_left(c))
		return false;
	e->rest = (struct dwarf_cursor){ .at = c->at, .end = c->at + length };
	c->at += length;
	if (!length)
		return true;
	at = offset_of(s, &e->rest);
	id = cursor_number(&e->rest, id_size);
	if (s->kind == CFI_EH) { /* a distance back from itself */
		e->is_cie = !id;
		e->cie = at - id;
	} else {
		e->is_cie = id == (id_size == 8 ? UINT64_MAX : EXTENDED);
		e->cie = id;
	}
	return true;
}

/* The content that a 'z' augmentation announces, as its letters say. */
static bool augmentation_read(struct cie *cie, const struct cfi_section *s, const char *letters,
			      struct dwarf_cursor *c)
{
	struct dwarf_cursor content = *c;
	uint64_t size = cursor_uleb(&content), ignored;

	cie->sized = true;
	*c = content;
	cursor_skip(c, size);
	content.end = c->at;
	for (; *letters; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'R':
			cie->encoding = cursor_u8(&content);
			break;
		case 'L':
			cursor_u8(&content);
			break;
		case 'P':
			/* its value is not used, so neither is what it is relative to */
			encoding = cursor_u8(&content);
			if (encoding == DW_EH_PE_omit)
				break;
			if (encoding != DW_EH_PE_aligned)
				encoding &= 0x0f;
			if (!cfi_pointer(&content, encoding, address_of(s, &content), 0,
					 &ignored))
				return false;
			break;
		case 'S': /* a signal frame: seen by its expressions (cfi_rule.c) */
		case 'B': /* keys and tags of other machines */
		case 'G':
			break;
		default:
			return false;
		}
	}
	return !content.broken;
}

/* -1, or what is wrong with it. */
static int cie_read(struct cie *cie, const struct cfi_section *s, struct dwarf_cursor *c)
{
	uint8_t version = cursor_u8(c);
	char letters[AUGMENTATION_MAX] = "";
	unsigned n = 0;

	while (n < AUGMENTATION_MAX && (letters[n] = cursor_u8(c)))
		n++;
	if (n == AUGMENTATION_MAX)
		return UNWIND_AUGMENTATION;
	if (version != 1 && version != 3 && version != 4)
		return UNWIND_VERSION;
	if (!strcmp(letters, "eh")) /* GCC 2: a pointer for its own use */
		cursor_skip(c, ADDRESS_SIZE);
	if (version == 4 && (cursor_u8(c) != ADDRESS_SIZE || cursor_u8(c)))
		return UNWIND_VERSION; /* address size; size of segment selectors */
	cie->code_align = cursor_uleb(c);
	cie->data_align = cursor_sleb(c);
	cie->return_register = version == 1 ? cursor_u8(c) : cursor_uleb(c);
	if (letters[0] == 'z' ? !augmentation_read(cie, s, letters + 1, c)
			      : letters[0] && strcmp(letters, "eh"))
		return c->broken ? UNWIND_BROKEN : UNWIND_AUGMENTATION;
	cie->program = offset_of(s, c);
	cie->program_size = cursor_left(c);
	return c->broken ? UNWIND_BROKEN : -1;
}

static int gap_of(enum cfi_end end)
{
	static const int gaps[] = { [CFI_DONE] = -1,
				    [CFI_BROKEN] = UNWIND_BROKEN,
				    [CFI_OPCODE] = UNWIND_OPCODE,
				    [CFI_POINTER] = UNWIND_ENCODING };

	return gaps[end];
}

static void cie_add(struct cfi *c, struct cie *cie, struct entry *e, uint32_t section)
{
	int gap = cie_read(cie, &c->sections[section], &e->rest);

	if (gap < 0)
		gap = gap_of(cfi_run_cie(c, cie, section, &cie->initial));
	cie->gap = gap;
	c->counts.cies += gap < 0;
}

/* Reads the CIE at an offset: its index, TABLE_NONE if there is none or no room. */
static uint32_t cie_read_at(struct cfi *c, uint32_t section, uint64_t offset)
{
	const struct cfi_section *s = &c->sections[section];
	struct dwarf_cursor from = { .at = s->bytes + offset, .end = s->bytes + s->size };
	struct entry e = { 0 };

	if (!entry_next(s, &from, &e) || !e.is_cie) {
		c->counts.gaps[UNWIND_BROKEN]++;
		return TABLE_NONE;
	}
	if (c->cies.count == UNWIND_CIES_MAX) {
		c->counts.gaps[UNWIND_EXCESS]++;
		return TABLE_NONE;
	}
	cie_add(c, array_add(&c->cies), &e, section);
	return c->cies.count - 1;
}

/* Index of the CIE at an offset, TABLE_NONE if there is none that can be used:
 * counted for every FDE that needs it. */
static uint32_t cie_find(struct cfi *c, uint32_t section, uint64_t offset)
{
	uint64_t key = offset << 2 | section;
	uint32_t index;

	if (offset >= c->sections[section].size) {
		c->counts.gaps[UNWIND_BROKEN]++;
		return TABLE_NONE;
	}
	index = table_find(&c->known, key);
	if (index == TABLE_NONE) {
		index = cie_read_at(c, section, offset);
		if (index == TABLE_NONE)
			return index;
		table_set(&c->known, key, index);
	}
	if (c->cies.at[index].gap < 0)
		return index;
	c->counts.gaps[c->cies.at[index].gap]++;
	return TABLE_NONE;
}

void cfi_add_fde(struct cfi *c, struct fde fde)
{
	if (c->fdes.count == UNWIND_FDES_MAX) {
		c->counts.gaps[UNWIND_EXCESS]++;
		return;
	}
	c->counts.fdes++;
	array_push(&c->fdes, fde);
}

static void fde_add(struct cfi *c, uint32_t section, struct entry *e)
{
	const struct cfi_section *s = &c->sections[section];
	uint32_t index = cie_find(c, section, e->cie);
	struct fde f = { .cie = index, .section = section };
	const struct cie *cie;
	uint64_t size;

	if (index == TABLE_NONE)
		return;
	cie = &c->cies.at[index];
	if (!cfi_pointer(&e->rest, cie->encoding, address_of(s, &e->rest), 0, &f.start) ||
	    !cfi_pointer(&e->rest, cie->encoding & 0x0f, 0, 0, &size)) {
		c->counts.gaps[e->rest.broken ? UNWIND_BROKEN : UNWIND_ENCODING]++;
		return;
	}
	if (cie->sized)
		cursor_skip(&e->rest, cursor_uleb(&e->rest));
	f.program = offset_of(s, &e->rest);
	f.program_size = cursor_left(&e->rest);
	if (e->rest.broken || __builtin_add_overflow(f.start, size, &f.end))
		c->counts.gaps[UNWIND_BROKEN]++;
	else if (size) /* an empty one says nothing */
		cfi_add_fde(c, f);
}

void cfi_add(struct cfi *c, struct cfi_section section)
{
	struct dwarf_cursor from = { .at = section.bytes, .end = section.bytes + section.size };
	uint32_t index = c->nr_sections++;

	c->sections[index] = section;
	while (from.at < from.end) {
		struct entry e = { 0 };

		if (!entry_next(&section, &from, &e)) {
			/* where only a bound is known, anything may come behind */
			c->counts.gaps[UNWIND_BROKEN] += !section.ends_at_zero;
			return;
		}
		if (e.rest.broken)
			c->counts.gaps[UNWIND_BROKEN]++;
		else if (e.rest.at == e.rest.end && section.ends_at_zero)
			return;
		else if (e.rest.at < e.rest.end && !e.is_cie)
			fde_add(c, index, &e);
	}
}

void cfi_done(struct cfi *c)
{
	for (uint32_t i = 0; i < c->nr_sections; i++)
		free(c->sections[i].bytes);
	array_done(&c->cies);
	array_done(&c->fdes);
	table_done(&c->known);
}
