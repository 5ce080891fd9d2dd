/*
 * drawing_read - the other end of a drawing, as a page has it, for tests.
 */
#ifndef SONDE_SERVE_DRAWING_READ_H
#define SONDE_SERVE_DRAWING_READ_H

#include "serve/drawing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define READ_STRINGS 256
#define READ_NODES 65536

struct reader {
	uint32_t seq, epoch, strings, frames, nodes;
	char scene[65536];
	char text[READ_STRINGS][128];
	uint32_t frame[READ_STRINGS][5]; /* name, file, image, line, kind */
	uint32_t node[READ_NODES][3];	 /* parent, frame, line */
	float nsec[READ_NODES][NR_SIDE], samples[READ_NODES][NR_SIDE];
	uint32_t changes; /* of the last message */
};

static inline uint32_t read_u32(const char *at)
{
	const uint8_t *b = (const uint8_t *)at;

	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline float read_f32(const char *at)
{
	uint32_t v = read_u32(at);
	float f;

	memcpy(&f, &v, 4);
	return f;
}

static inline void read_strings(struct reader *r, const char *at, uint32_t count, uint32_t base)
{
	const char *bytes = at + 4 * count;

	assert_int_equal(base, r->strings);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(r->text[base + i], sizeof(r->text[0]), "%.*s",
			 (int)read_u32(at + 4 * i), bytes);
		bytes += read_u32(at + 4 * i);
	}
	r->strings += count;
}

static inline void read_self(struct reader *r, const char *at, uint32_t count, uint32_t side)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = read_u32(at + 4 * i);

		assert_true(node < r->nodes);
		r->nsec[node][side] = read_f32(at + 4 * (count + i));
		r->samples[node][side] = read_f32(at + 4 * (2 * count + i));
	}
	r->changes += count;
}

static inline void read_section(struct reader *r, uint32_t kind, uint32_t count, uint32_t base,
				const char *at)
{
	if (kind == DRAW_SCENE)
		snprintf(r->scene, sizeof(r->scene), "%.*s", (int)count, at);
	else if (kind == DRAW_STRINGS)
		read_strings(r, at, count, base);
	else if (kind == DRAW_SELF)
		read_self(r, at, count, base);
	for (uint32_t i = 0; kind == DRAW_FRAMES && i < count; i++)
		for (unsigned c = 0; c < 5; c++)
			r->frame[base + i][c] = read_u32(at + 4 * (c * count + i));
	for (uint32_t i = 0; kind == DRAW_NODES && i < count; i++)
		for (unsigned c = 0; c < 3; c++)
			r->node[base + i][c] = read_u32(at + 4 * (c * count + i));
	r->frames += kind == DRAW_FRAMES ? count : 0;
	r->nodes += kind == DRAW_NODES ? count : 0;
}

static inline void read_drawing(struct reader *r, const struct text *message)
{
	const char *at = message->bytes, *end = at + message->size;

	assert_true(message->size >= 16 && memcmp(at, "snd1", 4) == 0);
	if (read_u32(at + 8) != r->epoch)
		memset(r, 0, sizeof(*r));
	r->changes = 0;
	r->seq = read_u32(at + 4);
	r->epoch = read_u32(at + 8);
	at += 16;
	for (uint32_t left = read_u32(at - 4); left; left--) {
		uint32_t size = read_u32(at + 12);

		assert_true(at + 16 + size <= end && size % 4 == 0);
		read_section(r, read_u32(at), read_u32(at + 4), read_u32(at + 8), at + 16);
		at += 16 + size;
	}
	assert_ptr_equal(at, end);
}

#endif
