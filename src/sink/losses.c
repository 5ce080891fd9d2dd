#include "sink/losses.h"

#include "sink/headline.h"
#include "wire/span_end.h"

/* "; 798 not timed: unjudged" */
static void add_not_timed(const struct picture *p, struct text *to)
{
	uint64_t counts[NR_SPAN_END] = { 0 }, all = 0;
	const char *before = ": ";
	char a[TEXT_QUANTITY];

	for (unsigned r = 0; r < NR_SPAN_END; r++) {
		for (uint32_t i = 0; i < p->spans.count; i++)
			counts[r] += p->spans.at[i].ended[r];
		if (span_end_words[r].proof == SPAN_END_UNOPENED)
			all += counts[r];
	}
	if (!all)
		return;
	text_format(to, "; %s not timed", text_count(a, all));
	for (unsigned r = 0; r < NR_SPAN_END; r++) {
		if (!counts[r] || span_end_words[r].proof != SPAN_END_UNOPENED)
			continue;
		text_format(to, "%s%s", before, span_end_words[r].name);
		before = ", ";
	}
}

static void add_spans_lost(const struct picture_losses *l, struct text *to)
{
	char a[TEXT_QUANTITY];

	if (l->spans)
		text_format(to, ", %s span records lost", text_count(a, l->spans));
	if (l->spans_unmatched)
		text_format(to, ", %s returns unmatched", text_count(a, l->spans_unmatched));
}

void losses_of_calls(const struct picture *p, struct text *to)
{
	uint64_t entries = 0, missing = 0;
	char a[TEXT_QUANTITY], b[TEXT_QUANTITY];

	for (uint32_t i = 0; i < p->spans.count; i++) {
		entries += p->spans.at[i].entries;
		missing += p->spans.at[i].unaccounted;
	}
	text_format(to, "%s calls (", text_count(a, entries));
	if (missing)
		text_format(to, "%s not accounted for", text_count(b, missing));
	else
		text_add(to, "all accounted for");
	add_not_timed(p, to);
	text_add(to, ")");
	headline_children(to, p);
	add_spans_lost(&p->losses, to);
}

void losses_of_all(const struct picture *p, struct text *to)
{
	const struct picture_losses *l = &p->losses;
	char a[TEXT_QUANTITY], b[TEXT_QUANTITY], c[TEXT_QUANTITY];

	text_format(to, "%s samples (%s lost, %s truncated, %.1f %% of frames unnamed",
		    text_count(a, p->samples), text_count(b, l->samples),
		    text_count(c, l->stacks_truncated),
		    l->frames ? 100.0 * l->frames_unresolved / l->frames : 0.0);
	if (l->stacks_unreadable)
		text_format(to, ", %s stacks unreadable", text_count(a, l->stacks_unreadable));
	if (l->throttled)
		text_format(to, ", %s ticks held back", text_count(a, l->throttled));
	if (l->forgotten)
		text_format(to, ", %s kept only as sums", text_count(a, l->forgotten));
	if (l->in_probes)
		text_format(to, ", %s in sonde's probes left out", text_count(a, l->in_probes));
	text_add(to, ")");
	if (p->spans.count) {
		text_add(to, ", ");
		losses_of_calls(p, to);
	} else {
		headline_children(to, p);
	}
}
