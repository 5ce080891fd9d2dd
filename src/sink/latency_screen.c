#include "sink/latency_screen.h"

#include "base/columns.h"
#include "sink/fit.h"
#include "sink/headline.h"
#include "wire/span_end.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#define ROWS_MOST 96
#define EMPTY_MOST 2 /* rows one after the other that are drawn; more are one line */
#define LABEL_COLUMNS 14
#define COUNT_COLUMNS 11
#define BAR_LEAST 10
#define BAR_MOST 60
#define BAR_STEPS 8 /* eighths of a column */

struct row {
	nsec low, high;
	double count;
};

/* Lower bounds: 1, 1.5, 2, 3, 4, 6, 8, ...: where a fine one would be too much, only the
 * octaves, or every 2nd, 4th, ... of them. */
static nsec row_low(unsigned row, unsigned merged)
{
	unsigned half = row * merged;
	nsec octave = half / 2 < 63 ? 1ull << (half / 2) : 1ull << 63;

	return half % 2 ? octave + octave / 2 : octave;
}

/* Spreads the buckets over rows, each of so many half octaves: from the first row with
 * calls to the last.  What cannot be told from none is in one row with its neighbours. */
static unsigned make_rows(const struct picture_span *span, unsigned merged,
			  struct row rows[ROWS_MOST])
{
	unsigned first = ROWS_MOST, last = 0;
	double shortest = picture_shortest(span);

	for (unsigned r = 0; r < ROWS_MOST; r++) {
		rows[r] = (struct row){ row_low(r, merged), row_low(r + 1, merged), 0 };
		if (!r || rows[r].low <= shortest)
			rows[r].low = 0;
	}
	for (uint32_t b = 0; b < span->buckets.count; b++) {
		const struct picture_bucket *bucket = &span->buckets.at[b];
		nsec middle = bucket->low + (bucket->high - bucket->low) / 2;
		unsigned r = 0;

		while (r + 1 < ROWS_MOST &&
		       (middle >= rows[r].high || rows[r].high <= shortest))
			r++;
		rows[r].count += bucket->count;
		first = r < first ? r : first;
		last = r > last ? r : last;
	}
	if (first > last)
		return 0;
	memmove(rows, rows + first, (last - first + 1) * sizeof(*rows));
	return last - first + 1;
}

/* Rows from r on that are empty. */
static unsigned empty_run(const struct row *rows, unsigned n, unsigned r)
{
	unsigned i = r;

	while (i < n && rows[i].count < 0.5)
		i++;
	return i - r;
}

static unsigned lines_of(const struct row *rows, unsigned n)
{
	unsigned lines = 0;

	for (unsigned r = 0; r < n;) {
		unsigned run = empty_run(rows, n, r);

		lines += run > EMPTY_MOST ? 1 : run ? run : 1;
		r += run ? run : 1;
	}
	return lines;
}

static int decimals_of(double value, const char *unit)
{
	return value >= 99.95 || unit[0] == 'n' ? 0 : value >= 9.995 ? 1 : 2;
}

/* "524–786 µs", "1.05–1.57 ms" (both in the unit of the lower one), "<512 ns". */
static void add_label(const struct row *row, struct text *to)
{
	static const struct {
		nsec size;
		const char *name;
	} units[] = { { NSEC_PER_SEC, "s" }, { NSEC_PER_MSEC, "ms" }, { NSEC_PER_USEC, "µs" } };
	AUTO_TEXT struct text label = { 0 };
	char buf[TEXT_QUANTITY];
	double low = row->low, high = row->high;
	const char *unit = "ns";
	unsigned columns;

	for (unsigned i = 0; i < COUNT_OF(units); i++)
		if (row->low >= units[i].size) {
			low /= units[i].size;
			high /= units[i].size;
			unit = units[i].name;
			break;
		}
	if (row->low)
		text_format(&label, "%.*f–%.*f %s", decimals_of(low, unit), low,
			    decimals_of(high, unit), high, unit);
	else
		text_format(&label, "<%s", text_duration(buf, row->high));
	columns = columns_of(text_string(&label));
	text_format(to, "%*s%s", columns < LABEL_COLUMNS ? (int)(LABEL_COLUMNS - columns) : 0,
		    "", text_string(&label));
}

