/*
 * text_report - the answer for people, on a terminal.
 *
 * Header with losses, each span with its percentiles and modes, then what the
 * question was: the extra time a call (split), inside against outside (a span
 * alone), or where time goes (neither), and the tree of that side.
 */
#include "sink/sinks.h"

#include "base/columns.h"
#include "sink/fit.h"
#include "sink/headline.h"
#include "sink/spark.h"
#include "sink/text_part.h"
#include "sink/verdict_text.h"
#include "sink/walk.h"
#include "view/shape.h"
#include "view/toll.h"
#include "wire/sample_cause.h"
#include "wire/span_end.h"

#include <stdio.h>

#define COLUMNS_DEFAULT 80
#define COLUMNS_LEAST 76
#define COLUMNS_MOST 160 /* wider is harder to read, not easier */
#define SPARK_COLUMNS 40 /* at most, with what it begins at */
#define SPARK_LEAST 16
#define WRAP_INDENT 4

#define PLACE_NATURAL 1000 /* columns: in full */

static void add_place(struct report *r, text_id file, uint32_t number, unsigned columns)
{
	const char *path = picture_text(r->p, file), *base = strrchr(path, '/');
	char line[16] = "";

	if (!*path)
		return;
	if (number)
		snprintf(line, sizeof(line), ":%u", number);
	fit_style(r->out, r->option->colour, FIT_DIM);
	fit_name(r->out, base ? base + 1 : path, columns - strlen(line));
	text_add(r->out, line);
	fit_style(r->out, r->option->colour, FIT_PLAIN);
}

/* "libz.so.1" of libz.so.1.2.13: places take it, and columns are few. */
static void add_image(struct report *r, text_id image, unsigned columns)
{
	const char *path = picture_text(r->p, image), *so = strstr(path, ".so.");
	size_t n = so ? (size_t)(so - path) + 4 + strcspn(so + 4, ".") : strlen(path);
	AUTO_FREE char *brief = mem_text_part(path, n);

	if (!*brief)
		return;
	fit_style(r->out, r->option->colour, FIT_DIM);
	fit_name(r->out, brief, columns);
	fit_style(r->out, r->option->colour, FIT_PLAIN);
}

void part_place(struct report *r, uint32_t frame, unsigned columns)
{
	const struct picture_frame *f = &r->p->frames.at[frame];

	if (f->file)
		add_place(r, f->file, f->line, columns);
	else if (f->image != r->main_image || f->image == UINT32_MAX)
		add_image(r, f->image_name, columns);
}

void part_site(struct report *r, uint32_t node, unsigned columns)
{
	const struct picture_node *n = &r->p->nodes.at[node];

	if (!n->site_line) {
		part_place(r, n->frame, columns);
		return;
	}
	add_place(r, n->site_file, n->site_line, columns - 2 * n->more_sites);
	if (n->more_sites)
		text_add(r->out, " +");
}

static unsigned natural(const struct report *r, uint32_t at,
			void (*part)(struct report *, uint32_t, unsigned))
{
	AUTO_TEXT struct text place = { 0 };
	struct report alone = *r;

	alone.out = &place;
	part(&alone, at, PLACE_NATURAL);
	return columns_of(text_string(&place));
}

unsigned part_place_natural(const struct report *r, uint32_t frame)
{
	return natural(r, frame, part_place);
}

unsigned part_site_natural(const struct report *r, uint32_t node)
{
	return natural(r, node, part_site);
}

void part_columns_take(struct part_columns *c, unsigned name, unsigned place)
{
	unsigned *widest = place ? &c->name : &c->alone;

	*widest = name > *widest ? name : *widest;
	c->place = place > c->place ? place : c->place;
}

void part_columns_fit(struct part_columns *c, unsigned columns)
{
	unsigned both;

	fit_share(columns, &c->name, &c->place);
	both = c->alone < columns ? c->alone : columns;
	if (both > c->name + c->place)
		c->name = both - c->place;
}

void part_name(struct report *r, const struct part_columns *c, unsigned indent,
	       const char *name, uint32_t frame)
{
	unsigned place = frame == UINT32_MAX ? 0 : part_place_natural(r, frame);
	unsigned room = c->name + (place ? 0 : c->place);
	unsigned most = c->name / 2;
	size_t from = r->out->size;

	indent = indent > most ? most : indent;
	text_format(r->out, "%*s", indent, "");
	fit_name(r->out, name, room - indent);
	if (place) {
		fit_pad(r->out, from, c->name + 1);
		part_place(r, frame, c->place);
	}
	fit_pad(r->out, from, c->name + 1 + c->place);
}

void part_words(struct report *r, const struct text *words)
{
	columns_wrap(r->out, text_string(words), r->columns, WRAP_INDENT);
}

