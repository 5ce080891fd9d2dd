#include "elf/dwarf_rows.h"

#include "elf/dwarf_line_head.h"

#include <dwarf.h>
#include <errno.h>

#define OPS_BETWEEN_CHECKS 65536
/* Overlapping sequences are looked through this far back. */
#define SEQUENCES_BACK 16

/* The registers of the line machine that matter here. */
struct machine {
	const struct line_head *head;
	struct line_rows *to;
	struct row row;
	uint32_t first; /* row of the sequence */
	bool ordered;
};

void line_rows_done(struct line_rows *r)
{
	array_done(&r->rows);
	array_done(&r->sequences);
	array_done(&r->folders);
	array_done(&r->files);
}

static void machine_reset(struct machine *m)
{
	m->row = (struct row){ .file = 1, .line = 1 };
	m->first = m->to->rows.count;
	m->ordered = true;
}

static void machine_emit(struct machine *m)
{
	struct line_rows *to = m->to;

	if (to->rows.count >= ROWS_MAX)
		return;
	if (to->rows.count > m->first &&
	    to->rows.at[to->rows.count - 1].address > m->row.address)
		m->ordered = false;
	array_push(&to->rows, m->row);
}

/* The row behind the last instruction ends a sequence.  One that the linker
 * threw away begins at 0 or at the end, and one that goes backwards is broken. */
static void machine_end(struct machine *m)
{
	struct line_rows *to = m->to;
	uint32_t count = to->rows.count - m->first;
	uint64_t low = count ? to->rows.at[m->first].address : 0;

	if (count && m->ordered && low > 1 && low < m->row.address)
		array_push(&to->sequences,
			   ((struct row_sequence){ low, m->row.address, m->first, count }));
	else
		to->rows.count = m->first;
	machine_reset(m);
}

static void run_extended(struct machine *m, struct dwarf_cursor *c)
{
	uint64_t size = cursor_uleb(c);
	struct dwarf_cursor op = *c;

	if (!cursor_skip(c, size))
		return;
	op.end = op.at + size;
	switch (cursor_u8(&op)) {
	case DW_LNE_end_sequence:
		machine_end(m);
		break;
	case DW_LNE_set_address:
		m->row.address =
			cursor_number(&op, cursor_left(&op) < 8 ? cursor_left(&op) : 8);
		break;
	}
}

static void run_special(struct machine *m, uint8_t opcode)
{
	uint8_t adjusted = opcode - m->head->opcode_base;

	m->row.address += (uint64_t)(adjusted / m->head->line_range) * m->head->least_size;
	m->row.line += m->head->line_base + adjusted % m->head->line_range;
	machine_emit(m);
}

static void run_standard(struct machine *m, uint8_t opcode, struct dwarf_cursor *c)
{
	switch (opcode) {
	case DW_LNS_copy:
		machine_emit(m);
		break;
	case DW_LNS_advance_pc:
		m->row.address += cursor_uleb(c) * m->head->least_size;
		break;
	case DW_LNS_advance_line:
		m->row.line += (uint32_t)cursor_sleb(c);
		break;
	case DW_LNS_set_file:
		m->row.file = cursor_uleb(c);
		break;
	case DW_LNS_const_add_pc:
		m->row.address +=
			(uint64_t)((255 - m->head->opcode_base) / m->head->line_range) *
			m->head->least_size;
		break;
	case DW_LNS_fixed_advance_pc:
		m->row.address += cursor_number(c, 2);
		break;
	default: /* flags, or one of the future: its operands are counted in the head */
		for (unsigned i = 0; i < m->head->operands[opcode]; i++)
			cursor_skip_leb(c);
	}
}

static int compare(const void *a, const void *b)
{
	const struct row_sequence *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

int line_rows_read(struct line_rows *r, const struct unit *u)
{
	struct line_head head;
	struct dwarf_cursor c;
	struct machine m = { .head = &head, .to = r };

	if (!line_head_read(&head, r, u, &c))
		return dwarf_is_late(u->all->file) ? -EAGAIN : -EINVAL;
	machine_reset(&m);
	for (uint32_t n = 1; cursor_left(&c); n++) {
		uint8_t opcode = cursor_u8(&c);

		if (opcode >= head.opcode_base)
			run_special(&m, opcode);
		else if (opcode)
			run_standard(&m, opcode, &c);
		else
			run_extended(&m, &c);
		if (n % OPS_BETWEEN_CHECKS == 0 && dwarf_is_late(u->all->file))
			return -EAGAIN;
	}
	r->rows.count = m.first;
	if (r->sequences.count)
		qsort(r->sequences.at, r->sequences.count, sizeof(*r->sequences.at), compare);
	return 0;
}

int line_rows_read_files(struct line_rows *r, const struct unit *u)
{
	struct line_head head;
	struct dwarf_cursor c;

	return line_head_read(&head, r, u, &c) ? 0 : -EINVAL;
}

/* The last row at or before an address within a sequence. */
static const struct row *row_in(const struct line_rows *r, const struct row_sequence *s,
				uint64_t address)
{
	uint32_t low = s->first, high = s->first + s->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->rows.at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > s->first ? &r->rows.at[low - 1] : NULL;
}

const struct row *line_rows_find(const struct line_rows *r, uint64_t address)
{
	uint32_t low = 0, high = r->sequences.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->sequences.at[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t back = 0; low-- && back < SEQUENCES_BACK; back++)
		if (address < r->sequences.at[low].high)
			return row_in(r, &r->sequences.at[low], address);
	return NULL;
}

static void add_folder(const struct line_rows *r, const struct unit *u, uint64_t number,
		       struct text *to)
{
	uint64_t index = r->version >= 5 ? number : number - 1;
	const char *folder = "";

	if (index < r->folders.count)
		folder = dwarf_text(u->all->file, r->folders.at[index]);
	if (*folder != '/') {
		const char *base = unit_folder(u);

		text_add(to, base);
		if (*base && *folder)
			text_add_char(to, '/');
	}
	text_add(to, folder);
}

void line_rows_path(const struct line_rows *r, const struct unit *u, uint64_t file,
		    struct text *to)
{
	uint64_t index = r->version >= 5 ? file : file - 1;
	AUTO_FREE char *name = NULL;

	if (index >= r->files.count)
		return;
	name = mem_text(dwarf_text(u->all->file, r->files.at[index].name));
	if (*name != '/') {
		add_folder(r, u, r->files.at[index].folder, to);
		if (to->size)
			text_add_char(to, '/');
	}
	text_add(to, name);
}
