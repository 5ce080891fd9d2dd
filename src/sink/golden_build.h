/*
 * golden_build - how the pictures of golden_picture are put together.
 */
#ifndef SONDE_SINK_GOLDEN_BUILD_H
#define SONDE_SINK_GOLDEN_BUILD_H

#include "sink/golden_picture.h"

#define GOLDEN_PERIOD 1010101 /* nanoseconds: 990 Hz, so that a call has some samples */

struct golden_frame {
	const char *name, *file, *image;
	uint32_t line;
	enum frame_kind kind;
};

struct golden_stack {
	const char *frames;	   /* below the root, ';' between names */
	unsigned samples[NR_SIDE]; /* in, rest, open, out, before */
};

uint32_t golden_frame_add(struct picture *p, const struct golden_frame *from);
void golden_image_add(struct picture *p, const char *path, const char *build_id, uint64_t start,
		      enum image_kind kind);
/* 0, the root's, when no frame has the name. */
uint32_t golden_frame_find(const struct picture *p, const char *name, size_t length);
void golden_stack_add(struct picture *p, const struct golden_stack *stack);

/* The shop's samples on all sides; its span; its functions compared (the calls
 * of both sides must be known). */
struct picture *golden_samples(void);
struct picture_span *golden_span_add(struct picture *p);
void golden_functions_add(struct picture *p);

#endif
