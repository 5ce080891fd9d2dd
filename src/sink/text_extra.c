#include "sink/text_part.h"

#include "base/columns.h"
#include "sink/extra_rows.h"
#include "sink/fit.h"
#include "sink/headline.h"
#include "sink/walk.h"
#include "view/compare.h"
#include "view/verdict.h"

#include <ctype.h>
#include <math.h>

#define OWN_CODE "'s own code"
#define DEEP 4		 /* lines within one another */
#define NUMBER_COLUMNS 8 /* each of slow, rest, more */
#define SHARE_COLUMNS 14

struct extra_table {
	struct report *r;
	struct extra_rows rows;
	double unit; /* nanoseconds */
	const char *unit_name;
	int decimals;
	double whole;  /* extra time a call, on a CPU or not; 0 = not known */
	unsigned step; /* columns that a line within another is further in */
	struct part_columns columns;
};

/* The largest unit that shows a hundredth of the largest with two digits. */
static void table_scale(struct extra_table *t)
{
	static const struct {
		double size;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" }, { 1, "ns" } };
	double most =
		fmax(fmax(fabs(t->r->p->off_in_nsec), t->r->p->sides[SIDE_IN].mean_nsec), 1);
	double in_units;
	unsigned u = 0;

	for (uint32_t i = 0; i < t->rows.count; i++)
		most = fmax(most, fmax(extra_row(&t->rows, i)->per_call_in_nsec,
				       extra_row(&t->rows, i)->per_call_rest_nsec));
	while (u + 1 < COUNT_OF(units) && most < 9.995 * units[u].size)
		u++;
	t->unit = units[u].size;
	t->unit_name = units[u].name;
	in_units = most / t->unit;
	t->decimals = in_units >= 999.5 || u + 1 == COUNT_OF(units) ? 0
		      : in_units >= 99.95			    ? 1
								    : 2;
}

/* Right-aligned; what rounds to nothing has no sign. */
static void add_number(struct extra_table *t, double nsec, bool with_sign)
{
	double v = nsec / t->unit;

	if (fabs(v) < 0.5 * pow(10, -t->decimals))
		text_format(t->r->out, "%*.*f", NUMBER_COLUMNS, t->decimals, 0.0);
	else
		text_format(t->r->out, with_sign ? "%+*.*f" : "%*.*f", NUMBER_COLUMNS,
			    t->decimals, v);
}

/* Of what a whole call takes more, or less; percent, and never -0. */
static double share(const struct extra_table *t, double extra)
{
	double percent = 100 * extra / t->whole;

	return fabs(percent) < 0.5 ? 0 : percent;
}

static void add_numbers(struct extra_table *t, const struct contrast *d)
{
	struct text *out = t->r->out;
	bool noise = contrast_is_noise(t->r->p, d), colour = t->r->option->colour;
	enum fit_style style = noise ? FIT_DIM : d->extra > 0 ? FIT_MORE : FIT_LESS;

	add_number(t, fmax(d->in, 0), false);
	add_number(t, fmax(d->rest, 0), false);
	fit_style(out, colour, style);
	add_number(t, d->extra, true);
	if (noise)
		text_add(out, "   within noise");
	else if (t->whole != 0)
		text_format(out, "%5.0f ± %.0f %%", share(t, d->extra),
			    100 * d->error / fabs(t->whole));
	fit_style(out, colour, FIT_PLAIN);
	text_add_char(out, '\n');
}

static void add_row(struct extra_table *t, uint32_t row, unsigned indent)
{
	const struct picture_function *f = extra_row(&t->rows, row);
	struct contrast d = contrast_of_function(f);

	part_name(t->r, &t->columns, indent, walk_name(t->r->p, f->frame), f->frame);
	add_numbers(t, &d);
}

/* "› a › b › 3 more › m › 1 more › z": the first of the chain, those the verdict names, and the
 * last; a name in so many columns. */
static void chain_names(const struct extra_table *t, struct text *out, uint32_t row,
			uint32_t names, unsigned columns)
{
	unsigned left_out = 0;

	for (uint32_t n = 1; row != NEST_NONE; row = t->rows.next[row], n++) {
		if (n >= names && !t->rows.said[row] && t->rows.next[row] != NEST_NONE) {
			left_out++;
			continue;
		}
		if (left_out)
			text_format(out, "› %u more ", left_out);
		left_out = 0;
		text_add(out, "› ");
		fit_name(out, walk_name(t->r->p, extra_row(&t->rows, row)->frame), columns);
		text_add_char(out, ' ');
	}
	text_cut(out, out->size - 1);
}

/* Those that share the line, on one more. */
static void add_chain(struct extra_table *t, uint32_t row, unsigned indent)
{
	unsigned most = t->columns.name / 2, columns;
	AUTO_TEXT struct text line = { 0 };
	uint32_t length = 0, names;

	for (uint32_t i = row; i != NEST_NONE; i = t->rows.next[i])
		length++;
	if (!length)
		return;
	indent = indent > most ? most : indent;
	columns = t->r->columns - indent;
	for (names = length; names; names--) {
		text_cut(&line, 0);
		chain_names(t, &line, row, names,
			    names > 1 ? columns - 16 : (columns - 32) / 2);
		if (columns_of(text_string(&line)) <= columns)
			break;
	}
	text_format(t->r->out, "%*s%s\n", indent, "", text_string(&line));
}

static void add_rows(struct extra_table *t, uint32_t parent, unsigned indent);

static void add_line(struct extra_table *t, uint32_t row, unsigned indent)
{
	add_row(t, row, indent);
	add_chain(t, t->rows.next[row], indent + 2);
	for (; row != NEST_NONE; row = t->rows.next[row])
		add_rows(t, row, indent + t->step);
}

static void add_rows(struct extra_table *t, uint32_t parent, unsigned indent)
{
	for (uint32_t i = 0; i < t->rows.count; i++)
		if (extra_rows_below(&t->rows, i, parent))
			add_line(t, i, indent);
}

/* Two recordings: what a function took in each, a second of recording. */
static void add_pair_heading(struct extra_table *t)
{
	AUTO_TEXT struct text line = { 0 };

	text_add(&line, picture_time(t->r->p));
	line.bytes[0] = toupper(line.bytes[0]);
	text_format(t->r->out, "%s a second of recording, now against before\n",
		    text_string(&line));
}

static void add_calls_heading(struct extra_table *t)
{
	const struct picture *p = t->r->p;
	const struct picture_side *in = &p->sides[SIDE_IN], *rest = &p->sides[SIDE_REST];
	AUTO_TEXT struct text line = { 0 };
	struct text *out = &line;
	char buf[TEXT_QUANTITY];

	text_add(out, "Calls ");
	headline_split(out, p);
	text_format(out, ": %s%s calls", in->calls_exact ? "" : "about ",
		    text_count(buf, in->calls));
	if (in->mean_nsec > 0)
		text_format(out, " of %s on average", text_duration(buf, in->mean_nsec));
	if (rest->mean_nsec > 0)
		text_format(out, ", the rest %s", text_duration(buf, rest->mean_nsec));
	if (t->whole != 0)
		text_format(out, ": %s%s a call", t->whole > 0 ? "+" : "",
			    text_duration(buf, t->whole));
	part_words(t->r, out);
}

static void add_heading(struct extra_table *t)
{
	if (t->r->p->compared)
		add_pair_heading(t);
	else
		add_calls_heading(t);
}

static void add_columns(struct extra_table *t)
{
	const struct picture *p = t->r->p;
	struct text *out = t->r->out;
	unsigned columns = t->columns.name + 1 + t->columns.place;
	size_t from = out->size;

	fit_pad(out, from, columns + NUMBER_COLUMNS);
	text_format(out, "%6s a %s", t->unit_name, p->compared ? "second" : "call");
	fit_pad(out, from, columns + 3 * NUMBER_COLUMNS + 3);
	text_add(out, t->whole != 0 ? "of the\n" : "\n");
	fit_pad(out, out->size, columns);
	text_format(out, "%*s%*s%*s", NUMBER_COLUMNS, headline_side(p), NUMBER_COLUMNS,
		    headline_other(p), NUMBER_COLUMNS, "more");
	text_add(out, t->whole > 0 ? "   extra\n" : t->whole < 0 ? "    less\n" : "\n");
}

/* What a mean duration has more, or less, than all that was sampled and what is shown as not
 * sampled: samples are chance. */
static void add_chance(struct extra_table *t)
{
	const struct picture_side *sides = t->r->p->sides;
	struct contrast cpu, waiting = { 0 };
	double in, rest;

	if (t->whole == 0 || !compare_cpu(t->r->p, &cpu))
		return;
	(void)compare_waiting(t->r->p, &waiting);
	in = sides[SIDE_IN].mean_nsec - cpu.in - fmax(waiting.in, 0);
	rest = sides[SIDE_REST].mean_nsec - cpu.rest - fmax(waiting.rest, 0);
	if (fmax(fabs(in), fabs(rest)) / t->unit < 0.5 * pow(10, -t->decimals))
		return;
	part_name(t->r, &t->columns, 2, "by chance of samples", UINT32_MAX);
	add_number(t, in, true);
	add_number(t, rest, true);
	add_number(t, in - rest, true);
	text_format(t->r->out, "%5.0f %%\n", share(t, in - rest));
}

/* What all that is of. */
static void add_whole(struct extra_table *t)
{
	const struct picture_side *sides = t->r->p->sides;

	if (t->whole == 0)
		return;
	part_name(t->r, &t->columns, 2, "a whole call", UINT32_MAX);
	add_number(t, sides[SIDE_IN].mean_nsec, false);
	add_number(t, sides[SIDE_REST].mean_nsec, false);
	add_number(t, t->whole, true);
	text_add(t->r->out, "  100 %\n");
}

/* What the lines that are in no other do not have, nor the span's own code: with it they add
 * up. */
static void add_others(struct extra_table *t, const struct contrast *own)
{
	struct contrast all, others;

	if (!compare_cpu(t->r->p, &all))
		return;
	others = (struct contrast){ .in = all.in - own->in, .rest = all.rest - own->rest };
	for (uint32_t i = 0; i < t->rows.count; i++) {
		struct contrast d = contrast_of_function(extra_row(&t->rows, i));

		if (t->rows.nest.within[i] != NEST_NONE || t->rows.nest.shared[i])
			continue;
		others.in -= d.in;
		others.rest -= d.rest;
	}
	if (fmax(fabs(others.in), fabs(others.rest)) / t->unit < 0.5 * pow(10, -t->decimals))
		return;
	part_name(t->r, &t->columns, 2, "all other functions", UINT32_MAX);
	add_number(t, fmax(others.in, 0), false);
	add_number(t, fmax(others.rest, 0), false);
	add_number(t, others.in - others.rest, true);
	if (t->whole != 0)
		text_format(t->r->out, "%5.0f %%", share(t, others.in - others.rest));
	text_add_char(t->r->out, '\n');
}

static void add_apart(struct extra_table *t)
{
	bool any = false;

	for (uint32_t i = 0; i < t->rows.count; i++) {
		if (!extra_rows_apart(&t->rows, i))
			continue;
		if (!any)
			text_add(t->r->out,
				 "  called in several of these lines, a part of each:\n");
		any = true;
		add_line(t, i, 4);
	}
}

static void add_rest_of_it(struct extra_table *t)
{
	const struct picture_span *span = headline_span(t->r->p);
	struct contrast d;
	AUTO_TEXT struct text name = { 0 };
	bool has_own = compare_itself(t->r->p, &d);

	if (!has_own)
		d = (struct contrast){ 0 };
	if (t->r->p->functions.count > t->rows.count)
		add_others(t, &d);
	if (span && has_own) {
		fit_name(&name, picture_text(t->r->p, span->function),
			 t->columns.name + t->columns.place - 2 - strlen(OWN_CODE));
		text_add(&name, OWN_CODE);
		part_name(t->r, &t->columns, 2, text_string(&name), UINT32_MAX);
		add_numbers(t, &d);
	}
	if (compare_waiting(t->r->p, &d)) {
		d.extra = fmax(d.in, 0) - fmax(d.rest, 0); /* as it is shown */
		part_name(t->r, &t->columns, 2, picture_unseen(t->r->p), UINT32_MAX);
		add_numbers(t, &d);
	}
	add_chance(t);
	add_whole(t);
	add_apart(t);
	if (t->r->p->functions.count > t->rows.count)
		text_format(t->r->out, "  (%u more functions differ less or within noise)\n",
			    t->r->p->functions.count - t->rows.count);
	text_add(t->r->out, "  (±: 95 % interval; within noise: chance alone makes as much)\n");
}

static void measure_rows(struct extra_table *t, uint32_t parent, unsigned indent);

static void measure_line(struct extra_table *t, uint32_t row, unsigned indent)
{
	uint32_t frame = extra_row(&t->rows, row)->frame;
	const char *name = walk_name(t->r->p, frame);

	part_columns_take(&t->columns, indent + fit_natural(name),
			  part_place_natural(t->r, frame));
	for (; row != NEST_NONE; row = t->rows.next[row])
		measure_rows(t, row, indent + t->step);
}

static void measure_rows(struct extra_table *t, uint32_t parent, unsigned indent)
{
	for (uint32_t i = 0; i < t->rows.count; i++)
		if (extra_rows_below(&t->rows, i, parent))
			measure_line(t, i, indent);
}

static void table_fit(struct extra_table *t)
{
	unsigned numbers = 3 * NUMBER_COLUMNS + SHARE_COLUMNS + 1;
	const struct picture_span *span = headline_span(t->r->p);

	t->step = extra_rows_depth(&t->rows) > DEEP ? 1 : 2;
	part_columns_take(&t->columns, 2 + strlen("not on a CPU"), 0);
	if (span)
		part_columns_take(&t->columns,
				  2 + strlen(OWN_CODE) +
					  fit_natural(picture_text(t->r->p, span->function)),
				  0);
	measure_rows(t, NEST_NONE, 2);
	for (uint32_t i = 0; i < t->rows.count; i++)
		if (extra_rows_apart(&t->rows, i))
			measure_line(t, i, 4);
	part_columns_fit(&t->columns, t->r->columns - numbers);
}

void part_extra(struct report *r)
{
	const struct picture_side *in = &r->p->sides[SIDE_IN], *rest = &r->p->sides[SIDE_REST];
	struct extra_table t = { .r = r };

	if (in->mean_nsec > 0 && rest->mean_nsec > 0)
		t.whole = in->mean_nsec - rest->mean_nsec;
	extra_rows_make(&t.rows, r->p);
	table_scale(&t);
	table_fit(&t);
	add_heading(&t);
	if (verdict_is_blurred(r->p))
		return;
	add_columns(&t);
	add_rows(&t, NEST_NONE, 2);
	add_rest_of_it(&t);
}
