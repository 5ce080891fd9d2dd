#include "elf/dwarf_line_head.h"

#include <dwarf.h>

#define FORMATS_MAX 16

/* A string in place is one of .debug_line. */
static struct dwarf_text read_string(struct dwarf_file *f, struct dwarf_cursor *c)
{
	struct dwarf_text t = { DWARF_LINE, dwarf_offset_of(f, DWARF_LINE, c->at) };

	cursor_skip_string(c);
	return t;
}

/* Versions 2 to 4: strings up to an empty one; files have three numbers more. */
static void read_old_tables(struct line_rows *to, struct dwarf_file *f, struct dwarf_cursor *c)
{
	while (cursor_left(c) && *c->at && to->folders.count < ROW_FILES_MAX)
		array_push(&to->folders, read_string(f, c));
	cursor_u8(c);
	while (cursor_left(c) && *c->at && to->files.count < ROW_FILES_MAX) {
		struct row_file file = { .name = read_string(f, c) };

		file.folder = cursor_uleb(c);
		cursor_skip_leb(c);
		cursor_skip_leb(c);
		array_push(&to->files, file);
	}
	cursor_u8(c);
}

struct format {
	uint64_t kind, form;
};

static struct dwarf_text entry_string(struct dwarf_file *f, const struct line_head *h,
				      uint64_t form, struct dwarf_cursor *c)
{
	switch (form) {
	case DW_FORM_string:
		return read_string(f, c);
	case DW_FORM_line_strp:
		return (struct dwarf_text){ DWARF_LINE_STR, cursor_number(c, h->width.offset) };
	case DW_FORM_strp:
		return (struct dwarf_text){ DWARF_STR, cursor_number(c, h->width.offset) };
	}
	form_skip(c, form, h->width);
	return DWARF_NO_TEXT;
}

/* Version 5: what an entry consists of, how many there are, and the entries. */
static void read_table(const struct line_head *h, struct line_rows *to, struct dwarf_file *f,
		       struct dwarf_cursor *c, bool files)
{
	struct format formats[FORMATS_MAX];
	uint8_t nr = cursor_u8(c);
	uint64_t count;

	if (nr > FORMATS_MAX) {
		cursor_break(c);
		return;
	}
	for (unsigned i = 0; i < nr; i++) {
		formats[i].kind = cursor_uleb(c);
		formats[i].form = cursor_uleb(c);
		if (formats[i].form > UINT16_MAX)
			cursor_break(c);
	}
	count = cursor_uleb(c);
	if (count > ROW_FILES_MAX || (!nr && count))
		cursor_break(c);
	for (uint64_t n = 0; n < count && !c->broken; n++) {
		struct row_file entry = { .name = DWARF_NO_TEXT };

		for (unsigned i = 0; i < nr; i++) {
			if (formats[i].kind == DW_LNCT_path)
				entry.name = entry_string(f, h, formats[i].form, c);
			else if (formats[i].kind == DW_LNCT_directory_index)
				entry.folder = form_number(c, formats[i].form, h->width);
			else
				form_skip(c, formats[i].form, h->width);
		}
		if (files)
			array_push(&to->files, entry);
		else
			array_push(&to->folders, entry.name);
	}
}

static bool read_constants(struct line_head *h, struct dwarf_cursor *c)
{
	h->least_size = cursor_u8(c);
	if (h->width.version >= 4)
		cursor_u8(c); /* operations an instruction: 1 on what we run on */
	cursor_u8(c);	      /* is_stmt at first */
	h->line_base = cursor_u8(c);
	h->line_range = cursor_u8(c);
	h->opcode_base = cursor_u8(c);
	for (unsigned i = 1; i < h->opcode_base; i++)
		h->operands[i] = cursor_u8(c);
	return !c->broken && h->line_range && h->opcode_base;
}

bool line_head_read(struct line_head *h, struct line_rows *to, const struct unit *u,
		    struct dwarf_cursor *ret_program)
{
	struct dwarf_file *f = u->all->file;
	struct dwarf_cursor c;
	uint64_t length, head;

	*h = (struct line_head){ 0 };
	if (!u->has_line_table || !dwarf_part_at(f, DWARF_LINE, u->line_table, 12, &c))
		return false;
	length = cursor_length(&c, &h->width.offset);
	if (c.broken ||
	    !dwarf_part_at(f, DWARF_LINE, u->line_table + (h->width.offset == 8 ? 12 : 4),
			   length, &c))
		return false;
	h->width.version = to->version = cursor_number(&c, 2);
	if (h->width.version < 2 || h->width.version > 5)
		return false;
	if (h->width.version >= 5)
		cursor_skip(&c, 2); /* sizes of an address and a segment selector */
	head = cursor_number(&c, h->width.offset);
	*ret_program = c;
	if (!cursor_skip(ret_program, head) || !read_constants(h, &c))
		return false;
	if (h->width.version < 5) {
		read_old_tables(to, f, &c);
	} else {
		read_table(h, to, f, &c, false);
		read_table(h, to, f, &c, true);
	}
	return true;
}
