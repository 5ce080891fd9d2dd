#include "sink/svg_colour.h"

#include <math.h>
#include <stdio.h>

/* Middle of each hue and how far the shade may wander: degrees, per cent. */
static const struct {
	const char *name;
	double hue, hue_range, saturation, light, light_range;
} hues[NR_HUE] = {
	[HUE_NATIVE] = { "native", 9, 9, 78, 74, 7 },
	[HUE_CXX] = { "C++", 50, 6, 82, 70, 7 },
	[HUE_KERNEL] = { "kernel", 30, 5, 92, 69, 6 },
	[HUE_INLINED] = { "inlined", 178, 7, 45, 72, 6 },
	[HUE_JIT] = { "JIT", 104, 10, 45, 71, 6 },
	[HUE_WAIT] = { "waiting", 214, 10, 60, 76, 6 },
	[HUE_HOLDER] = { "holder, waker", 268, 10, 48, 80, 5 },
	[HUE_PROBE] = { "probes", 220, 0, 4, 72, 4 },
	[HUE_OTHER] = { "other", 40, 0, 6, 88, 2 },
};

enum hue hue_of(const struct picture *p, const struct picture_frame *frame)
{
	switch (frame->kind) {
	case FRAME_KERNEL:
		return HUE_KERNEL;
	case FRAME_JIT:
		return HUE_JIT;
	case FRAME_INLINED:
		return HUE_INLINED;
	case FRAME_WAIT:
		return HUE_WAIT;
	case FRAME_HOLDER:
		return HUE_HOLDER;
	case FRAME_PROBE:
		return HUE_PROBE;
	case FRAME_OTHER:
		return HUE_OTHER;
	default:
		/* the only trace of the language that is left in a demangled name */
		return strstr(picture_text(p, frame->name), "::") ? HUE_CXX : HUE_NATIVE;
	}
}

const char *hue_name(enum hue hue)
{
	return hues[hue].name;
}

/* CSS Color 4, section 7.1: one channel of hsl() by its offset, 0..255. */
static unsigned hsl_channel(double hue, double saturation, double light, double offset)
{
	double k = fmod(offset + hue / 30, 12), a = saturation * fmin(light, 1 - light);
	double v = light - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1));

	return lround(255 * v);
}

void colour_plain(colour_text ret, enum hue hue, uint64_t seed)
{
	double u = seed ? (seed & 0xffff) / 32767.5 - 1 : 0;
	double v = seed ? (seed >> 16 & 0xffff) / 32767.5 - 1 : 0;
	double h = fmod(hues[hue].hue + u * hues[hue].hue_range + 360, 360);
	double s = hues[hue].saturation / 100;
	double l = (hues[hue].light + v * hues[hue].light_range) / 100;

	snprintf(ret, sizeof(colour_text), "#%02x%02x%02x", hsl_channel(h, s, l, 0) & 255,
		 hsl_channel(h, s, l, 8) & 255, hsl_channel(h, s, l, 4) & 255);
}

void colour_compared(colour_text ret, double strength)
{
	/* pale and full end of each ramp */
	static const unsigned char ramps[2][2][3] = {
		{ { 0xd6, 0xe6, 0xf2 }, { 0x5b, 0x9b, 0xd0 } },
		{ { 0xfb, 0xe3, 0xd8 }, { 0xe8, 0x6a, 0x50 } },
	};
	const unsigned char(*ramp)[3] = ramps[strength > 0];
	double much = fmin(fabs(strength), 1);
	unsigned rgb[3];

	for (unsigned i = 0; i < 3; i++)
		rgb[i] = lround(ramp[0][i] + (ramp[1][i] - ramp[0][i]) * much);
	snprintf(ret, sizeof(colour_text), "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255,
		 rgb[2] & 255);
}
