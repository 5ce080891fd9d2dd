#include "sink/text_part.h"

#include "probe/ending.h"
#include "view/toll.h"

#include <math.h>

/* "10 to 38 µs a call", "0.48 to 1.7 % of a core": what samples say. */
struct interval {
	char low[TEXT_QUANTITY], high[TEXT_QUANTITY];
};

static double all_calls(const struct picture *p)
{
	double calls = 0;

	for (uint32_t i = 0; i < p->spans.count; i++)
		calls += p->spans.at[i].entries;
	return calls;
}

static void add_calls(struct text *t, const struct picture *p)
{
	const struct picture_losses *l = &p->losses;
	double usec = all_calls(p) * NSEC_PER_USEC;
	struct interval i;

	text_format(t, "%s to %s µs a call", text_rough(i.low, l->probe_low_nsec / usec),
		    text_rough(i.high, l->probe_high_nsec / usec));
}

static void add_core(struct text *t, const struct picture *p)
{
	const struct picture_losses *l = &p->losses;
	double percent = 100 / fmax(1, (double)(p->to - p->from));
	struct interval i;

	text_format(t, "%s to %s %% of a core", text_rough(i.low, percent * l->probe_low_nsec),
		    text_rough(i.high, percent * l->probe_high_nsec));
}

static bool is_by_samples(const struct picture *p)
{
	return toll_is_dearer(&p->losses) && all_calls(p) >= 1;
}

void part_cost(struct report *r, const struct picture_span *s)
{
	const struct picture *p = r->p;
	char buf[TEXT_QUANTITY];
	AUTO_TEXT struct text line = { 0 };

	if (!s->cost_nsec)
		return;
	text_format(&line, "  cost, by %s: ", ending_of(s->exit)->phrase);
	if (is_by_samples(p) && p->spans.count == 1) {
		add_calls(&line, p);
		text_format(&line, " × %s = ", text_rate(buf, s->rate));
		add_core(&line, p);
	} else {
		text_format(&line, "%s a call", text_duration(buf, s->cost_nsec));
		text_format(&line, " × %s", text_rate(buf, s->rate));
		text_format(&line, " = %s %% of a core",
			    text_rough(buf, 100 * s->cost_nsec * s->rate / NSEC_PER_SEC));
	}
	part_words(r, &line);
}

void part_cost_of_all(struct report *r)
{
	AUTO_TEXT struct text line = { 0 };

	if (!is_by_samples(r->p) || r->p->spans.count == 1)
		return;
	text_add(&line, "  all probes, by the samples in them: ");
	add_calls(&line, r->p);
	text_add(&line, ", ");
	add_core(&line, r->p);
	part_words(r, &line);
}
