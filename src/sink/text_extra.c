#include "sink/text_part.h"

#include "sink/fit.h"
#include "sink/headline.h"
#include "sink/walk.h"
#include "view/compare.h"
#include "view/nest.h"
#include "view/verdict.h"

#include <ctype.h>
#include <math.h>

#define ROWS_MAX 12	/* functions that stand out from noise */
#define NOISE_MAX 3	/* and some that do not, for the eye to compare */
#define TOO_SMALL 0.005 /* of the largest difference: certain, but of no interest */
#define SHARED " *"
#define OWN_CODE "'s own code"
#define DEEP 4		 /* lines within one another */
#define NUMBER_COLUMNS 8 /* each of slow, rest, more */
#define SHARE_COLUMNS 14

_Static_assert(ROWS_MAX + NOISE_MAX <= NEST_MOST, "all rows are looked for in one another");

struct extra_table {
	struct report *r;
	uint32_t rows[ROWS_MAX + NOISE_MAX]; /* indices of functions */
	uint32_t count;
	struct nest nest;
	double unit; /* nanoseconds */
	const char *unit_name;
	int decimals;
	double whole;  /* extra time a call, on a CPU or not; 0 = not known */
	unsigned step; /* columns that a line within another is further in */
	struct part_columns columns;
};

static void table_pick(struct extra_table *t, const struct picture_function *f)
{
	t->rows[t->count++] = f - t->r->p->functions.at;
}

static const struct picture_function *table_row(const struct extra_table *t, uint32_t i)
{
	return &t->r->p->functions.at[t->rows[i]];
}

/* The list is by extra time, so what differs most is at both its ends. */
static void pick_significant(struct extra_table *t)
{
	const struct picture *p = t->r->p;
	uint32_t low = 0, high = p->functions.count;
	double least = 0;

	while (low < high && t->count < ROWS_MAX) {
		const struct picture_function *more = &p->functions.at[low];
		const struct picture_function *less = &p->functions.at[high - 1];
		bool first = fabs(more->extra_nsec) >= fabs(less->extra_nsec);
		const struct picture_function *f = first ? more : less;

		if (first)
			low++;
		else
			high--;
		if (!function_is_significant(p, f))
			continue;
		least = fmax(least, TOO_SMALL * fabs(f->extra_nsec));
		if (fabs(f->extra_nsec) >= least)
			table_pick(t, f);
	}
}

/* The biggest functions that do not differ. */
static void pick_noise(struct extra_table *t)
{
	const struct picture *p = t->r->p;
	double below = INFINITY, least = TOO_SMALL * p->sides[SIDE_IN].mean_nsec;

	for (unsigned n = 0; n < NOISE_MAX; n++) {
		const struct picture_function *best = NULL;

		for (uint32_t i = 0; i < p->functions.count; i++) {
			const struct picture_function *f = &p->functions.at[i];

			if (function_is_significant(p, f) || f->per_call_in_nsec >= below)
				continue;
			if (!best || f->per_call_in_nsec > best->per_call_in_nsec)
				best = f;
		}
		if (!best || best->per_call_in_nsec <= least)
			return;
		below = best->per_call_in_nsec;
		table_pick(t, best);
	}
}

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

	for (uint32_t i = 0; i < t->count; i++)
		most = fmax(most, fmax(table_row(t, i)->per_call_in_nsec,
				       table_row(t, i)->per_call_rest_nsec));
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
	else if (t->whole > 0)
		text_format(out, "%5.0f ± %.0f %%", 100 * d->extra / t->whole,
			    100 * d->error / t->whole);
	fit_style(out, colour, FIT_PLAIN);
	text_add_char(out, '\n');
}

static void add_row(struct extra_table *t, uint32_t row, unsigned indent)
{
	const struct picture_function *f = table_row(t, row);
	struct contrast d = contrast_of_function(f);

	part_name(t->r, &t->columns, indent, walk_name(t->r->p, f->frame),
		  t->nest.shared[row] ? SHARED : "", f->frame);
	add_numbers(t, &d);
}