static void draw_bar(double share, unsigned width, struct text *to)
{
	static const char *const parts[BAR_STEPS] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned steps = share * width * BAR_STEPS + 0.5, i;

	if (share > 0 && !steps)
		steps = 1;
	for (i = 0; i < steps / BAR_STEPS; i++)
		text_add(to, "█");
	text_add(to, parts[steps % BAR_STEPS]);
	for (i += steps % BAR_STEPS > 0; i < width; i++)
		text_add_char(to, ' ');
}

static void mark_quantiles(const struct row *row, const struct picture_span *span,
			   struct text *to)
{
	const struct {
		const char *name;
		nsec at;
	} marks[] = {
		{ "p50", span->p50 }, { "p90", span->p90 },    { "p95", span->p95 },
		{ "p99", span->p99 }, { "p99.9", span->p999 },
	};
	bool any = false;

	for (unsigned i = 0; i < COUNT_OF(marks); i++) {
		if (marks[i].at < row->low || marks[i].at >= row->high)
			continue;
		text_format(to, "%s%s", any ? ", " : " ← ", marks[i].name);
		any = true;
	}
}

static void draw_headline(const struct picture *p, const struct picture_span *span,
			  const struct latency_now *now, unsigned columns, struct text *to)
{
	char a[TEXT_QUANTITY], b[TEXT_QUANTITY], c[TEXT_QUANTITY], d[TEXT_QUANTITY];
	AUTO_TEXT struct text line = { 0 };
	bool any = false;

	fit_name(&line, picture_text(p, span->function), columns > 60 ? columns - 20 : 40);
	if (span->file) {
		const char *file = picture_text(p, span->file), *slash = strrchr(file, '/');

		text_add(&line, "  ");
		text_add_plain(&line, slash ? slash + 1 : file);
		text_format(&line, ":%u", span->line);
	}
	text_format(&line, "   %s calls, %s/s", text_count(a, span->entries),
		    text_count(b, now->rate + 0.5));
	if (now->p50)
		text_format(&line, "   now: p50 %s  p95 %s  p99 %s", text_duration(a, now->p50),
			    text_duration(b, now->p95), text_duration(c, now->p99));
	if (span->open)
		text_format(&line, "   open %s", text_count(d, span->open));
	columns_wrap(to, text_string(&line), columns, 2);
	for (unsigned r = 1; r < NR_SPAN_END; r++) {
		if (!span->ended[r])
			continue;
		text_format(to, any ? ", %s %s" : "  ended otherwise: %s %s",
			    span_end_words[r].name, text_count(a, span->ended[r]));
		any = true;
	}
	if (any)
		text_add_char(to, '\n');
}

static void draw_rows(const struct row *rows, unsigned n, const struct picture_span *span,
		      unsigned width, struct text *to)
{
	char count[TEXT_QUANTITY];
	double most = 1;

	for (unsigned r = 0; r < n; r++)
		most = rows[r].count > most ? rows[r].count : most;
	for (unsigned r = 0; r < n; r++) {
		unsigned run = empty_run(rows, n, r);

		if (run > EMPTY_MOST) {
			text_format(to, "  %*s ┊\n", LABEL_COLUMNS, "");
			r += run - 1;
			continue;
		}
		text_add(to, "  ");
		add_label(&rows[r], to);
		text_add(to, " │");
		draw_bar(rows[r].count / most, width, to);
		text_format(to, "%*s", COUNT_COLUMNS, text_count(count, rows[r].count));
		mark_quantiles(&rows[r], span, to);
		text_add_char(to, '\n');
	}
}

static unsigned bar_width(unsigned columns)
{
	unsigned beside = 2 + LABEL_COLUMNS + 2 + COUNT_COLUMNS + strlen(" <- p99, p99.9");

	return columns < beside + BAR_LEAST  ? BAR_LEAST
	       : columns > beside + BAR_MOST ? BAR_MOST
					     : columns - beside;
}

