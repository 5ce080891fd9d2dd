#include "view/tally.h"

#include "model/profile.h"

#include <math.h>

#define MAX_BOUNDS 256

static text_id copy_text(struct picture *p, const struct store *st, text_id id)
{
	return intern_text(&p->text, intern_string(&st->text, id));
}

static void fill_quantiles(struct picture_span *to, const struct call_count *count)
{
	static const double parts[] = { 0.5, 0.9, 0.95, 0.99, 0.999 };
	nsec *const into[] = { &to->p50, &to->p90, &to->p95, &to->p99, &to->p999 };

	for (unsigned i = 0; i < COUNT_OF(parts); i++) {
		double v = dist_quantile(&count->dist, parts[i]);

		*into[i] = whole_number(fmin(v, count->max));
	}
	to->max = count->max;
	to->mean_nsec = dist_mean(&count->dist);
}

static void fill_buckets(struct picture_span *to, const struct dist *d)
{
	double carry = 0; /* parts of calls, of a window that decays */

	for (uint32_t b = 0; b < NR_BUCKET; b++) {
		struct picture_bucket bucket = { bucket_low(b), bucket_low(b + 1), 0 };

		if (d->count[b] <= 0)
			continue;
		carry += d->count[b];
		bucket.count = whole_number(carry);
		carry -= bucket.count;
		if (bucket.count)
			array_push(&to->buckets, bucket);
	}
}

/* At the end what was open was looked up and counted, call by call: no call is left for which
 * nothing speaks. */
static void close_account(struct picture_span *to, const struct call_count *count)
{
	double ended = 0;

	for (unsigned r = 0; r < NR_SPAN_END; r++)
		ended += count->ended[r];
	to->open = 0;
	to->unaccounted = whole_number(fabs(count->entries - ended));
}

void calls_add_span(struct picture *p, const struct store *st, const struct store_probe *probe,
		    const struct window *w)
{
	struct call_count *count = NEW(struct call_count);
	struct picture_span *to = array_add(&p->spans);
	struct window watched = *w;
	double seconds;

	timeline_count(&probe->calls, w, count);
	to->place = copy_text(p, st, probe->place);
	to->function = copy_text(p, st, probe->function);
	to->file = copy_text(p, st, probe->file);
	to->line = probe->line;
	to->sites = probe->sites;
	to->probe = probe->id;
	to->removed = probe->removed != 0;
	to->exit = probe->exit;
	to->cost_nsec = probe->cost;
	to->entries = whole_number(count->entries);
	to->calls = whole_number(count->dist.total);
	to->open = count->open;
	if (st->has_end && w->kind == WINDOW_ALL)
		close_account(to, count);
	for (unsigned r = 0; r < NR_SPAN_END; r++)
		to->ended[r] = whole_number(count->ended[r]);
	watched.from = probe->armed > w->from ? probe->armed : w->from;
	if (probe->removed && probe->removed < w->to)
		watched.to = probe->removed;
	seconds = window_seconds(&watched);
	to->rate = seconds > 0 ? count->entries / seconds : 0;
	if (count->ended[END_BRACKET] > 0)
		to->unsure_nsec = count->sum[SUM_UNSURE] / count->ended[END_BRACKET] / 2;
	if (count->dist.total > 0)
		to->probed_nsec = count->sum[SUM_PROBED] / count->dist.total;
	to->timed = count->sum[SUM_TIMED] > 0;
	if (to->timed) {
		to->off_share = fmin(1, count->sum[SUM_AWAY] / count->sum[SUM_TIMED]);
		to->runnable_share =
			fmin(to->off_share, count->sum[SUM_QUEUED] / count->sum[SUM_TIMED]);
	}
	fill_quantiles(to, count);
	fill_buckets(to, &count->dist);
	free(count);
}

/* Calls and the sum of their durations on each side. */
struct tally {
	double calls[NR_SIDE], sum[NR_SIDE];
};

static void tally_by_duration(struct tally *t, const struct split *q, const struct dist *d)
{
	double bounds[MAX_BOUNDS], low = -1, high, sum, calls;
	uint32_t count = split_bounds(q, bounds, MAX_BOUNDS);

	for (uint32_t i = 0; i <= count; i++, low = high) {
		enum side side;

		high = i < count ? bounds[i] : INFINITY;
		calls = dist_between(d, low, high, &sum);
		side = split_side_of_duration(q, i < count ? (fmax(low, 0) + high) / 2
							   : fmax(low, 0) * 2 + 1);
		t->calls[side] += calls;
		t->sum[side] += sum;
	}
}

/* What part of the calls of an octave is on which side. */
struct octave {
	double in, rest, all;
};

