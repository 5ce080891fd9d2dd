#include "model/timeline.h"

#include "base/mem.h"
#include "wire/span_end.h"

void timeline_done(struct timeline *t)
{
	for (uint32_t i = t->head; i < t->ring.count; i++)
		free(t->ring.at[i].buckets);
	array_done(&t->ring);
	free(t->base);
	*t = (struct timeline){ 0 };
}

static void timeline_merge_oldest(struct timeline *t)
{
	struct interval *oldest = &t->ring.at[t->head++];

	if (!t->base) {
		t->base = NEW(struct dist);
		t->base_since = oldest->since;
	}
	for (uint32_t i = 0; i < oldest->nr_bucket; i++)
		dist_add(t->base, oldest->buckets[i].bucket, oldest->buckets[i].count);
	for (uint32_t i = 0; i < NR_SPAN_END; i++)
		t->base_ended[i] += oldest->ended[i];
	t->base_entries += oldest->entries;
	for (int i = 0; i < NR_CALL_SUM; i++)
		t->base_sum[i] += oldest->sum[i];
	t->base_time = oldest->time;
	t->nr_bucket -= oldest->nr_bucket;
	free(oldest->buckets);
	if (t->head < TIMELINE_INTERVALS)
		return;
	/* move down once in a while, so that the array stays bounded */
	t->ring.count -= t->head;
	memmove(t->ring.at, t->ring.at + t->head, t->ring.count * sizeof(*t->ring.at));
	t->head = 0;
}

void timeline_add(struct timeline *t, const struct event_calls *e, uint32_t nr_bucket)
{
	struct interval *at = array_add(&t->ring);

	*at = (struct interval){ .since = e->since,
				 .time = e->head.time,
				 .entries = e->entries };
	_Static_assert(sizeof(at->ended) >= sizeof(e->ended), "a count for every reason");
	memcpy(at->ended, e->ended, sizeof(e->ended));
	if (nr_bucket) {
		at->buckets = mem_copy(e->buckets, nr_bucket * sizeof(*e->buckets));
		at->nr_bucket = nr_bucket;
	}
	t->nr_bucket += nr_bucket;
	if (e->max > t->max)
		t->max = e->max;
	while (t->ring.count - t->head > TIMELINE_INTERVALS ||
	       (t->nr_bucket > TIMELINE_BUCKETS && t->ring.count - t->head > 1))
		timeline_merge_oldest(t);
}

static struct interval *interval_of(struct timeline *t, nsec since, nsec time)
{
	struct event_calls none = { .head.time = time, .since = since };

	if (t->head == t->ring.count || t->ring.at[t->ring.count - 1].time != time)
		timeline_add(t, &none, 0);
	return &t->ring.at[t->ring.count - 1];
}

void timeline_sum(struct timeline *t, enum call_sum sum, const struct event_call_sum *e)
{
	interval_of(t, e->since, e->head.time)->sum[sum] += e->nsec;
}

void timeline_end(struct timeline *t, const struct event_ends *e, uint32_t nr_ends)
{
	struct interval *at = interval_of(t, e->since, e->head.time);

	for (uint32_t i = 0; i < nr_ends; i++)
		at->ended[span_end_known(e->ends[i].reason)] += e->ends[i].count;
}

static nsec interval_middle(nsec since, nsec time)
{
	return since < time ? since + (time - since) / 2 : time;
}

static void count_interval(const struct interval *at, double weight, struct call_count *ret)
{
	ret->entries += weight * at->entries;
	for (int i = 0; i < NR_CALL_SUM; i++)
		ret->sum[i] += weight * at->sum[i];
	for (uint32_t r = 0; r < NR_SPAN_END; r++)
		ret->ended[r] += weight * at->ended[r];
	for (uint32_t b = 0; b < at->nr_bucket; b++)
		dist_add(&ret->dist, at->buckets[b].bucket, weight * at->buckets[b].count);
}

/* Entered but not ended by the end of the window. */
static uint64_t timeline_open(const struct timeline *t, const struct window *w)
{
	uint64_t entered = t->base_entries, ended = 0;

	for (uint32_t r = 0; r < NR_SPAN_END; r++)
		ended += t->base_ended[r];
	for (uint32_t i = t->head; i < t->ring.count; i++) {
		const struct interval *at = &t->ring.at[i];

		if (w->kind != WINDOW_ALL && interval_middle(at->since, at->time) > w->to)
			continue;
		entered += at->entries;
		for (uint32_t r = 0; r < NR_SPAN_END; r++)
			ended += at->ended[r];
	}
	return entered > ended ? entered - ended : 0;
}

void timeline_count(const struct timeline *t, const struct window *w, struct call_count *ret)
{
	double weight;
	bool whole = true;

	*ret = (struct call_count){ .open = timeline_open(t, w) };
	if (t->base) {
		nsec middle = interval_middle(t->base_since, t->base_time);

		/* the base cannot be divided: it is in when its begin is */
		weight = window_weight(w, t->base_since) > 0 ? window_weight(w, middle) : 0;
		whole = weight > 0;
		ret->entries = weight * t->base_entries;
		for (int i = 0; i < NR_CALL_SUM; i++)
			ret->sum[i] = weight * t->base_sum[i];
		for (uint32_t r = 0; r < NR_SPAN_END; r++)
			ret->ended[r] = weight * t->base_ended[r];
		dist_merge(&ret->dist, t->base, weight);
	}
	for (uint32_t i = t->head; i < t->ring.count; i++) {
		const struct interval *at = &t->ring.at[i];

		weight = window_weight(w, interval_middle(at->since, at->time));
		if (weight > 0)
			count_interval(at, weight, ret);
		else
			whole = false;
	}
	ret->max = dist_max(&ret->dist);
	if (t->max && (whole || ret->max > t->max))
		ret->max = t->max;
	if (ret->dist.total <= 0)
		ret->max = 0;
}
