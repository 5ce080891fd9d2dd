#include "sink/svg_draw.h"

#include "base/columns.h"
#include "sink/escape.h"
#include "sink/headline.h"
#include "sink/svg_colour.h"
#include "sink/walk.h"
#include "wire/sample_cause.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LEGEND_Y 86
#define ONLY_REST_MAX 3 /* functions named that only the rest runs */

unsigned svg_height(const struct svg *s)
{
	return SVG_HEAD + (s->layout.depth + 1) * SVG_ROW + SVG_FOOT;
}

/* A line of text at (x, y); chars bounds it, 0 = it is short anyway. */
static void add_line(struct svg *s, const char *id, double y, const char *line, unsigned chars)
{
	size_t n = strlen(line);

	if (chars && n > chars) {
		n = chars;
		while (n && ((unsigned char)line[n] & 0xc0) == 0x80)
			n--; /* not inside a character */
	}

	AUTO_FREE char *part = mem_text_part(line, n);

	text_format(s->out, "<text class=\"%s\" x=\"%d\" y=\"%g\">", id, SVG_PAD, y);
	escape_xml(s->out, part);
	text_add(s->out, line[n] ? "…</text>\n" : "</text>\n");
}

static void add_question(struct text *t, const struct picture *p, const char *function)
{
	const char *side = headline_side(p);
	bool plain = strcmp(side, "in") != 0;

	text_add(t, plain ? ": what makes calls of " : ": calls of ");
	text_add_plain(t, function);
	text_add_char(t, ' ');
	if (plain)
		text_add(t, side);
	else
		headline_split(t, p);
}

static void add_title_line(struct svg *s)
{
	AUTO_TEXT struct text t = { 0 };
	const struct picture_span *span = headline_span(s->p);

	if (s->option->title) {
		text_add(&t, s->option->title);
	} else {
		headline_target(&t, s->p);
		if (s->compared && span)
			add_question(&t, s->p, picture_text(s->p, span->function));
	}
	text_add(s->out, "<title>");
	escape_xml(s->out, text_string(&t));
	text_add(s->out, "</title>\n");
	add_line(s, "heading", 28, text_string(&t), 90);
}

static void add_window_line(struct svg *s)
{
	AUTO_TEXT struct text t = { 0 }, date = { 0 };

	headline_window(&t, s->p);
	text_add(&t, "  ·  ");
	headline_losses(&t, s->p);
	headline_date(&date, s->p);
	if (date.size)
		text_format(&t, "  ·  %s", date.bytes);
	add_line(s, "note", 48, text_string(&t), 200);
}

/* "951 calls of 1.71 ms on average". */
static void add_calls(struct text *t, const struct picture_side *side)
{
	char buf[TEXT_QUANTITY];

	text_format(t, "%s%s call%s", side->calls_exact ? "" : "about ",
		    text_count(buf, side->calls), side->calls == 1 ? "" : "s");
	if (side->mean_nsec > 0)
		text_format(t, " of %s", text_duration(buf, side->mean_nsec));
}

static void add_subject_line(struct svg *s)
{
	const struct picture *p = s->p;
	const struct picture_span *span = headline_span(p);
	AUTO_TEXT struct text t = { 0 };
	char buf[2][TEXT_QUANTITY];

	if (s->compared) {
		text_format(&t, "Width: %s of the calls ", picture_time(p));
		headline_split(&t, p);
		text_add(&t, ", ");
		add_calls(&t, &p->sides[SIDE_IN]);
		text_add(&t, ".  Colour: time a call against the rest, ");
		add_calls(&t, &p->sides[SIDE_REST]);
		text_add_char(&t, '.');
	} else {
		text_format(&t, "Width: %s", s->in_nsec ? picture_time(p) : "samples");
		for (unsigned i = 0; span && i < NR_SIDE; i++)
			if (s->sides == SIDE_BIT(i))
				text_format(&t, ", side \"%s\" of ", side_names[i]);
		if (span && (s->sides & (s->sides - 1)) == 0)
			text_add_plain(&t, picture_text(p, p->split_expr ? p->split_expr
									 : span->place));
		if (s->in_nsec)
			text_format(&t, ", %s", text_duration(buf[0], s->total[0]));
		else
			text_format(&t, ", %s of %s", text_count(buf[0], s->total[0]),
				    text_count(buf[1], p->samples));
		if (s->option->side == WRITE_DIFF)
			text_add(&t, "; one side has no calls, so nothing is compared");
	}
	add_line(s, "note", 65, text_string(&t), 190);
}

