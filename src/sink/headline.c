#include "sink/headline.h"

#include "base/text.h"
#include "model/token.h"
#include "wire/sample_cause.h"
#include "wire/span_end.h"

#include <stdio.h>
#include <time.h>

#define GAPS_SHOWN 3
#define BOUND_MOST 64	    /* bytes of it in an expression */
#define SHORTEST_TOLD 1.001 /* times the shortest: is it */
#define KEPT_SEEN 0.05	    /* of the median: less is behind its digits */
#define NAMED_MOST 8	    /* processes: of more, none stands for the others */

void headline_target(struct text *t, const struct picture *p)
{
	const char *comm = picture_text(p, p->comm), *host = picture_text(p, p->host);

	if (p->processes > NAMED_MOST)
		text_format(t, "%u processes", p->processes);
	else
		text_add_plain(t, *comm ? comm : "all processes");
	if (p->pid && p->processes <= NAMED_MOST)
		text_format(t, " (%u)", p->pid);
	if (p->processes > 1 && p->processes <= NAMED_MOST)
		text_format(t, " and %u more process%s", p->processes - 1,
			    p->processes == 2 ? "" : "es");
	if (*host) {
		text_add(t, " on ");
		text_add_plain(t, host);
	}
}

void headline_window(struct text *t, const struct picture *p)
{
	char buf[TEXT_QUANTITY];

	text_add(t, text_duration(buf, p->to > p->from ? p->to - p->from : 0));
	if (p->asked)
		text_format(t, " instead of %s", text_duration(buf, p->asked));
	if (p->hz)
		text_format(t, " at %u Hz of %s", p->hz,
			    !(p->causes & CAUSES_OFF) ? "CPU time"
			    : p->causes & CAUSES_ON   ? "CPU and waiting"
						      : "waiting");
	text_format(t, ", %s samples", text_count(buf, p->samples));
}

/* "0.3 %", but never "0.0 %" for what is not zero. */
static void add_percent(struct text *t, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100.0 * part / whole : 0;

	if (part && percent < 0.05)
		text_add(t, "under 0.1 %");
	else
		text_format(t, "%.1f %%", percent);
}

void headline_children(struct text *t, const struct picture *p)
{
	const struct picture_losses *l = &p->losses;
	char a[TEXT_QUANTITY], b[TEXT_QUANTITY];

	if (!p->spans.count)
		return;
	if (l->children > l->children_unwatched)
		text_format(t, ", %s %s watched from at most %s after the fork",
			    text_count(a, l->children - l->children_unwatched),
			    l->children - l->children_unwatched == 1 ? "child" : "children",
			    text_duration(b, l->children_latest));
	if (l->children_unwatched)
		text_format(t, ", %s %s not watched", text_count(a, l->children_unwatched),
			    l->children_unwatched == 1 ? "child" : "children");
	if (l->programs)
		text_format(t, ", %s new program%s watched from at most %s after the exec",
			    text_count(a, l->programs), l->programs == 1 ? "" : "s",
			    text_duration(b, l->programs_latest));
}

void headline_losses(struct text *t, const struct picture *p)
{
	const struct picture_losses *l = &p->losses;
	const struct {
		uint64_t count;
		const char *what;
	} rare[] = {
		{ l->stacks_unreadable, "stacks unreadable" },
		{ l->spans_unmatched, "calls unmatched" },
		{ l->spans, "span records lost" },
		{ l->thinned, "samples thinned out" },
		{ l->throttled, "ticks held back" },
		{ l->forgotten, "samples forgotten" },
		{ l->in_probes, "in sonde's probes left out" },
	};
	uint64_t lost = l->ring > l->samples + l->spans ? l->ring - l->spans : l->samples;
	char buf[TEXT_QUANTITY];

	text_format(t, "%s lost", text_count(buf, lost));
	text_format(t, ", %s truncated", text_count(buf, l->stacks_truncated));
	if (l->frames_unresolved) {
		text_add(t, ", ");
		add_percent(t, l->frames_unresolved, l->frames);
		text_add(t, " of frames unnamed");
	}
	for (unsigned i = 0; i < COUNT_OF(rare); i++)
		if (rare[i].count)
			text_format(t, ", %s %s", text_count(buf, rare[i].count), rare[i].what);
	headline_children(t, p);
	if (p->cut)
		text_add(t, ", the recording was cut short");
}

