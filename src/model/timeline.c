#include "model/timeline.h"

#include "base/mem.h"
#include "wire/span_end.h"

void timeline_done(struct timeline *t)
{
	for (uint32_t i = 0; i < t->all.count; i++)
		free(t->all.at[i].buckets);
	array_done(&t->all);
	*t = (struct timeline){ 0 };
}

/* Counts by bucket, while two intervals are joined. */
struct joined {
	uint64_t count[NR_BUCKET];
};

static void add_buckets(struct joined *j, const struct interval *from)
{
	for (uint32_t i = 0; i < from->nr_bucket; i++) {
		uint32_t b = from->buckets[i].bucket;

		j->count[b < NR_BUCKET ? b : NR_BUCKET - 1] += from->buckets[i].count;
	}
}

static void set_buckets(struct interval *at, const struct joined *j)
{
	uint32_t n = 0;

	for (uint32_t b = 0; b < NR_BUCKET; b++)
		n += j->count[b] > 0;
	free(at->buckets);
	at->buckets = n ? mem_alloc(n * sizeof(*at->buckets)) : NULL;
	at->nr_bucket = 0;
	for (uint32_t b = 0; b < NR_BUCKET; b++)
		if (j->count[b])
			at->buckets[at->nr_bucket++] =
				(struct interval_bucket){ b, j->count[b] };
}

/* The later one is empty then. */
static void join(struct interval *to, struct interval *later, struct joined *scratch)
{
	*scratch = (struct joined){ { 0 } };
	add_buckets(scratch, to);
	add_buckets(scratch, later);
	set_buckets(to, scratch);
	for (uint32_t i = 0; i < NR_SPAN_END; i++)
		to->ended[i] += later->ended[i];
	for (int i = 0; i < NR_CALL_SUM; i++)
		to->sum[i] += later->sum[i];
	to->entries += later->entries;
	to->time = later->time;
	free(later->buckets);
	later->buckets = NULL;
}

/* Joins two neighbours each of the older half, at least one pair. */
void timeline_coarsen(struct timeline *t)
{
	uint32_t older = t->all.count > 3 ? t->all.count / 4 * 2 : 2, kept = 0;
	struct joined *scratch;

	if (t->all.count < 2)
		return;
	scratch = NEW(struct joined);
	for (uint32_t i = 0; i < older; i += 2) {
		join(&t->all.at[i], &t->all.at[i + 1], scratch);
		t->all.at[kept++] = t->all.at[i];
	}
	memmove(&t->all.at[kept], &t->all.at[older],
		(t->all.count - older) * sizeof(*t->all.at));
	t->all.count -= older - kept;
	t->nr_bucket = 0;
	for (uint32_t i = 0; i < t->all.count; i++)
		t->nr_bucket += t->all.at[i].nr_bucket;
	free(scratch);
}

void timeline_add(struct timeline *t, const struct event_calls *e, uint32_t nr_bucket)
{
	struct interval *at = array_add(&t->all);

	*at = (struct interval){ .since = e->since,
				 .time = e->head.time,
				 .entries = e->entries };
	_Static_assert(sizeof(at->ended) >= sizeof(e->ended), "a count for every reason");
	memcpy(at->ended, e->ended, sizeof(e->ended));
	if (nr_bucket)
		at->buckets = mem_alloc(nr_bucket * sizeof(*at->buckets));
	for (; at->nr_bucket < nr_bucket; at->nr_bucket++) {
		const struct call_bucket *from = &e->buckets[at->nr_bucket];

		at->buckets[at->nr_bucket] =
			(struct interval_bucket){ from->bucket, from->count };
	}
	t->nr_bucket += nr_bucket;
	if (e->max > t->max)
		t->max = e->max;
	while (t->all.count > 1 &&
	       (t->all.count > TIMELINE_INTERVALS || t->nr_bucket > TIMELINE_BUCKETS))
		timeline_coarsen(t);
}

static struct interval *interval_of(struct timeline *t, nsec since, nsec time)
{
	struct event_calls none = { .head.time = time, .since = since };

	if (!t->all.count || t->all.at[t->all.count - 1].time != time)
		timeline_add(t, &none, 0);
	return &t->all.at[t->all.count - 1];
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
	uint64_t entered = 0, ended = 0;

	for (uint32_t i = 0; i < t->all.count; i++) {
		const struct interval *at = &t->all.at[i];

		if (w->kind != WINDOW_ALL && interval_middle(at->since, at->time) > w->to)
			continue;
		entered += at->entries;
		for (uint32_t r = 0; r < NR_SPAN_END; r++)
			ended += at->ended[r];
	}
	return entered > ended ? entered - ended : 0;
}

void timeline_widen(const struct timeline *t, struct window *w)
{
	nsec from = w->from, to = w->to;

	if (w->kind != WINDOW_LAST && w->kind != WINDOW_RANGE)
		return;
	for (uint32_t i = 0; i < t->all.count; i++) {
		const struct interval *at = &t->all.at[i];

		if (at->since < from && from < at->time && at->since < w->from)
			w->from = at->since;
		if (at->since < to && to < at->time && at->time > w->to)
			w->to = at->time;
	}
}

void timeline_count(const struct timeline *t, const struct window *w, struct call_count *ret)
{
	bool whole = true;

	*ret = (struct call_count){ .open = timeline_open(t, w) };
	for (uint32_t i = 0; i < t->all.count; i++) {
		const struct interval *at = &t->all.at[i];
		double weight = window_weight(w, interval_middle(at->since, at->time));

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