static double add_swatch(struct svg *s, double x, const char *colour, double width,
			 const char *label)
{
	text_format(s->out,
		    "<rect class=\"swatch\" x=\"%g\" y=\"%d\" width=\"%g\" height=\"10\" "
		    "fill=\"%s\"/>",
		    x, LEGEND_Y - 9, width, colour);
	x += width;
	if (!label)
		return x;
	text_format(s->out, "<text class=\"key\" x=\"%g\" y=\"%d\">%s</text>\n", x + 5,
		    LEGEND_Y, label);
	return x + 5 + 6.4 * columns_of(label) + 16;
}

static void add_hue_legend(struct svg *s)
{
	bool used[NR_HUE] = { false };
	double x = SVG_PAD;
	colour_text colour;

	for (uint32_t i = 0; i < s->layout.frames.count; i++) {
		uint32_t node = s->layout.frames.at[i].node;

		if (node)
			used[hue_of(s->p, &s->p->frames.at[s->p->nodes.at[node].frame])] = true;
	}
	for (unsigned i = 0; i < NR_HUE; i++) {
		if (!used[i])
			continue;
		colour_plain(colour, i, 0);
		x = add_swatch(s, x, colour, 10, hue_name(i));
	}
}

static void add_compare_legend(struct svg *s)
{
	double x = SVG_PAD;
	colour_text colour;
	char buf[TEXT_QUANTITY], label[3 * TEXT_QUANTITY];

	for (int i = 5; i > 0; i--) {
		colour_compared(colour, -i / 5.0);
		x = add_swatch(s, x, colour, 14, NULL);
	}
	snprintf(label, sizeof(label), "less, to −%s a call",
		 text_duration(buf, s->compare.most));
	x = add_swatch(s, x, COLOUR_NOISE, 0, label);
	x = add_swatch(s, x, COLOUR_NOISE, 14, "within noise");
	for (int i = 1; i <= 5; i++) {
		colour_compared(colour, i / 5.0);
		x = add_swatch(s, x, colour, 14, NULL);
	}
	snprintf(label, sizeof(label), "more, to +%s a call",
		 text_duration(buf, s->compare.most));
	x = add_swatch(s, x, COLOUR_NOISE, 0, label);
	add_swatch(s, x, COLOUR_CONTEXT, 14, "around the span");
}

void svg_draw_head(struct svg *s)
{
	add_title_line(s);
	add_window_line(s);
	add_subject_line(s);
	if (s->compared)
		add_compare_legend(s);
	else
		add_hue_legend(s);
}

/* Of the nodes that only the rest runs, the topmost ones with the most time:
 * they have no width, so they are named instead of drawn. */
static void add_only_rest(struct svg *s, struct text *t)
{
	const struct compare *c = &s->compare;
	uint32_t best[ONLY_REST_MAX];
	unsigned count = 0, more = 0;
	char buf[TEXT_QUANTITY];

	for (uint32_t i = 1; i < s->p->nodes.count; i++) {
		struct contrast d = compare_node(c, s->p, i);
		unsigned at;

		if (c->nsec_in[i] || !c->nsec_in[s->p->nodes.at[i].parent] ||
		    contrast_is_noise(s->p, &d))
			continue;
		for (at = count; at && c->nsec_rest[best[at - 1]] < c->nsec_rest[i]; at--)
			if (at < ONLY_REST_MAX)
				best[at] = best[at - 1];
		more += count == ONLY_REST_MAX;
		if (at < ONLY_REST_MAX)
			best[at] = i;
		count += count < ONLY_REST_MAX;
	}
	for (unsigned i = 0; i < count; i++) {
		text_add(t, i ? ", " : "Only in the rest, so without width: ");
		text_add_plain(t, walk_name(s->p, s->p->nodes.at[best[i]].frame));
		text_format(t, " %s a call",
			    text_duration(buf, compare_node(c, s->p, best[i]).rest));
	}
	if (more)
		text_format(t, ", and %u more", more);
	if (count)
		text_add(t, ".  ");
}

void svg_draw_foot(struct svg *s)
{
	double bottom = SVG_HEAD + (s->layout.depth + 1) * SVG_ROW;
	AUTO_TEXT struct text t = { 0 };
	char buf[TEXT_QUANTITY];

	if (s->compared)
		add_only_rest(s, &t);
	if (s->compared && s->p->off_in_nsec - s->p->off_rest_nsec > 0)
		text_format(&t, "%s, so not drawn: +%s a call.  ",
			    s->p->causes & CAUSES_OFF ? "On a CPU" : "Not on a CPU",
			    text_duration(buf, s->p->off_in_nsec - s->p->off_rest_nsec));
	if (s->layout.dropped)
		text_format(&t, "%.2f %% is in %s subtrees too narrow to draw.",
			    100.0 * s->layout.dropped_weight / s->total[0],
			    text_count(buf, s->layout.dropped));
	text_format(s->out, "<text id=\"details\" class=\"note\" x=\"%d\" y=\"%g\"> </text>\n",
		    SVG_PAD, bottom + 20);
	add_line(s, "note", bottom + 40, text_string(&t), 200);
}
