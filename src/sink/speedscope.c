/*
 * speedscope - the file format of speedscope.app, "sampled" profiles.
 *
 * https://www.speedscope.app/file-format-schema.json: frames are shared, each
 * profile has samples (stacks as frame indices, root first) and their weights.
 * One profile a side when several sides are written, behind one of all of them.
 */
#include "sink/sinks.h"

#include "sink/escape.h"
#include "sink/headline.h"
#include "sink/walk.h"

#include <inttypes.h>

/* speedscope sorts recursively in depth; beyond this it runs out of stack. */
#define DEPTH_MAX 2000

/* Frames beyond the picture's own, in this order. */
enum { EXTRA_NO_STACK, EXTRA_CUT, NR_EXTRA };

static void add_frames(struct text *out, const struct picture *p)
{
	text_add(out, "\"shared\":{\"frames\":[");
	for (uint32_t i = 0; i < p->frames.count; i++) {
		const struct picture_frame *frame = &p->frames.at[i];

		text_add(out, "{\"name\":");
		escape_json(out, walk_name(p, i));
		if (frame->file) {
			text_add(out, ",\"file\":");
			escape_json(out, picture_text(p, frame->file));
		}
		if (frame->file && frame->line)
			text_format(out, ",\"line\":%u", frame->line);
		text_add(out, "},\n");
	}
	text_add(out,
		 "{\"name\":\"" WALK_NO_STACK "\"},\n{\"name\":\"[deeper frames left out]\"}"
		 "]},\n");
}

static void add_sample(struct text *out, const struct picture *p, const struct walk *w)
{
	uint32_t n = w->frames.count > DEPTH_MAX ? DEPTH_MAX - 1 : w->frames.count;

	text_add_char(out, '[');
	for (uint32_t i = 0; i < n; i++)
		text_format(out, "%s%u", i ? "," : "", w->frames.at[i]);
	if (n < w->frames.count)
		text_format(out, ",%u", p->frames.count + EXTRA_CUT);
	if (!n)
		text_format(out, "%u", p->frames.count + EXTRA_NO_STACK);
	text_add_char(out, ']');
}

static void add_profile_name(struct text *out, const struct picture *p, unsigned mask)
{
	const struct picture_span *span = headline_span(p);
	AUTO_TEXT struct text name = { 0 };

	headline_target(&name, p);
	for (unsigned side = 0; side < NR_SIDE && (p->split_expr || span); side++) {
		if (mask != SIDE_BIT(side))
			continue;
		text_format(&name, ": %s", side_names[side]);
		if (p->split_expr)
			text_format(&name, " (%s)", picture_text(p, p->split_expr));
	}
	if (mask == SIDE_ALL && span)
		text_add(&name, ": all");
	escape_json(out, text_string(&name));
}

static void add_profile(struct text *out, const struct picture *p, unsigned mask, bool in_nsec)
{
	AUTO_TEXT struct text weights = { 0 };
	struct walk w = { 0 };
	uint64_t sum = 0;

	text_add(out, "{\"type\":\"sampled\",\"name\":");
	add_profile_name(out, p, mask);
	text_format(out, ",\"unit\":\"%s\",\"samples\":[", in_nsec ? "nanoseconds" : "none");
	for (uint32_t i = 0; i < p->nodes.count; i++) {
		uint64_t self = walk_self(&p->nodes.at[i], mask, in_nsec);

		if (!self)
			continue;
		if (weights.size)
			text_add(out, ",\n");
		walk_stack(&w, p, i);
		add_sample(out, p, &w);
		text_format(&weights, "%s%" PRIu64, weights.size ? "," : "", self);
		sum += self;
	}
	text_format(out, "],\"weights\":[%s],\"startValue\":0,\"endValue\":%" PRIu64 "}",
		    text_string(&weights), sum);
	walk_done(&w);
}

/* A side of its own is worth a profile when anything was sampled on it. */
static bool side_has_samples(const struct picture *p, unsigned side)
{
	for (uint32_t i = 0; i < p->nodes.count; i++)
		if (p->nodes.at[i].self[side])
			return true;
	return false;
}

static void add_profiles(struct text *out, const struct picture *p, unsigned mask, bool in_nsec)
{
	bool single = (mask & (mask - 1)) == 0, any = false;

	text_add(out, "\"profiles\":[\n");
	if (mask == SIDE_ALL && headline_span(p)) {
		add_profile(out, p, mask, in_nsec);
		any = true;
	}
	for (unsigned side = 0; side < NR_SIDE; side++) {
		if (!(mask & SIDE_BIT(side)) || (!single && !side_has_samples(p, side)))
			continue;
		if (any)
			text_add(out, ",\n");
		add_profile(out, p, SIDE_BIT(side), in_nsec);
		any = true;
	}
	if (!any)
		add_profile(out, p, mask, in_nsec); /* speedscope refuses a file without any */
	text_add(out, "]}\n");
}

static int speedscope_write(const struct picture *p, const struct sink_option *option,
			    struct text *out, struct error *err)
{
	AUTO_TEXT struct text name = { 0 }, exporter = { 0 };

	headline_target(&name, p);
	text_add(&name, ", ");
	headline_window(&name, p);
	text_add(&name, ", ");
	headline_losses(&name, p);
	text_format(&exporter, "sonde@%s", option->version ? option->version : "0");
	text_add(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		      "\"exporter\":");
	escape_json(out, text_string(&exporter));
	text_add(out, ",\"name\":");
	escape_json(out, option->title ? option->title : text_string(&name));
	text_add(out, ",\"activeProfileIndex\":0,\n");
	add_frames(out, p);
	add_profiles(out, p, sink_side_mask(option->side), option->weight != WEIGHT_SAMPLES);
	return 0;
}

const struct sink sink_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.help = "for www.speedscope.app",
	.fold = FOLD_FUNCTION,
	.side = WRITE_IN,
	.write = speedscope_write,
};