void latency_draw(const struct picture *p, const struct picture_span *span,
		  const struct latency_now *now, unsigned columns, unsigned lines,
		  struct text *to)
{
	AUTO_TEXT struct text head = { 0 };
	struct row rows[ROWS_MOST];
	unsigned n, merged = 1, used = 0;

	draw_headline(p, span, now, columns, &head);
	if (span->buckets.count) {
		headline_percentiles(&head, span);
		headline_untimed(&head, span);
		headline_unsure(&head, span);
		headline_probed(&head, span, 0);
	} else {
		text_add(&head,
			 span->entries ? "  no call has ended yet\n" : "  no call was seen\n");
	}
	text_add(to, text_string(&head));
	for (const char *at = text_string(&head); *at; at++)
		used += *at == '\n';
	n = make_rows(span, merged, rows);
	while (lines && merged < 32 && used + lines_of(rows, n) > lines) {
		merged *= 2;
		n = make_rows(span, merged, rows);
	}
	draw_rows(rows, n, span, bar_width(columns), to);
}

static json_t *histogram_json(const struct picture_span *span)
{
	json_t *all = json_array();

	for (uint32_t b = 0; b < span->buckets.count; b++) {
		const struct picture_bucket *k = &span->buckets.at[b];

		json_array_append_new(all,
				      json_pack("[I,I,I]", (json_int_t)k->low,
						(json_int_t)k->high, (json_int_t)k->count));
	}
	return all;
}

static json_t *ended_json(const struct picture_span *span)
{
	json_t *ended = json_object();

	for (unsigned r = 0; r < NR_SPAN_END; r++) {
		if (span->ended[r] || r == END_RETURN)
			json_object_set_new(ended, span_end_words[r].name,
					    json_integer(span->ended[r]));
	}
	return ended;
}

void latency_json(const struct picture *p, const struct picture_span *span,
		  const struct latency_now *now, bool final, struct text *to)
{
	AUTO_TEXT struct text place = { 0 };
	AUTO_FREE char *line = NULL;
	json_t *o;

	text_add_plain(&place, picture_text(p, span->place));
	o = json_pack(
		"{s:s, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:{s:I, s:I, s:I}}",
		"place", text_string(&place), "calls", (json_int_t)span->entries, "entries",
		(json_int_t)span->entries, "returned", (json_int_t)span->calls, "open",
		(json_int_t)span->open, "rate", now->rate, "p50_ns", (json_int_t)span->p50,
		"p90_ns", (json_int_t)span->p90, "p95_ns", (json_int_t)span->p95, "p99_ns",
		(json_int_t)span->p99, "p999_ns", (json_int_t)span->p999, "max_ns",
		(json_int_t)span->max, "histogram", histogram_json(span), "ended",
		ended_json(span), "now", "p50_ns", (json_int_t)now->p50, "p95_ns",
		(json_int_t)now->p95, "p99_ns", (json_int_t)now->p99);
	if (!o)
		return;
	if (final)
		json_object_set_new(o, "unaccounted", json_integer(span->unaccounted));
	if (span->unsure_nsec > 0)
		json_object_set_new(o, "unsure_ns", json_real(span->unsure_nsec));
	if (span->probed_nsec > 0)
		json_object_set_new(o, "probed_ns", json_real(span->probed_nsec));
	if (p->losses.children) {
		json_object_set_new(o, "children", json_integer(p->losses.children));
		json_object_set_new(o, "children_unwatched",
				    json_integer(p->losses.children_unwatched));
		json_object_set_new(o, "children_latest_ns",
				    json_integer(p->losses.children_latest));
	}
	if (p->losses.programs) {
		json_object_set_new(o, "programs", json_integer(p->losses.programs));
		json_object_set_new(o, "programs_latest_ns",
				    json_integer(p->losses.programs_latest));
	}
	if (final)
		json_object_set_new(o, "final", json_true());
	line = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(o);
	if (line)
		text_add(to, line);
	text_add_char(to, '\n');
}