static const char *const gap_reasons[NR_STACK_END] = {
	[STACK_TRUNCATED] = "too deep",
	[STACK_UNREADABLE] = "stack memory not there",
	[STACK_NO_MAP] = "an address in no map",
	[STACK_NO_RULE] = "no call frame information, no frame pointer",
	[STACK_UNSUPPORTED] = "unusual call frame information",
};

const char *headline_gap(uint32_t end)
{
	return end < NR_STACK_END ? gap_reasons[end] : "unknown";
}

bool headline_gaps(struct text *t, const struct picture *p)
{
	const struct picture_losses *l = &p->losses;
	uint64_t cut = l->stacks_truncated + l->stacks_unreadable;
	char buf[TEXT_QUANTITY];

	if (!cut || !l->stacks)
		return false;
	text_format(t, "Stacks: %.*f %% whole", cut * 1000 < l->stacks ? 2 : 1,
		    100.0 * (l->stacks > cut ? l->stacks - cut : 0) / l->stacks);
	for (uint32_t i = 0; i < p->gaps.count && i < GAPS_SHOWN; i++) {
		const struct picture_gap *g = &p->gaps.at[i];

		text_format(t, "%s%s stop in ", i ? ", " : "; ", text_count(buf, g->samples));
		text_add_plain(t, picture_text(p, g->image_name));
		text_format(t, " (%s)",
			    headline_gap(g->end) ? headline_gap(g->end) : "unknown");
	}
	return true;
}

