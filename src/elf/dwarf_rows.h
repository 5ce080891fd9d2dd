/*
 * dwarf_rows - the line table of a unit (DWARF 5 section 6.2).
 *
 * The program is run once, into rows that are sorted within each sequence (code
 * that lies together).  The row of an address is the last one at or before it.
 */
#ifndef SONDE_ELF_DWARF_ROWS_H
#define SONDE_ELF_DWARF_ROWS_H

#include "base/text.h"
#include "elf/dwarf_unit.h"

#define ROWS_MAX (32u << 20)
#define ROW_FILES_MAX 65536

struct row {
	uint64_t address;
	uint32_t file, line; /* line 0: of no line */
};

struct row_sequence {
	uint64_t low, high;
	uint32_t first, count;
};

struct row_file {
	struct dwarf_text name;
	uint64_t folder;
};

struct line_rows {
	uint8_t version;
	ARRAY(struct row) rows;
	ARRAY(struct row_sequence) sequences; /* by low */
	ARRAY(struct dwarf_text) folders;     /* from number 1 on before version 5, else 0 */
	ARRAY(struct row_file) files;	      /* the same */
};

void line_rows_done(struct line_rows *r);
/* -EAGAIN: the time is up; -EINVAL: there is none, or it is broken from the start. */
int line_rows_read(struct line_rows *r, const struct unit *u);
/* Only the tables of files and folders. */
int line_rows_read_files(struct line_rows *r, const struct unit *u);
/* NULL: not known. */
const struct row *line_rows_find(const struct line_rows *r, uint64_t address);
/* Adds the path of a file by its number, absolute where the folder of the unit
 * is; nothing if there is none of this number. */
void line_rows_path(const struct line_rows *r, const struct unit *u, uint64_t file,
		    struct text *to);

#endif