static void add_header(struct report *r)
{
	AUTO_TEXT struct text line = { 0 }, gaps = { 0 };

	fit_style(&line, r->option->colour, FIT_BOLD);
	if (r->option->title)
		text_add_plain(&line, r->option->title);
	else
		headline_target(&line, r->p);
	fit_style(&line, r->option->colour, FIT_PLAIN);
	text_add(&line, ", ");
	headline_window(&line, r->p);
	text_add(&line, ", ");
	headline_losses(&line, r->p);
	part_words(r, &line);
	if (headline_gaps(&gaps, r->p))
		part_words(r, &gaps);
}

static void add_span_calls(struct report *r, const struct picture_span *s)
{
	char buf[TEXT_QUANTITY];
	AUTO_TEXT struct text line = { 0 };
	bool any = false;

	text_add_char(r->out, '\n');
	fit_style(&line, r->option->colour, FIT_BOLD);
	fit_name(&line, picture_text(r->p, s->function ? s->function : s->place), 48);
	fit_style(&line, r->option->colour, FIT_PLAIN);
	if (s->file) {
		const char *file = picture_text(r->p, s->file), *base = strrchr(file, '/');

		text_add(&line, "  ");
		fit_name(&line, base ? base + 1 : file, 24);
		if (s->line)
			text_format(&line, ":%u", s->line);
	}
	text_format(&line, "   %s calls, ", text_count(buf, s->entries));
	if (s->removed)
		text_add(&line, "not watched any more, ");
	text_format(&line, "%s still open, ended:", text_count(buf, s->open));
	for (unsigned i = 0; i < NR_SPAN_END; i++) {
		if (!s->ended[i])
			continue;
		text_format(&line, "%s %s %s", any ? "," : "", span_end_words[i].name,
			    text_count(buf, s->ended[i]));
		any = true;
	}
	if (!any)
		text_add(&line, " none");
	if (s->unaccounted)
		text_format(&line, "; %s not accounted for", text_count(buf, s->unaccounted));
	part_words(r, &line);
}

/* "  two kinds of calls, around 942 µs (95 %) and 8.89 ms (5 %)"; of one there is nothing to
 * say. */
static void add_kinds(struct report *r, const struct picture_span *s)
{
	static const char *const words[] = { "", "", "two", "three", "four" };
	struct shape_mode modes[SHAPE_MODES];
	unsigned count = shape_modes(s, modes);
	AUTO_TEXT struct text line = { 0 };
	char buf[TEXT_QUANTITY];

	if (count < 2)
		return;
	text_format(&line, "  %s kinds of calls, around ", words[count]);
	for (unsigned i = 0; i < count; i++)
		text_format(&line, "%s%s (%.*f %%)",
			    !i		     ? ""
			    : i + 1 == count ? " and "
					     : ", ",
			    headline_duration(buf, s, modes[i].nsec), modes[i].share < 0.095,
			    100 * modes[i].share);
	part_words(r, &line);
}

static void add_span_shape(struct report *r, const struct picture_span *s)
{
	AUTO_TEXT struct text behind = { 0 };
	char low[TEXT_QUANTITY], high[TEXT_QUANTITY];
	unsigned beside, columns;
	nsec end;

	if (!s->buckets.count)
		return;
	end = s->buckets.at[s->buckets.count - 1].high;
	headline_duration(low, s, s->buckets.at[0].low);
	text_format(&behind, " %s (log)",
		    text_duration(high, s->max && s->max < end ? s->max : end));
	beside = 3 + columns_of(low) + columns_of(text_string(&behind));
	columns = r->columns > beside + SPARK_LEAST ? r->columns - beside : SPARK_LEAST;
	text_format(r->out, "  %s ", low);
	spark_line(r->out, s, columns < SPARK_COLUMNS ? columns : SPARK_COLUMNS);
	text_add(r->out, text_string(&behind));
	text_add_char(r->out, '\n');
	add_kinds(r, s);
}

static void add_spans(struct report *r)
{
	for (uint32_t i = 0; i < r->p->spans.count; i++) {
		const struct picture_span *s = &r->p->spans.at[i];

		add_span_calls(r, s);
		if (s->calls)
			headline_percentiles(r->out, s);
		headline_untimed(r->out, s);
		headline_unsure(r->out, s);
		headline_probed(r->out, s, toll_kept(&r->p->losses, s->probed_nsec));
		add_span_shape(r, s);
		part_cost(r, s);
	}
	part_cost_of_all(r);
}

