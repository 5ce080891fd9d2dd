#include "sink/svg_draw.h"

#include "sink/escape.h"
#include "sink/headline.h"
#include "sink/svg_colour.h"
#include "sink/walk.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A coordinate with four decimals, shortened: zooming into the narrowest
 * frame still places its callees to a tenth of a per cent. */
static void add_coordinate(struct text *out, const char *name, double v)
{
	char buf[48];
	int n = snprintf(buf, sizeof(buf), " %s=\"%.4f", name, v);

	while (buf[n - 1] == '0')
		n--;
	if (buf[n - 1] == '.')
		n--;
	buf[n++] = '"';
	text_add_part(out, buf, n);
}

static void add_weight(const struct svg *s, uint64_t weight)
{
	char buf[TEXT_QUANTITY];

	if (s->in_nsec)
		text_add(s->out, text_duration(buf, weight));
	else
		text_format(s->out, "%s sample%s", text_count(buf, weight),
			    weight == 1 ? "" : "s");
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void add_plain_line(const struct svg *s, uint32_t node)
{
	uint64_t self = walk_self(&s->p->nodes.at[node], s->sides, s->in_nsec);

	add_weight(s, s->total[node]);
	text_format(s->out, ", %.2f %% of all", percent(s->total[node], s->total[0]));
	if (self && self != s->total[node]) {
		text_add(s->out, "; in itself ");
		add_weight(s, self);
		text_format(s->out, ", %.2f %%", percent(self, s->total[0]));
	} else if (self) {
		text_add(s->out, ", all in itself");
	}
}

static void add_compared_line(const struct svg *s, uint32_t node)
{
	struct contrast d = compare_node(&s->compare, s->p, node),
			all = compare_node(&s->compare, s->p, 0);
	char buf[3][TEXT_QUANTITY], n[2][TEXT_QUANTITY];

	text_format(s->out, "%s a call, %s in the rest: ", text_duration(buf[0], d.in),
		    text_duration(buf[1], d.rest));
	if (!compare_inside(s->p, node))
		text_add(s->out, "around the span, not compared");
	else if (contrast_is_noise(s->p, &d))
		text_add(s->out, "within noise");
	else
		text_format(s->out, "%s%s ± %s", d.extra > 0 ? "+" : "",
			    text_duration(buf[2], d.extra), text_duration(buf[0], d.error));
	if (compare_inside(s->p, node) && !contrast_is_noise(s->p, &d) && all.extra > 0)
		text_format(s->out, " (%.0f %% of the extra %s)", 100 * d.extra / all.extra,
			    picture_time(s->p));
	text_format(s->out, "\n%.2f %% of the side; %s samples, %s in the rest",
		    percent(s->total[node], s->total[0]),
		    text_count(n[0], s->compare.samples_in[node]),
		    text_count(n[1], s->compare.samples_rest[node]));
}

static void add_title(const struct svg *s, uint32_t node)
{
	const struct picture_node *at = &s->p->nodes.at[node];
	const struct picture_frame *frame = &s->p->frames.at[at->frame];
	const char *file = picture_text(s->p, frame->file);
	const char *image = picture_text(s->p, frame->image_name);

	text_add(s->out, "<title>");
	escape_xml(s->out, node ? walk_name(s->p, s->p->nodes.at[node].frame) : "all");
	text_add_char(s->out, '\n');
	if (s->compared)
		add_compared_line(s, node);
	else
		add_plain_line(s, node);
	if (node && (*file || *image)) {
		text_add_char(s->out, '\n');
		escape_xml(s->out, file);
		if (*file && frame->line)
			text_format(s->out, ":%u", frame->line);
		text_add(s->out, *file && *image ? ", " : "");
		escape_xml(s->out, image);
	}
	if (at->site_line) {
		text_add(s->out,
			 frame->kind == FRAME_INLINED ? "\ninlined at " : "\ncalled at ");
		escape_xml(s->out, picture_text(s->p, at->site_file));
		text_format(s->out, ":%u%s", at->site_line,
			    at->more_sites ? " and elsewhere" : "");
	}
	text_add(s->out, "</title>");
}

static void frame_colour(const struct svg *s, uint32_t node, colour_text ret)
{
	const struct picture_frame *frame = &s->p->frames.at[s->p->nodes.at[node].frame];
	const char *name = walk_name(s->p, s->p->nodes.at[node].frame);
	struct contrast d;

	if (!s->compared) {
		colour_plain(ret, node ? hue_of(s->p, frame) : HUE_OTHER,
			     node ? hash_bytes(name, strlen(name), 0) : 0);
		return;
	}
	d = compare_node(&s->compare, s->p, node);
	if (!compare_inside(s->p, node))
		strcpy(ret, COLOUR_CONTEXT);
	else if (contrast_is_noise(s->p, &d) || !s->compare.most)
		strcpy(ret, COLOUR_NOISE);
	else
		colour_compared(ret, d.extra / s->compare.most);
}

/* As much of the name as fits, escaped; nothing below three characters.
 * Characters are counted as code points: the font is monospaced. */
static void add_label(const struct svg *s, const struct layout_frame *f, double x, double y)
{
	const char *name = f->node ? walk_name(s->p, s->p->nodes.at[f->node].frame) : "all";
	int room = (f->width - 6) / SVG_CHAR;
	AUTO_TEXT struct text clean = { 0 };
	const unsigned char *at;
	uint32_t code;
	int n = 0;
	size_t cut = 0;

	if (room < 3)
		return;
	text_add_part(&clean, name, strnlen(name, 4 * SVG_WIDTH));

	AUTO_TEXT struct text plain = { 0 };

	text_add_plain(&plain, text_string(&clean));
	at = (const unsigned char *)text_string(&plain);
	for (const unsigned char *c = at; *c; n++) {
		if (n == room - 1)
			cut = c - at;
		c += text_utf8(c, &code);
	}
	text_add(s->out, "<text");
	add_coordinate(s->out, "x", x + 4);
	add_coordinate(s->out, "y", y + 12);
	text_add_char(s->out, '>');
	if (n > room)
		plain.bytes[cut] = 0;
	escape_xml(s->out, text_string(&plain));
	text_add(s->out, n > room ? "…</text>" : "</text>");
}

static void add_frame(const struct svg *s, const struct layout_frame *f)
{
	double x = SVG_PAD + f->x,
	       y = SVG_HEAD + (double)(s->layout.depth - f->depth) * SVG_ROW;
	colour_text colour;

	frame_colour(s, f->node, colour);
	/* a border around the narrowest would be all there is to see of them */
	text_add(s->out, f->width >= 4 ? "<g class=\"w\">" : "<g>");
	add_title(s, f->node);
	text_add(s->out, "<rect");
	add_coordinate(s->out, "x", x);
	add_coordinate(s->out, "y", y);
	add_coordinate(s->out, "width", f->width);
	text_format(s->out, " height=\"%d\" fill=\"%s\"/>", SVG_ROW - 1, colour);
	add_label(s, f, x, y);
	text_add(s->out, "</g>\n");
}

void svg_draw_frames(struct svg *s)
{
	text_add(s->out, "<g id=\"frames\">\n");
	for (uint32_t i = 0; i < s->layout.frames.count; i++)
		add_frame(s, &s->layout.frames.at[i]);
	text_add(s->out, "</g>\n");
}