#define NR_OCTAVE (NR_BUCKET / BUCKET_SUB + 1)

struct estimate {
	const struct calls_question *question;
	double period;
	struct octave octaves[NR_OCTAVE];
	struct octave whole;
	double open[NR_SIDE];			       /* calls that have not ended */
	double sampled[NR_SIDE], sampled_sum[NR_SIDE]; /* that have, as far as samples tell */
};

static bool is_undecided(const struct calls_question *q, double duration)
{
	return q->filtered || split_side_of_duration(q->split, duration) == SIDE_OPEN;
}

/* So many calls of a side, as if all of that length had been sampled. */
static void estimate_add(struct estimate *e, unsigned side, double calls, double lasted)
{
	struct octave *into[] = { &e->octaves[bucket_of((nsec)lasted) / BUCKET_SUB],
				  &e->whole };

	if (side < NR_SIDE) {
		e->sampled[side] += calls;
		e->sampled_sum[side] += calls * lasted;
	}
	for (unsigned i = 0; i < 2 && is_undecided(e->question, lasted); i++) {
		into[i]->all += calls;
		into[i]->in += side == SIDE_IN ? calls : 0;
		into[i]->rest += side == SIDE_REST ? calls : 0;
	}
}

static void estimate_brief(struct estimate *e, const struct stratum *st, unsigned side)
{
	double lasted = st->chances.mean[side];
	double hit = e->period > 0 ? 1 - exp(-lasted / e->period) : 1;

	estimate_add(e, side, st->calls * st->chances.chance[side] / fmax(hit, 1e-9), lasted);
}

static void estimate_stratum(struct estimate *e, const struct stratum *st, unsigned side)
{
	double chance = st->chances.chance[side];

	if (chance <= 0 || st->calls <= 0)
		return;
	if (st->chances.brief)
		estimate_brief(e, st, side);
	else if (st->weighed > 0)
		estimate_add(e, side, chance * st->weighed, st->weighed_nsec / st->weighed);
	else if (side < NR_SIDE)
		e->open[side] += chance * st->calls;
}

static void estimate_calls(struct estimate *e, const struct strata *strata)
{
	for (uint32_t i = 0; i < strata->list.count; i++) {
		for (unsigned side = 0; side < NR_STRATA_SIDE; side++)
			estimate_stratum(e, &strata->list.at[i], side);
	}
}

/* The histogram's calls, shared out by what the sampled ones say. */
static void tally_by_estimate(struct tally *t, const struct estimate *e, const struct dist *d)
{
	for (uint32_t b = 0; b < NR_BUCKET; b++) {
		const struct octave *o = &e->octaves[b / BUCKET_SUB];
		double middle = dist_middle(b);
		double in, rest;

		if (d->count[b] <= 0)
			continue;
		if (o->all <= 0)
			o = &e->whole;
		in = o->all > 0 ? o->in / o->all : 0;
		rest = o->all > 0 ? o->rest / o->all : 0;
		if (!is_undecided(e->question, middle)) {
			in = split_side_of_duration(e->question->split, middle) == SIDE_IN;
			rest = 1 - in;
		}
		t->calls[SIDE_IN] += in * d->count[b];
		t->sum[SIDE_IN] += in * d->count[b] * middle;
		t->calls[SIDE_REST] += rest * d->count[b];
		t->sum[SIDE_REST] += rest * d->count[b] * middle;
	}
}

void calls_by_side(struct picture *p, const struct calls_question *q,
		   const struct strata *strata)
{
	const struct store_probe *probe = store_probe(q->store, split_probe(q->split));
	struct call_count *count = NEW(struct call_count);
	struct estimate *e = NEW(struct estimate);
	struct tally t = { 0 };
	bool exact = !q->filtered && split_is_by_duration(q->split);

	e->question = q;
	e->period = q->store->origin.period;
	estimate_calls(e, strata);
	if (probe)
		timeline_count(&probe->calls, q->window, count);
	if (count->dist.total <= 0) {
		memcpy(t.calls, e->sampled, sizeof(t.calls));
		memcpy(t.sum, e->sampled_sum, sizeof(t.sum));
		exact = false;
	} else if (exact) {
		tally_by_duration(&t, q->split, &count->dist);
	} else {
		tally_by_estimate(&t, e, &count->dist);
	}
	for (unsigned s = 0; s < NR_SIDE; s++) {
		p->sides[s].calls = whole_number(t.calls[s] + e->open[s]);
		p->sides[s].calls_exact = exact && s != SIDE_OPEN;
		p->sides[s].mean_nsec = t.calls[s] > 0 ? t.sum[s] / t.calls[s] : 0;
	}
	free(count);
	free(e);
}
