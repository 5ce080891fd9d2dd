/*
 * dwarf_line_head - what stands before a line program: its constants, and the
 * tables of folders and files (DWARF 5 section 6.2.4).  Used by dwarf_rows.c.
 */
#ifndef SONDE_ELF_DWARF_LINE_HEAD_H
#define SONDE_ELF_DWARF_LINE_HEAD_H

#include "elf/dwarf_rows.h"

struct line_head {
	struct dwarf_width width;
	uint8_t least_size; /* bytes of an instruction */
	int8_t line_base;
	uint8_t line_range, opcode_base;
	uint8_t operands[256]; /* of each standard opcode */
};

/* Reads the unit's; files and folders go to `to`, program stands on the first
 * opcode and ends behind the last.  False: there is none, or it is broken. */
bool line_head_read(struct line_head *h, struct line_rows *to, const struct unit *u,
		    struct dwarf_cursor *ret_program);

#endif
