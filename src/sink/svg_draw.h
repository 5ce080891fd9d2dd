/*
 * svg_draw - the parts of a flame graph's SVG: head, legend, frames, foot.
 *
 * Everything that depends on the picture is in elements and attributes, never
 * in the script: the script is the same in every file, so that a content
 * security policy can allow it by one hash.
 */
#ifndef SONDE_SINK_SVG_DRAW_H
#define SONDE_SINK_SVG_DRAW_H

#include "sink/sink.h"
#include "sink/svg_layout.h"
#include "view/compare.h"

/* Pixels.  The script reads them off the elements, so they live here only. */
#define SVG_WIDTH 1200
#define SVG_PAD 14     /* left and right of the frames */
#define SVG_ROW 17     /* a row of frames, with its gap */
#define SVG_LEAST 0.1  /* narrower frames are left out */
#define SVG_HEAD 112   /* above the frames */
#define SVG_FOOT 54    /* below them */
#define SVG_CHAR 6.625 /* advance of the 11 px monospaced font (DejaVu Sans Mono) */

struct svg {
	const struct picture *p;
	const struct sink_option *option;
	struct text *out;
	bool compared; /* red and blue; compare is valid */
	bool in_nsec;  /* weights are time */
	unsigned sides;
	struct compare compare;
	uint64_t *total; /* per node, what its width stands for */
	struct layout layout;
};

void svg_draw_head(struct svg *s);
void svg_draw_frames(struct svg *s);
void svg_draw_foot(struct svg *s);
/* Frames, foot included: the height of the drawing. */
unsigned svg_height(const struct svg *s);

#endif
