#include "view/strata.h"

#include "view/scatter.h"

#include <math.h>

void strata_done(struct strata *s)
{
	for (uint32_t i = 0; i < s->list.count; i++) {
		array_done(&s->list.at[i].entries);
		free(s->list.at[i].torn);
		free(s->list.at[i].torn_put);
	}
	array_done(&s->list);
	array_done(&s->taken);
	table_done(&s->kinds);
}

static uint32_t stratum_of(struct strata *s, const struct stratum_kind *kind)
{
	uint64_t key = hash_bytes(kind->side, kind->sides, kind->bucket);
	uint32_t at = table_find(&s->kinds, key);

	if (at != TABLE_NONE)
		return at;
	at = s->list.count;
	((struct stratum *)array_add(&s->list))->kind = *kind;
	table_set(&s->kinds, key, at);
	return at;
}

void strata_take(struct strata *s, const struct stratum_kind *kind, bool in_call, span_id call,
		 struct strata_entry entry)
{
	struct strata_taken taken = { call, stratum_of(s, kind), entry };

	if (in_call)
		array_push(&s->taken, taken);
	else
		array_push(&s->list.at[taken.stratum].entries, entry);
}

static int by_call(const void *va, const void *vb)
{
	const struct strata_taken *a = va, *b = vb;

	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return a->stratum < b->stratum ? -1 : a->stratum > b->stratum;
}

/* How many from there on are of the same call; of the same stratum, too, or not. */
static uint32_t run_length(const struct strata *s, uint32_t from, bool of_stratum)
{
	const struct strata_taken *first = &s->taken.at[from];
	uint32_t i = from + 1;

	while (i < s->taken.count && s->taken.at[i].call == first->call &&
	       (!of_stratum || s->taken.at[i].stratum == first->stratum))
		i++;
	return i - from;
}

/* A sampled call counts in one stratum: that of the best side any of its samples is on; where
 * its side is known by chance only, in each of its samples' by a part. */
static void count_call(struct strata *s, nsec period, uint32_t from, uint32_t count)
{
	struct stratum *best = NULL;
	double lasted = s->taken.at[from].entry.lasted, hit;

	for (uint32_t i = from; i < from + count; i++) {
		struct stratum *st = &s->list.at[s->taken.at[i].stratum];

		if (st->kind.sides > 1)
			st->calls += 1. / count;
		else if (!best || st->kind.side[0] < best->kind.side[0])
			best = st;
	}
	if (!best)
		return;
	best->calls++;
	if (lasted <= 0)
		return;
	hit = period ? fmax(1 - exp(-lasted / period), 1e-9) : 1;
	best->weighed += 1 / hit;
	best->weighed_nsec += lasted / hit;
}

static void file_run(struct strata *s, uint32_t from, uint32_t count, struct scatter *scatter)
{
	struct stratum *st = &s->list.at[s->taken.at[from].stratum];

	for (uint32_t i = from; i < from + count; i++) {
		array_push(&st->entries, s->taken.at[i].entry);
		st->judged += s->taken.at[i].entry.samples;
		st->judged_nsec += s->taken.at[i].entry.nsec;
	}
	if (scatter && !(st->kind.sides == 1 && st->kind.side[0] > SIDE_REST))
		scatter_add(scatter, &s->taken.at[from], count);
}

void strata_file(struct strata *s, nsec period, struct scatter *scatter)
{
	uint32_t i = 0, end, run;

	if (s->taken.count)
		qsort(s->taken.at, s->taken.count, sizeof(*s->taken.at), by_call);
	while (i < s->taken.count) {
		end = i + run_length(s, i, false);
		if (s->taken.at[i].call)
			count_call(s, period, i, end - i);
		for (; i < end; i += run) {
			run = run_length(s, i, true);
			file_run(s, i, run, scatter);
		}
	}
	array_clear(&s->taken);
}

static void be_sure(struct chances *c, enum side side)
{
	c->chance[side] = c->part[side] = 1;
}

static void add_interval(struct chances *c, enum side side, const struct odds_of_call *of,
			 uint32_t i)
{
	double all = c->chance[side] + of->chance[i];

	if (all > 0)
		c->mean[side] =
			(c->chance[side] * c->mean[side] + of->chance[i] * of->mean[i]) / all;
	else
		c->mean[side] = of->mean[i];
	c->chance[side] = all;
	c->part[side] += of->part[i];
}

static bool is_torn(const struct split *split, uint32_t bucket)
{
	double bounds[ODDS_MOST], low = bucket_low(bucket), end = bucket_low(bucket + 1);
	uint32_t count = split_bounds(split, bounds, ODDS_MOST);

	for (uint32_t i = 0; i < count; i++)
		if (bounds[i] >= low && bounds[i] < end)
			return true;
	return false;
}

