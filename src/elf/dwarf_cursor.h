/*
 * dwarf_cursor - reads DWARF's numbers from bytes that may be anything.
 *
 * Reading past the end gives 0 and sets broken, which stays: check it once
 * after a group of reads.  Little-endian; LEB128 as in DWARF 5 section 7.6.
 */
#ifndef SONDE_ELF_DWARF_CURSOR_H
#define SONDE_ELF_DWARF_CURSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct dwarf_cursor {
	const uint8_t *at, *end;
	bool broken;
};

static inline bool cursor_break(struct dwarf_cursor *c)
{
	c->broken = true;
	c->at = c->end;
	return false;
}

static inline size_t cursor_left(const struct dwarf_cursor *c)
{
	return c->end - c->at;
}

static inline bool cursor_skip(struct dwarf_cursor *c, uint64_t size)
{
	if (size > cursor_left(c))
		return cursor_break(c);
	c->at += size;
	return true;
}

/* A number of 0..8 bytes. */
static inline uint64_t cursor_number(struct dwarf_cursor *c, unsigned size)
{
	uint64_t v = 0;

	if (size > cursor_left(c) || size > sizeof(v))
		return cursor_break(c);
	memcpy(&v, c->at, size);
	c->at += size;
	return v;
}

static inline uint8_t cursor_u8(struct dwarf_cursor *c)
{
	return c->at < c->end ? *c->at++ : cursor_break(c);
}

/* Bits beyond 64 are dropped. */
static inline uint64_t cursor_uleb(struct dwarf_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	return cursor_break(c);
}

static inline int64_t cursor_sleb(struct dwarf_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->at < c->end;) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		return shift < 64 && byte & 0x40 ? (int64_t)(v | ~0ull << shift) : (int64_t)v;
	}
	return cursor_break(c);
}

static inline void cursor_skip_leb(struct dwarf_cursor *c)
{
	while (c->at < c->end)
		if (!(*c->at++ & 0x80))
			return;
	cursor_break(c);
}

/* Skips a string with its NUL. */
static inline void cursor_skip_string(struct dwarf_cursor *c)
{
	const uint8_t *end = c->at < c->end ? memchr(c->at, 0, cursor_left(c)) : NULL;

	if (end)
		c->at = end + 1;
	else
		cursor_break(c);
}

/* An initial length (DWARF 5 section 7.4): *ret_size is 4 or 8, that of offsets. */
static inline uint64_t cursor_length(struct dwarf_cursor *c, uint8_t *ret_size)
{
	uint64_t length = cursor_number(c, 4);

	*ret_size = 4;
	if (length < 0xfffffff0)
		return length;
	*ret_size = 8;
	return length == 0xffffffff ? cursor_number(c, 8) : cursor_break(c);
}

#endif
