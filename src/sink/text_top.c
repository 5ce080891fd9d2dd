#include "sink/text_part.h"

#include "sink/fit.h"
#include "sink/headline.h"
#include "sink/walk.h"
#include "wire/sample_cause.h"

#define ROWS_MAX 12
#define NUMBER_COLUMNS 9

struct top {
	struct report *r;
	uint64_t *self, *total, *outside;
	uint64_t whole, whole_outside;
	bool compared; /* outside is worth a column */
	struct part_columns columns;
	uint32_t *rows; /* frames with time of their own, the longest first */
	uint32_t count;
};

static int self_order(const void *left, const void *right, void *table)
{
	const struct top *t = table;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (t->self[a] != t->self[b])
		return t->self[a] < t->self[b] ? 1 : -1;
	if (t->total[a] != t->total[b])
		return t->total[a] < t->total[b] ? 1 : -1;
	return (a > b) - (a < b);
}

static void add_share(struct top *t, uint64_t part, uint64_t whole)
{
	if (!part)
		text_format(t->r->out, "%*s", NUMBER_COLUMNS, "–");
	else
		text_format(t->r->out, "%*.1f %%", NUMBER_COLUMNS - 2, 100.0 * part / whole);
}

static void add_row(struct top *t, uint32_t frame)
{
	struct text *out = t->r->out;

	part_name(t->r, &t->columns, 2, walk_name(t->r->p, frame), frame);
	add_share(t, t->self[frame], t->whole);
	add_share(t, t->total[frame], t->whole);
	if (t->compared)
		add_share(t, t->outside[frame], t->whole_outside);
	text_add_char(out, '\n');
}

static void find_rows(struct top *t)
{
	for (uint32_t i = 0; i < t->r->p->frames.count; i++)
		if (t->self[i])
			t->rows[t->count++] = i;
	qsort_r(t->rows, t->count, sizeof(*t->rows), self_order, t);
}

static void fit_rows(struct top *t)
{
	unsigned numbers = (2 + t->compared) * NUMBER_COLUMNS + 1;

	part_columns_take(&t->columns,
			  strlen("Functions by their own ") + strlen(picture_time(t->r->p)), 0);
	for (uint32_t i = 0; i < t->count && i < ROWS_MAX; i++)
		part_columns_take(&t->columns, 2 + fit_natural(walk_name(t->r->p, t->rows[i])),
				  part_place_natural(t->r, t->rows[i]));
	part_columns_fit(&t->columns, t->r->columns - numbers);
}

static void add_rows(struct top *t)
{
	char buf[TEXT_QUANTITY];

	for (uint32_t i = 0; i < t->count && i < ROWS_MAX; i++)
		add_row(t, t->rows[i]);
	if (t->count > ROWS_MAX)
		text_format(t->r->out, "  (%u more functions)\n", t->count - ROWS_MAX);
	if (t->compared)
		text_format(t->r->out, "  (outside: of the %s samples that are in no call)\n",
			    text_count(buf, t->r->p->sides[SIDE_OUT].samples));
}

static const char *of_what(const struct picture *p)
{
	const char *unseen = picture_unseen(p);

	return !unseen ? "" : p->causes & CAUSES_OFF ? " off the CPU" : " of CPU";
}

static void add_heading(struct top *t)
{
	const struct picture *p = t->r->p;
	const struct picture_span *span = headline_span(p);
	struct text *out = t->r->out;
	char buf[2][TEXT_QUANTITY];
	uint64_t samples = 0;
	size_t from;

	for (unsigned i = 0; i < NR_SIDE; i++)
		if (t->r->sides & SIDE_BIT(i))
			samples += p->sides[i].samples;
	from = out->size;
	if (t->compared) {
		AUTO_TEXT struct text line = { 0 };

		text_add(&line, "Inside ");
		fit_name(&line, picture_text(p, span->function), 40);
		text_format(&line, ": %s of %s samples (%.1f %%)", text_count(buf[0], samples),
			    text_count(buf[1], p->samples),
			    p->samples ? 100.0 * samples / p->samples : 0);
		if (p->sides[SIDE_IN].calls)
			text_format(&line, ", %s%s a call",
				    text_duration(buf[0],
						  (double)t->whole / p->sides[SIDE_IN].calls),
				    of_what(p));
		part_words(t->r, &line);
		from = out->size;
	} else {
		text_format(out, "Functions by their own %s", picture_time(p));
	}
	fit_pad(out, from, t->columns.name + 1 + t->columns.place);
	text_format(out, "%*s%*s", NUMBER_COLUMNS, "self", NUMBER_COLUMNS, "total");
	if (t->compared)
		text_format(out, "%*s", NUMBER_COLUMNS, "outside");
	text_add_char(out, '\n');
}

static uint64_t whole(const struct picture *p, unsigned sides)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->nodes.count; i++)
		sum += walk_self(&p->nodes.at[i], sides, true);
	return sum;
}

void part_top(struct report *r)
{
	const struct picture *p = r->p;
	size_t size = p->frames.count + 1;
	AUTO_FREE uint64_t *self = mem_zeroed(size, sizeof(*self));
	AUTO_FREE uint64_t *total = mem_zeroed(size, sizeof(*total));
	AUTO_FREE uint64_t *outside = mem_zeroed(size, sizeof(*outside));
	AUTO_FREE uint64_t *unused = mem_zeroed(size, sizeof(*unused));
	AUTO_FREE uint32_t *rows = mem_zeroed(size, sizeof(*rows));
	struct top t = {
		.r = r, .self = self, .total = total, .outside = outside, .rows = rows
	};

	t.compared = headline_span(p) && !p->split_expr && r->sides == SIDE_BIT(SIDE_IN);
	t.whole = whole(p, r->sides);
	t.whole_outside = whole(p, SIDE_BIT(SIDE_OUT));
	walk_frames(p, r->sides, true, self, total);
	walk_frames(p, SIDE_BIT(SIDE_OUT), true, unused, outside);
	find_rows(&t);
	fit_rows(&t);
	add_heading(&t);
	add_rows(&t);
}