/* Where the samples went, so that nothing is left out silently. */
static void add_sides(struct report *r)
{
	const struct picture_side *s = r->p->sides;
	const char *side = headline_side(r->p);
	AUTO_TEXT struct text line = { 0 };
	char buf[TEXT_QUANTITY];

	if (r->p->compared) {
		text_format(&line, "All samples: %s now", text_count(buf, s[SIDE_IN].samples));
		text_format(&line, ", %s before", text_count(buf, s[SIDE_REST].samples));
		part_words(r, &line);
		return;
	}
	text_format(&line, "All samples: %s in %s calls", text_count(buf, s[SIDE_IN].samples),
		    strcmp(side, "in") ? side : "these");
	text_format(&line, ", %s in the rest", text_count(buf, s[SIDE_REST].samples));
	text_format(&line, ", %s in open calls", text_count(buf, s[SIDE_OPEN].samples));
	text_format(&line, ", %s outside", text_count(buf, s[SIDE_OUT].samples));
	if (headline_leaves_out(r->p))
		text_format(&line, " or in the %s calls that are on neither side",
			    text_count(buf, s[SIDE_OUT].calls));
	if (s[SIDE_BEFORE].samples)
		text_format(&line, ", %s before the probe",
			    text_count(buf, s[SIDE_BEFORE].samples));
	part_words(r, &line);
}

static void add_pair_verdict(struct report *r)
{
	for (uint32_t i = 0; i < r->p->functions.count; i++)
		if (function_is_significant(r->p, &r->p->functions.at[i]))
			return; /* the table says it */
	text_add(r->out,
		 "\nNo function differs beyond noise. Record for longer (-d) or more often "
		 "(-F).\n");
}

static void add_comparison(struct report *r)
{
	const struct picture_side *s = r->p->sides;
	AUTO_TEXT struct text line = { 0 };
	char buf[TEXT_QUANTITY];

	if (!s[SIDE_IN].calls || !s[SIDE_REST].calls) {
		text_add(&line, "Calls ");
		headline_split(&line, r->p);
		text_format(&line, ": %s; all others: ", text_count(buf, s[SIDE_IN].calls));
		text_format(&line, "%s. With one side empty there is nothing to compare.",
			    text_count(buf, s[SIDE_REST].calls));
		part_words(r, &line);
		add_sides(r);
		return;
	}
	part_extra(r);
	add_sides(r);
	if (r->p->compared) {
		add_pair_verdict(r);
		return;
	}
	text_add_char(r->out, '\n');
	verdict_print(r->out, r->p, r->columns);
}

/* "fn_64da0" is not what everybody has seen before. */
static void explain_nameless(struct report *r)
{
	AUTO_TEXT struct text line = { 0 };

	for (const char *at = text_string(r->out); (at = strstr(at, "fn_")); at += 3) {
		size_t hex = strspn(at + 3, "0123456789abcdef");

		if (!hex || !strchr(" ,.'\n", at[3 + hex]))
			continue;
		text_format(
			&line,
			"%.*s: a function at 0x%.*s of a stripped file; it has a name once the "
			"file's debug symbols are installed.",
			(int)hex + 3, at, (int)hex, at + 3);
		text_add_char(r->out, '\n');
		part_words(r, &line);
		return;
	}
}

static int text_write(const struct picture *p, const struct sink_option *option,
		      struct text *out, struct error *err)
{
	struct report r = {
		.p = p, .option = option, .out = out, .main_image = picture_main_image(p)
	};
	unsigned columns = option->columns ? option->columns : COLUMNS_DEFAULT;
	bool compared = option->side == WRITE_DIFF;

	r.columns = columns < COLUMNS_LEAST  ? COLUMNS_LEAST
		    : columns > COLUMNS_MOST ? COLUMNS_MOST
					     : columns;
	r.sides = compared ? SIDE_BIT(SIDE_IN) : sink_side_mask(option->side);
	if (headline_span(p) && !p->split_expr && option->side == WRITE_ALL)
		r.sides = SIDE_BIT(SIDE_IN);
	if (compared && verdict_is_blurred(p))
		r.sides = SIDE_BIT(SIDE_IN) | SIDE_BIT(SIDE_REST);
	add_header(&r);
	add_spans(&r);
	if (!p->samples) {
		text_format(out, "\nNo samples: no thread of the target %s.\n",
			    !(p->causes & CAUSES_OFF)		     ? "ran on a CPU"
			    : (p->causes & CAUSES_OFF) != CAUSES_OFF ? "was seen so (-e)"
			    : !(p->causes & CAUSES_ON)		     ? "waited"
								     : "ran or waited");
		return 0;
	}
	text_add_char(out, '\n');
	if (compared)
		add_comparison(&r);
	else
		part_top(&r);
	if (headline_span(p) && !p->split_expr && !p->compared) {
		text_add_char(out, '\n');
		verdict_print_first(out, p, r.columns);
	}
	text_add_char(out, '\n');
	part_tree(&r);
	explain_nameless(&r);
	return 0;
}

const struct sink sink_text = {
	.name = "text",
	.suffix = ".txt",
	.help = "the report for people",
	.fold = FOLD_FUNCTION,
	.side = WRITE_DIFF,
	.write = text_write,
};
