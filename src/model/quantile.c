#include "model/quantile.h"

#include "model/judge.h"
#include "wire/sample_cause.h"

#include <math.h>

#define HIT_LEAST 1e-6 /* so that no call alone outweighs all others */

struct weighed {
	double value, weight;
};

static int by_value(const void *va, const void *vb)
{
	const struct weighed *a = va, *b = vb;

	return (a->value > b->value) - (a->value < b->value);
}

static double weight_of(const struct store *st, const struct window *w, const struct span *call)
{
	bool waits_only = st->causes && !(st->causes & CAUSES_ON);
	double seen = waits_only ? call->away : span_age(call, 0);
	nsec period = st->origin.period;
	double hit = period ? 1 - exp(-seen / period) : 1;

	return window_weight(w, call->ended) / fmax(hit, HIT_LEAST);
}

double quantile_of_calls(const struct store *st, const struct window *w, uint32_t probe,
			 enum expression_subject subject, double part)
{
	ARRAY(struct weighed) calls = { 0 };
	double all = 0, sum = 0, found = INFINITY;

	for (uint32_t i = 0; i < st->spans.slots.count; i++) {
		const struct span *call = &st->spans.slots.at[i];
		struct weighed add;

		if (!call->id || call->probe != probe || !call->timed || !span_finished(call))
			continue;
		add.value = judge_time_of(call, subject, span_age(call, 0));
		add.weight = weight_of(st, w, call);
		all += add.weight;
		if (add.weight > 0)
			array_push(&calls, add);
	}
	if (calls.count)
		qsort(calls.at, calls.count, sizeof(*calls.at), by_value);
	for (uint32_t i = 0; i < calls.count && isinf(found); i++) {
		sum += calls.at[i].weight;
		if (sum >= part * all || i + 1 == calls.count)
			found = calls.at[i].value;
	}
	array_done(&calls);
	return found;
}
