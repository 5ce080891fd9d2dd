/*
 * svg_colour - colours of a flame graph's frames.
 *
 * Plain: the hue says what the frame is (the field's convention: kernel
 * orange, C++ yellow, other native code red, JIT green, inlined aqua; waiting blue), the
 * shade is drawn from its name, so a function has one colour in every graph.
 * Compared: red = more time a call, blue = less, grey = within noise; the ramp
 * is safe for the colour-blind and never so dark that black text suffers.
 */
#ifndef SONDE_SINK_SVG_COLOUR_H
#define SONDE_SINK_SVG_COLOUR_H

#include "view/picture.h"

enum hue {
	HUE_NATIVE,
	HUE_CXX,
	HUE_KERNEL,
	HUE_INLINED,
	HUE_JIT,
	HUE_WAIT,
	HUE_HOLDER,
	HUE_PROBE,
	HUE_OTHER,
	NR_HUE
};

/* "#rrggbb". */
typedef char colour_text[8];

enum hue hue_of(const struct picture *p, const struct picture_frame *frame);
/* What the legend calls it: "kernel". */
const char *hue_name(enum hue hue);
/* seed: hash of the name; 0 for the hue's middle. */
void colour_plain(colour_text ret, enum hue hue, uint64_t seed);

/* strength -1 (far less) .. 0 .. 1 (far more); never the grey of noise. */
void colour_compared(colour_text ret, double strength);
#define COLOUR_NOISE "#dedede"
#define COLOUR_CONTEXT "#efefef" /* frames around the span: not compared */

#endif
