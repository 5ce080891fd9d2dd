#include "cmd/latency_screen.h"

#include "sink/headline.h"
#include "wire/span_end.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#define ROWS_MOST 96
#define BAR_STEPS 8 /* eighths of a column */

struct row {
	nsec low, high;
	double count;
};

/* Lower bounds: 1, 1.5, 2, 3, 4, 6, 8, ... */
static nsec row_low(unsigned row)
{
	nsec octave = 1ull << (row / 2);

	return row % 2 ? octave + octave / 2 : octave;
}

/* Spreads the buckets over rows of half an octave: from the first row with
 * calls to the last. */
static unsigned make_rows(const struct picture_span *span, struct row rows[ROWS_MOST])
{
	unsigned first = ROWS_MOST, last = 0;

	for (unsigned r = 0; r + 1 < ROWS_MOST; r++)
		rows[r] = (struct row){ r ? row_low(r) : 0, row_low(r + 1), 0 };
	for (uint32_t b = 0; b < span->buckets.count; b++) {
		const struct picture_bucket *bucket = &span->buckets.at[b];
		nsec middle = bucket->low + (bucket->high - bucket->low) / 2;
		unsigned r = 0;

		while (r + 2 < ROWS_MOST && middle >= rows[r].high)
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
			  const struct latency_now *now, struct text *to)
{
	char a[TEXT_QUANTITY], b[TEXT_QUANTITY], c[TEXT_QUANTITY], d[TEXT_QUANTITY];

	text_add_plain(to, picture_text(p, span->function));
	if (span->file) {
		const char *file = picture_text(p, span->file), *slash = strrchr(file, '/');

		text_add(to, "  ");
		text_add_plain(to, slash ? slash + 1 : file);
		text_format(to, ":%u", span->line);
	}
	text_format(to, "   %s calls, %s/s", text_count(a, span->calls),
		    text_count(b, now->rate + 0.5));
	if (now->p50)
		text_format(to, "   now: p50 %s  p95 %s  p99 %s", text_duration(a, now->p50),
			    text_duration(b, now->p95), text_duration(c, now->p99));
	if (span->open)
		text_format(to, "   open %s", text_count(d, span->open));
	text_add(to, "\n");
	for (unsigned r = 1; r < NR_SPAN_END; r++) {
		if (span->ended[r])
			text_format(to, "  %s: %s", span_end_words[r].name,
				    text_count(a, span->ended[r]));
	}
}

void latency_draw(const struct picture *p, const struct picture_span *span,
		  const struct latency_now *now, unsigned columns, struct text *to)
{
	struct row rows[ROWS_MOST];
	unsigned n = make_rows(span, rows), width = columns > 50 ? columns - 45 : 20;
	char a[TEXT_QUANTITY], b[TEXT_QUANTITY], c[TEXT_QUANTITY], d[TEXT_QUANTITY];
	char e[TEXT_QUANTITY], f[TEXT_QUANTITY];
	double most = 1;

	draw_headline(p, span, now, to);
	if (!n) {
		text_add(to, "  no call has ended yet\n");
		return;
	}
	text_format(to, "  p50 %s   p90 %s   p95 %s   p99 %s   p99.9 %s   max %s\n",
		    text_duration(a, span->p50), text_duration(b, span->p90),
		    text_duration(c, span->p95), text_duration(d, span->p99),
		    text_duration(e, span->p999), text_duration(f, span->max));
	headline_unsure(to, span);
	headline_probed(to, span);
	for (unsigned r = 0; r < n; r++)
		most = rows[r].count > most ? rows[r].count : most;
	for (unsigned r = 0; r < n; r++) {
		text_duration(a, rows[r].low);
		/* µ is two bytes and one column */
		text_format(to, "  %*s │", strstr(a, "µ") ? 9 : 8, a);
		draw_bar(rows[r].count / most, width > 40 ? 40 : width, to);
		text_format(to, " %10s", text_count(b, rows[r].count));
		mark_quantiles(&rows[r], span, to);
		text_add(to, "\n");
	}
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
		"{s:s, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:{s:I, s:I, s:I}}",
		"place", text_string(&place), "calls", (json_int_t)span->calls, "entries",
		(json_int_t)span->entries, "open", (json_int_t)span->open, "rate", now->rate,
		"p50_ns", (json_int_t)span->p50, "p90_ns", (json_int_t)span->p90, "p95_ns",
		(json_int_t)span->p95, "p99_ns", (json_int_t)span->p99, "p999_ns",
		(json_int_t)span->p999, "max_ns", (json_int_t)span->max, "histogram",
		histogram_json(span), "ended", ended_json(span), "now", "p50_ns",
		(json_int_t)now->p50, "p95_ns", (json_int_t)now->p95, "p99_ns",
		(json_int_t)now->p99);
	if (!o)
		return;
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
	if (final)
		json_object_set_new(o, "final", json_true());
	line = json_dumps(o, JSON_COMPACT);
	json_decref(o);
	if (line)
		text_add(to, line);
	text_add_char(to, '\n');
}
