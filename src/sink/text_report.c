/*
 * text_report - the answer for people, on a terminal.
 *
 * Header with losses, each span with its percentiles and modes, then what the
 * question was: the extra time a call (split), inside against outside (a span
 * alone), or where time goes (neither), and the tree of that side.
 */
#include "sink/sinks.h"

#include "probe/ending.h"
#include "sink/fit.h"
#include "sink/headline.h"
#include "sink/spark.h"
#include "sink/text_part.h"
#include "sink/verdict_text.h"
#include "sink/walk.h"
#include "wire/span_end.h"

#include <stdio.h>

#define COLUMNS_DEFAULT 80
#define COLUMNS_LEAST 76
#define COLUMNS_MOST 140 /* wider is harder to read, not easier */
#define SPARK_COLUMNS 40

static void add_place(struct report *r, text_id file, uint32_t number, unsigned columns)
{
	const char *path = picture_text(r->p, file), *base = strrchr(path, '/');
	char line[16] = "";

	if (number)
		snprintf(line, sizeof(line), ":%u", number);
	fit_style(r->out, r->option->colour, FIT_DIM);
	fit_name(r->out, base ? base + 1 : path, columns - strlen(line));
	text_add(r->out, line);
	fit_style(r->out, r->option->colour, FIT_PLAIN);
}

void part_place(struct report *r, uint32_t frame, unsigned columns)
{
	const struct picture_frame *f = &r->p->frames.at[frame];

	if (f->file)
		add_place(r, f->file, f->line, columns);
	else
		add_place(r, f->image_name, 0, columns);
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
		text_add(r->out, " …");
}

static void add_header(struct report *r)
{
	fit_style(r->out, r->option->colour, FIT_BOLD);
	if (r->option->title)
		text_add_plain(r->out, r->option->title);
	else
		headline_target(r->out, r->p);
	fit_style(r->out, r->option->colour, FIT_PLAIN);
	text_add(r->out, ", ");
	headline_window(r->out, r->p);
	text_add(r->out, ", ");
	headline_losses(r->out, r->p);
	text_add_char(r->out, '\n');
	if (headline_gaps(r->out, r->p))
		text_add_char(r->out, '\n');
}

static void add_span_calls(struct report *r, const struct picture_span *s)
{
	char buf[TEXT_QUANTITY];
	bool any = false;

	text_add_char(r->out, '\n');
	fit_style(r->out, r->option->colour, FIT_BOLD);
	fit_name(r->out, picture_text(r->p, s->function ? s->function : s->place), 48);
	fit_style(r->out, r->option->colour, FIT_PLAIN);
	if (s->file) {
		const char *file = picture_text(r->p, s->file), *base = strrchr(file, '/');

		text_add(r->out, "  ");
		fit_name(r->out, base ? base + 1 : file, 24);
		if (s->line)
			text_format(r->out, ":%u", s->line);
	}
	text_format(r->out, "   %s calls, ", text_count(buf, s->entries));
	text_format(r->out, "%s still open, ended:", text_count(buf, s->open));
	for (unsigned i = 0; i < NR_SPAN_END; i++) {
		if (!s->ended[i])
			continue;
		text_format(r->out, "%s %s %s", any ? "," : "", span_end_words[i].name,
			    text_count(buf, s->ended[i]));
		any = true;
	}
	text_add(r->out, any ? "\n" : " none\n");
}

static void add_span_percentiles(struct report *r, const struct picture_span *s)
{
	const struct {
		const char *name;
		nsec value;
	} points[] = {
		{ "p50", s->p50 }, { "p90", s->p90 },	 { "p95", s->p95 },
		{ "p99", s->p99 }, { "p99.9", s->p999 }, { "max", s->max },
	};
	char buf[TEXT_QUANTITY];

	if (!s->calls)
		return;
	text_add(r->out, " ");
	for (unsigned i = 0; i < COUNT_OF(points); i++)
		text_format(r->out, "%s %s %s", i ? "  " : "", points[i].name,
			    text_duration(buf, points[i].value));
	text_add_char(r->out, '\n');
}