static void add_rows(struct extra_table *t, uint32_t parent, unsigned indent)
{
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->nest.within[i] != parent)
			continue;
		add_row(t, i, indent);
		add_rows(t, i, indent + t->step);
	}
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
	text_add(out, t->whole > 0 ? "of the\n" : "\n");
	fit_pad(out, out->size, columns);
	text_format(out, "%*s%*s%*s", NUMBER_COLUMNS, headline_side(p), NUMBER_COLUMNS,
		    headline_other(p), NUMBER_COLUMNS, "more");
	text_add(out, t->whole > 0 ? "   extra\n" : "\n");
}

/* What all that is of. */
static void add_whole(struct extra_table *t)
{
	const struct picture_side *sides = t->r->p->sides;

	if (t->whole <= 0)
		return;
	part_name(t->r, &t->columns, 2, "a whole call", "", UINT32_MAX);
	add_number(t, sides[SIDE_IN].mean_nsec, false);
	add_number(t, sides[SIDE_REST].mean_nsec, false);
	add_number(t, t->whole, true);
	text_add(t->r->out, "  100 %\n");
}

static void add_rest_of_it(struct extra_table *t)
{
	const struct picture_span *span = headline_span(t->r->p);
	struct contrast d;
	AUTO_TEXT struct text name = { 0 };

	if (span && compare_itself(t->r->p, &d)) {
		fit_name(&name, picture_text(t->r->p, span->function),
			 t->columns.name + t->columns.place - 2 - strlen(OWN_CODE));
		text_add(&name, OWN_CODE);
		part_name(t->r, &t->columns, 2, text_string(&name), "", UINT32_MAX);
		add_numbers(t, &d);
	}
	if (compare_waiting(t->r->p, &d)) {
		part_name(t->r, &t->columns, 2, picture_unseen(t->r->p), "", UINT32_MAX);
		add_numbers(t, &d);
	}
	add_whole(t);
	for (uint32_t i = 0; i < t->count; i++)
		if (t->nest.shared[i]) {
			text_add(t->r->out, "  (* called in several of these lines, and a "
					    "part of each)\n");
			break;
		}
	if (t->r->p->functions.count > t->count)
		text_format(t->r->out, "  (%u more functions differ less or within noise)\n",
			    t->r->p->functions.count - t->count);
}

static unsigned nest_depth(const struct nest *n)
{
	unsigned most = 0;

	for (uint32_t i = 0; i < n->count; i++) {
		unsigned depth = 0;

		for (uint32_t k = n->within[i]; k != NEST_NONE; k = n->within[k])
			depth++;
		most = depth > most ? depth : most;
	}
	return most;
}

static void measure_rows(struct extra_table *t, uint32_t parent, unsigned indent)
{
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t frame = table_row(t, i)->frame;
		const char *name = walk_name(t->r->p, frame);
		const char *mark = t->nest.shared[i] ? SHARED : "";

		if (t->nest.within[i] != parent)
			continue;
		part_columns_take(&t->columns, indent + fit_natural(name) + strlen(mark),
				  part_place_natural(t->r, frame));
		measure_rows(t, i, indent + t->step);
	}
}

static void table_fit(struct extra_table *t)
{
	unsigned numbers = 3 * NUMBER_COLUMNS + SHARE_COLUMNS + 1;
	const struct picture_span *span = headline_span(t->r->p);

	t->step = nest_depth(&t->nest) > DEEP ? 1 : 2;
	part_columns_take(&t->columns, 2 + strlen("not on a CPU"), 0);
	if (span)
		part_columns_take(&t->columns,
				  2 + strlen(OWN_CODE) +
					  fit_natural(picture_text(t->r->p, span->function)),
				  0);
	measure_rows(t, NEST_NONE, 2);
	part_columns_fit(&t->columns, t->r->columns - numbers);
}

void part_extra(struct report *r)
{
	const struct picture_side *in = &r->p->sides[SIDE_IN], *rest = &r->p->sides[SIDE_REST];
	struct extra_table t = { .r = r };

	if (in->mean_nsec > 0 && rest->mean_nsec > 0)
		t.whole = in->mean_nsec - rest->mean_nsec;
	pick_significant(&t);
	pick_noise(&t);
	nest_make(&t.nest, r->p, t.rows, t.count);
	table_scale(&t);
	table_fit(&t);
	add_heading(&t);
	if (verdict_is_blurred(r->p))
		return;
	add_columns(&t);
	add_rows(&t, NEST_NONE, 2);
	add_rest_of_it(&t);
}