void headline_date(struct text *t, const struct picture *p)
{
	time_t seconds = p->wall / NSEC_PER_SEC;
	struct tm tm;
	char buf[64];

	if (!p->wall || !gmtime_r(&seconds, &tm))
		return;
	if (strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S UTC", &tm))
		text_add(t, buf);
}

/* A question that a threshold of the duration answers. */
struct plain_split {
	char direction; /* '>' or '<' for exactly "[NAME.]dur > VALUE" and its kin, 0 for
			   anything richer */
	char bound[BOUND_MOST]; /* the right side */
	const char *against;	/* " against ..." in the text, NULL: all others */
};

static struct plain_split plain_split(const char *expr)
{
	struct plain_split ret = { .against = strstr(expr, " " AGAINST " ") };
	size_t all = ret.against ? (size_t)(ret.against - expr) : strlen(expr);
	AUTO_FREE char *text = mem_text_part(expr, all);
	const char *op = strpbrk(text, "<>"), *end = op, *bound;

	if (!op || strpbrk(text, "&|!(") || strpbrk(op + 1, "<>"))
		return ret;
	while (end > text && end[-1] == ' ')
		end--;
	if (end - text < 3 || strncmp(end - 3, "dur", 3) != 0)
		return ret;
	if (end - text > 3 && end[-4] != '.')
		return ret;
	bound = op + 1 + strspn(op + 1, "= ");
	if (!*bound || strlen(bound) >= sizeof(ret.bound))
		return ret;
	strcpy(ret.bound, bound);
	ret.direction = *op;
	return ret;
}

bool headline_above_percentile(const struct picture *p)
{
	struct plain_split split = plain_split(picture_text(p, p->split_expr));

	return split.direction == '>' && *split.bound == 'p' && p->threshold && !split.against;
}

void headline_split(struct text *t, const struct picture *p)
{
	const char *expr = picture_text(p, p->split_expr);
	struct plain_split split = plain_split(expr);
	char buf[TEXT_QUANTITY];

	if (!split.direction) {
		text_add(t, "where ");
		text_add_plain(t, expr);
		if (p->threshold && !strpbrk(expr, "&|!(") && !strstr(expr, "..") &&
		    strstr(expr, " p"))
			text_format(t, " (%s)", text_duration(buf, p->threshold));
		return;
	}
	text_add(t, split.direction == '>' ? "slower than " : "faster than ");
	if (*split.bound == 'p' && p->threshold) {
		text_add_plain(t, split.bound);
		text_format(t, " (%s)", text_duration(buf, p->threshold));
	} else if (p->threshold) {
		text_add(t, text_duration(buf, p->threshold));
	} else {
		text_add_plain(t, split.bound);
	}
	if (split.against)
		text_add_plain(t, split.against);
}

bool headline_leaves_out(const struct picture *p)
{
	return p->split_expr && plain_split(picture_text(p, p->split_expr)).against;
}

const char *headline_other(const struct picture *p)
{
	return p->compared ? "before" : "rest";
}

const char *headline_side(const struct picture *p)
{
	if (p->compared)
		return "now";
	switch (plain_split(picture_text(p, p->split_expr)).direction) {
	case '>':
		return "slow";
	case '<':
		return "fast";
	default:
		return "in";
	}
}

const struct picture_span *headline_span(const struct picture *p)
{
	return p->split_span < p->spans.count ? &p->spans.at[p->split_span] : NULL;
}

char *headline_duration(char buf[TEXT_QUANTITY], const struct picture_span *s, double nsec)
{
	double shortest = picture_shortest(s);
	char least[TEXT_QUANTITY];

	if (nsec > SHORTEST_TOLD * shortest || shortest < 1)
		return text_duration(buf, nsec);
	snprintf(buf, TEXT_QUANTITY, "<%s", text_duration(least, shortest));
	return buf;
}

void headline_percentiles(struct text *t, const struct picture_span *s)
{
	const struct {
		const char *name;
		nsec value;
	} points[] = {
		{ "p50", s->p50 }, { "p90", s->p90 },	 { "p95", s->p95 },
		{ "p99", s->p99 }, { "p99.9", s->p999 }, { "max", s->max },
	};
	char buf[TEXT_QUANTITY];

	for (unsigned i = 0; i < COUNT_OF(points); i++)
		text_format(t, "  %s %s", points[i].name,
			    headline_duration(buf, s, points[i].value));
	text_add_char(t, '\n');
}

void headline_untimed(struct text *t, const struct picture_span *s)
{
	const char *before = " (";
	uint64_t all = 0;

	for (unsigned r = 0; r < NR_SPAN_END; r++)
		if (span_end_words[r].proof == SPAN_END_UNOPENED)
			all += s->ended[r];
	if (all * 100 < s->entries || !all)
		return;
	text_format(t, "  of %.3g %% of the calls; the others were counted and not timed",
		    100.0 - 100.0 * all / s->entries);
	for (unsigned r = 0; r < NR_SPAN_END; r++) {
		if (!s->ended[r] || span_end_words[r].proof != SPAN_END_UNOPENED)
			continue;
		text_format(t, "%s%s", before, span_end_words[r].name);
		before = ", ";
	}
	text_add(t, ")\n");
}

void headline_unsure(struct text *t, const struct picture_span *s)
{
	char buf[TEXT_QUANTITY];

	if (s->unsure_nsec > 0)
		text_format(t,
			    "  durations are known to ±%s on average: an end lies between two "
			    "looks\n",
			    text_duration(buf, s->unsure_nsec));
}

void headline_probed(struct text *t, const struct picture_span *s, double kept)
{
	char buf[TEXT_QUANTITY];
	bool seen = s->calls && kept > KEPT_SEEN * s->p50;

	if (s->timed)
		text_format(
			t,
			"  of their time %.0f %% on a CPU, %.0f %% waiting for one, %.0f %% for "
			"anything else\n",
			100 * (1 - s->off_share), 100 * s->runnable_share,
			100 * (s->off_share - s->runnable_share));
	if (s->probed_nsec < 1)
		return;
	text_format(t, "  durations leave out what probes took of them: %s a call",
		    text_duration(buf, s->probed_nsec));
	if (seen)
		text_format(t, ",\n    and may be too long by up to %s",
			    text_duration(buf, kept));
	text_add_char(t, '\n');
}

void headline_ask(struct text *t, const struct picture *p, const char *bound, bool against)
{
	const struct picture_span *span = headline_span(p);
	const char *expr = against ? picture_text(p, p->split_expr) : "";
	AUTO_TEXT struct text plain = { 0 }, given = { 0 };
	const char *place;

	if (!p->spans.count)
		return;
	place = picture_text(p, span ? span->place : p->spans.at[0].place);
	text_add_plain(&plain, place);
	text_add_plain(&given, expr);
	if (strpbrk(place, "'\"\\") || strcmp(text_string(&plain), place) != 0 ||
	    strpbrk(expr, "'\\") || strcmp(text_string(&given), expr) != 0)
		return;
	text_format(t, " --split '%s%s", expr, against ? " " AGAINST " " : "");
	token_add_dur(t, p->spans.count > 1 ? place : NULL);
	text_format(t, " > %s'", bound);
}