static void add_span_shape(struct report *r, const struct picture_span *s)
{
	static const char *const words[] = { "", "one mode", "two modes", "three modes",
					     "four modes" };
	char buf[TEXT_QUANTITY];
	double modes[SPARK_MODES];
	unsigned count = spark_modes(s, modes);
	size_t from = r->out->size;

	if (!s->buckets.count)
		return;
	text_format(r->out, "  %s ", text_duration(buf, s->buckets.at[0].low));
	spark_line(r->out, s, SPARK_COLUMNS);
	fit_pad(r->out, from, SPARK_COLUMNS + 2);
	text_format(r->out, " %s",
		    text_duration(buf, s->buckets.at[s->buckets.count - 1].high));
	for (unsigned i = 0; i < count; i++) {
		text_format(r->out, i ? ", %s" : "   %s: ",
			    i ? text_duration(buf, modes[i]) : words[count]);
		if (!i)
			text_add(r->out, text_duration(buf, modes[i]));
	}
	text_add_char(r->out, '\n');
}

static void add_span_price(struct report *r, const struct picture_span *s)
{
	char buf[TEXT_QUANTITY];

	if (!s->cost_nsec)
		return;
	text_format(r->out, "  %s, %s a call × %.4g/s = %.2g %% of a core\n",
		    ending_of(s->exit)->phrase, text_duration(buf, s->cost_nsec), s->rate,
		    100 * s->cost_nsec * s->rate / NSEC_PER_SEC);
}

static void add_spans(struct report *r)
{
	for (uint32_t i = 0; i < r->p->spans.count; i++) {
		const struct picture_span *s = &r->p->spans.at[i];

		add_span_calls(r, s);
		add_span_percentiles(r, s);
		headline_unsure(r->out, s);
		headline_probed(r->out, s);
		add_span_shape(r, s);
		add_span_price(r, s);
	}
}

/* Where the samples went, so that nothing is left out silently. */
static void add_sides(struct report *r)
{
	const struct picture_side *s = r->p->sides;
	const char *side = headline_side(r->p);
	char buf[TEXT_QUANTITY];

	if (r->p->compared) {
		text_format(r->out, "Samples: %s now", text_count(buf, s[SIDE_IN].samples));
		text_format(r->out, ", %s before\n", text_count(buf, s[SIDE_REST].samples));
		return;
	}
	text_format(r->out, "Samples: %s in %s calls", text_count(buf, s[SIDE_IN].samples),
		    strcmp(side, "in") ? side : "these");
	text_format(r->out, ", %s in the rest", text_count(buf, s[SIDE_REST].samples));
	text_format(r->out, ", %s in open calls", text_count(buf, s[SIDE_OPEN].samples));
	text_format(r->out, ", %s outside", text_count(buf, s[SIDE_OUT].samples));
	if (s[SIDE_BEFORE].samples)
		text_format(r->out, ", %s before the probe",
			    text_count(buf, s[SIDE_BEFORE].samples));
	text_add_char(r->out, '\n');
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
	char buf[TEXT_QUANTITY];

	if (!s[SIDE_IN].calls || !s[SIDE_REST].calls) {
		text_add(r->out, "Calls ");
		headline_split(r->out, r->p);
		text_format(r->out, ": %s; all others: ", text_count(buf, s[SIDE_IN].calls));
		text_format(r->out, "%s. With one side empty there is nothing to compare.\n",
			    text_count(buf, s[SIDE_REST].calls));
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

static int text_write(const struct picture *p, const struct sink_option *option,
		      struct text *out, struct error *err)
{
	struct report r = { .p = p, .option = option, .out = out };
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
		text_add(out, "\nNo samples: the target did not run on a CPU.\n");
		return 0;
	}
	text_add_char(out, '\n');
	if (compared)
		add_comparison(&r);
	else
		part_top(&r);
	text_add_char(out, '\n');
	part_tree(&r);
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
