/*
 * dwarf_file - the debug sections of one ELF file, for our own reader.
 *
 * libdw needs milliseconds for one inlined frame; this reader takes a whole
 * unit in about that time.  It touches only the bytes that are asked for: a
 * section is read block by block with pread(2) (never mapped: its owner could
 * truncate the file), a compressed one is unpacked whole at its first use.
 * Little-endian, 8-byte addresses, DWARF 2 to 5, 32- and 64-bit format.
 *
 * The file is foreign.  Sections over DWARF_PART_MAX bytes, and unpacked ones
 * over DWARF_UNPACKED_MAX together, count as missing.  No path that the file
 * names is opened as it stands: a supplementary file (dwz) must be one that the
 * system installed below /usr/lib/debug, with the right build-id; split units
 * (.dwo) have no inlined frames.
 */
#ifndef SONDE_ELF_DWARF_FILE_H
#define SONDE_ELF_DWARF_FILE_H

#include "base/clock.h"
#include "elf/dwarf_cursor.h"
#include "elf/image.h"

#define DWARF_PART_MAX (2ull << 30)
#define DWARF_UNPACKED_MAX (1ull << 30)
/* What dwarf_file_trim() leaves in memory of what was read. */
#define DWARF_KEPT_MAX (128u << 20)

enum dwarf_part {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_STR,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_ADDR,
	DWARF_STR_OFFSETS,
	DWARF_ARANGES,
	NR_DWARF_PART,
};

struct dwarf_file;

/* The DWARF of an image: its own or that of its debug file, which must outlive
 * it.  NULL: none. */
struct dwarf_file *dwarf_file_open(const struct image *image);
void dwarf_file_close(struct dwarf_file *f); /* NULL is fine */

/* The supplementary file (.gnu_debugaltlink), NULL if there is none; the file's. */
struct dwarf_file *dwarf_file_alt(struct dwarf_file *f);

uint64_t dwarf_part_size(struct dwarf_file *f, enum dwarf_part part);
/* A cursor over at most size bytes from offset, less where the section ends;
 * bytes are valid until dwarf_file_trim().  False: there is nothing. */
bool dwarf_part_at(struct dwarf_file *f, enum dwarf_part part, uint64_t offset, uint64_t size,
		   struct dwarf_cursor *ret);

/* The offset in the part of a byte that a cursor stands on. */
uint64_t dwarf_offset_of(struct dwarf_file *f, enum dwarf_part part, const uint8_t *at);

/* A string of a section: dwarf_text() is "" where it has none or it is longer than
 * 64 KiB, and else valid until dwarf_file_trim(). */
struct dwarf_text {
	enum dwarf_part part;
	uint64_t offset;
};
#define DWARF_NO_TEXT ((struct dwarf_text){ DWARF_STR, UINT64_MAX })
const char *dwarf_text(struct dwarf_file *f, struct dwarf_text text);

/* Gives back memory when there is much of it; nothing may point into it. */
void dwarf_file_trim(struct dwarf_file *f);

/* Everything that takes long looks at this: clock_cpu() until which to work.
 * What was not finished by then was not done at all. */
void dwarf_set_deadline(struct dwarf_file *f, nsec deadline);
bool dwarf_is_late(const struct dwarf_file *f);

#endif