/* Judges every entry by itself. */
static void tear(struct stratum *st, const struct split *split)
{
	struct chances *c = &st->chances;
	double all = 0;

	st->torn = mem_zeroed(st->entries.count + 1, 1);
	for (uint32_t i = 0; i < st->entries.count; i++) {
		const struct strata_entry *e = &st->entries.at[i];

		st->torn[i] = split_side_of_duration(split, e->lasted);
		c->part[st->torn[i]] += e->samples;
		all += e->samples;
	}
	for (unsigned side = 0; side < NR_STRATA_SIDE; side++)
		c->chance[side] = c->part[side] = all > 0 ? c->part[side] / all : 0;
}

static void share(struct stratum *st, const struct split *split, struct odds *odds)
{
	const struct stratum_kind *kind = &st->kind;
	const struct odds_of_call *of = kind->bucket < NR_BUCKET && kind->sides != 1
						? odds_ask(odds, kind->bucket)
						: NULL;
	struct chances *c = &st->chances;

	*c = (struct chances){ .brief = of != NULL };
	free(st->torn);
	st->torn = NULL;
	if (of) {
		for (uint32_t i = 0; i < odds->intervals; i++)
			add_interval(c,
				     kind->sides ? kind->side[i]
						 : split_side_of_duration(split, of->mean[i]),
				     of, i);
	} else if (kind->sides) {
		be_sure(c, kind->side[0]);
	} else if (is_torn(split, kind->bucket)) {
		tear(st, split);
	} else {
		be_sure(c, split_side_of_duration(split, dist_middle(kind->bucket)));
	}
}

void strata_share(struct strata *s, const struct split *split, struct odds *odds)
{
	for (uint32_t i = 0; i < s->list.count; i++)
		share(&s->list.at[i], split, odds);
}

void strata_hits(const struct strata *s, uint32_t end, struct dist *ret)
{
	for (uint32_t i = 0; i < s->list.count; i++) {
		const struct stratum *st = &s->list.at[i];

		if (!st->kind.sides && st->kind.bucket < end)
			dist_add(ret, st->kind.bucket, st->judged);
	}
}

/* Adds a part of the entries [from, to) to a side. */
static void put_part(const struct stratum *st, uint32_t from, uint32_t to, double part,
		     struct profile *self, struct profile *weight)
{
	for (uint32_t i = from; i < to && part != 0; i++) {
		const struct strata_entry *e = &st->entries.at[i];

		profile_put(self, e->node, part * e->samples);
		profile_put(weight, e->node, part * e->nsec);
	}
}

/* Entries whose sides are their own. */
static void put_torn(const struct stratum *st, const uint8_t *torn, uint32_t count, double sign,
		     struct profile *self, struct profile *weight)
{
	for (uint32_t i = 0; i < count; i++)
		put_part(st, i, i + 1, torn[i] < NR_SIDE ? sign : 0, &self[torn[i] % NR_SIDE],
			 &weight[torn[i] % NR_SIDE]);
}

static void take_torn_back(struct stratum *st, struct profile *self, struct profile *weight)
{
	put_torn(st, st->torn_put, st->nr_put, -1, self, weight);
	free(st->torn_put);
	st->torn_put = NULL;
	memset(st->put, 0, sizeof(st->put));
	st->nr_put = 0;
}

static void put_stratum(struct stratum *st, struct profile *self, struct profile *weight)
{
	if (st->torn_put)
		take_torn_back(st, self, weight);
	for (unsigned side = 0; side < NR_SIDE; side++) {
		double part = st->torn ? 0 : st->chances.part[side];

		put_part(st, 0, st->nr_put, part - st->put[side], &self[side], &weight[side]);
		put_part(st, st->nr_put, st->entries.count, part, &self[side], &weight[side]);
		st->put[side] = part;
	}
	st->nr_put = st->entries.count;
	if (!st->torn)
		return;
	put_torn(st, st->torn, st->nr_put, 1, self, weight);
	st->torn_put = st->torn;
	st->torn = NULL;
}

void strata_put(struct strata *s, struct profile *self, struct profile *weight)
{
	for (uint32_t i = 0; i < s->list.count; i++)
		put_stratum(&s->list.at[i], self, weight);
}

void strata_drop_open(struct strata *s, struct scatter *scatter, struct profile *self,
		      struct profile *weight)
{
	for (uint32_t i = 0; i < s->list.count; i++) {
		struct stratum *st = &s->list.at[i];

		if (st->kind.bucket != STRATUM_NOW)
			continue;
		for (unsigned side = 0; side < NR_SIDE; side++)
			put_part(st, 0, st->nr_put, -st->put[side], &self[side], &weight[side]);
		array_clear(&st->entries);
		st->nr_put = 0;
		st->judged = st->judged_nsec = st->calls = 0;
		memset(st->put, 0, sizeof(st->put));
		if (scatter)
			scatter_forget(scatter, i);
	}
}
