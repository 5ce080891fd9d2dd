#include "view/gather.h"

#include "base/text.h"
#include "view/gap.h"
#include "view/kinds.h"
#include "wire/sample_cause.h"

#include <math.h>

#define ORDER_SLACK (2 * NSEC_PER_SEC) /* samples may come so much later than younger ones */
#define FADED 24		       /* half-lives, after which a sample is as good as gone */
#define UNTOLD (10 * NSEC_PER_SEC)     /* a call that nothing was told of for so long is lost */
#define OPEN_MOST 65536		       /* samples that are judged each time; others once */
#define RENAME_TIMES 20		       /* names are made anew for a 20th of the time at most */
#define TEXTS_MOST (1u << 20)	       /* of a picture, beyond its frames and nodes */

struct gathering {
	struct gather *g;
	const struct gather_question *q;
	struct kinds kinds;
};

static const struct store_probe *probe_of(const struct gather_question *q)
{
	return store_probe(q->store, split_probe(q->split));
}

struct gather_about gather_about(const struct gather_question *q)
{
	const struct store_probe *probe = probe_of(q);
	bool all = q->window->kind == WINDOW_ALL;
	struct gather_about about = {
		.lasting = q->by_duration && (all || q->query->until),
		.kind = q->window->kind,
		.inside = split_is_inside(q->split),
	};

	if (!all) {
		about.length = q->window->length;
		about.from = q->window->from;
		about.to = q->window->to;
	}
	if (probe) {
		about.probe = probe->id;
		about.armed = probe->armed;
		about.removed = probe->removed;
	}
	return about;
}

static bool about_same(const struct gather_about *a, const struct gather_about *b)
{
	return a->lasting && b->lasting && a->kind == b->kind && a->length == b->length &&
	       a->from == b->from && a->to == b->to && a->probe == b->probe &&
	       a->armed == b->armed && a->removed == b->removed && a->inside == b->inside;
}

static bool folds_alike(const struct gather *g, const struct gather_question *q)
{
	return g->store == q->store && g->fold_by == q->query->fold &&
	       g->no_kernel == q->query->no_kernel && g->no_user == q->query->no_user;
}

bool gather_suits(const struct gather *g, const struct gather_question *q)
{
	struct gather_about about = gather_about(q);

	return g->begun && folds_alike(g, q) && about_same(&g->about, &about) &&
	       g->taken >= q->store->samples.dropped;
}

static void forget_samples(struct gather *g)
{
	strata_done(&g->strata);
	g->strata = (struct strata){ .list = { 0 } };
	extra_done(&g->extra);
	extra_init(&g->extra, &g->fold);
	fold_clear(&g->fold);
	array_clear(&g->open);
	array_clear(&g->picture->gaps);
	g->losses = (struct picture_losses){ 0 };
	g->samples = g->forgotten = 0;
	g->in_probes = 0;
	g->taken = 0;
	g->begun = false;
}

void gather_done(struct gather *g)
{
	strata_done(&g->strata);
	extra_done(&g->extra);
	fold_done(&g->fold);
	picture_free(g->picture);
	array_done(&g->open);
	*g = (struct gather){ .store = NULL };
}

static void name_anew(struct gather *g, const struct gather_question *q)
{
	gather_done(g);
	g->store = q->store;
	g->fold_by = q->query->fold;
	g->no_kernel = q->query->no_kernel;
	g->no_user = q->query->no_user;
	g->picture = picture_new();
	g->picture->lineage = q->number;
	fold_init(&g->fold, g->picture, q->store);
	extra_init(&g->extra, &g->fold);
}

static bool query_takes(const struct gather_question *question, const struct sample *s)
{
	const struct query *q = question->query;

	return (!q->tid || q->tid == s->tid) && (!q->pid || q->pid == s->pid) &&
	       (!q->causes || q->causes & CAUSE_BIT(s->cause)) &&
	       (!q->thread || text_glob(q->thread, store_thread_name(question->store, s->tid)));
}

/* Of what it weighs a part will be taken off for ticks: a look at who waits took nothing. */
static double nsec_of(const struct gathering *o, const struct sample *s)
{
	return s->cause == CAUSE_CPU ? s->weight : s->weight / o->q->net;
}

static void put_call(struct gathering *o, const struct stratum_kind *kind,
		     const struct span *call, uint32_t node, const struct sample *s,
		     double weight)
{
	struct gather *g = o->g;
	struct strata_entry entry = {
		.node = node,
		.samples = weight * sample_moments(s, o->q->store->origin.period),
		.nsec = weight * nsec_of(o, s),
	};

	if (call && span_finished(call))
		entry.lasted = fmax(1, span_age(call, 0));
	strata_take(&g->strata, kind, call != NULL, call ? call->id : 0, entry);
}

/* May it be judged otherwise the next time? */
static bool is_open(const struct gathering *o, const struct span *call,
		    const struct stratum_kind *kind, const struct sample *s)
{
	if (s->held == HELD_LATER && s->time + UNTOLD > o->q->newest)
		return true;
	if (call)
		return !span_finished(call);
	return kind->sides && kind->side[0] == SIDE_OPEN && s->time + UNTOLD > o->q->newest;
}

static uint32_t node_of(struct gather *g, uint32_t node, const struct sample *s)
{
	return s->held && s->held != HELD_LATER ? fold_held(&g->fold, node, s->held) : node;
}

static void take_sample(struct gathering *o, const struct sample *s, uint64_t number,
			double weight)
{
	struct gather *g = o->g;
	bool taken = query_takes(o->q, s);
	const struct span *call;
	struct stratum_kind kind;
	uint32_t node = 0;

	if (fold_is_in_probe(&g->fold, s->node)) {
		g->in_probes += taken ? weight : 0;
		return;
	}
	if (taken) {
		node = node_of(g, fold_node(&g->fold, s->node), s);
		g->samples += sample_moments(s, o->q->store->origin.period);
		gap_add(g->picture, o->q->store, s);
	}
	call = kind_of_sample(&o->kinds, s, !taken, &kind);
	if (taken && g->open.count < OPEN_MOST && is_open(o, call, &kind, s))
		array_push(&g->open, ((struct gather_open){ *s, number, node, weight }));
	else if (taken || call)
		put_call(o, &kind, call, node, s, weight);
}

/* Samples are nearly in order. */
static uint32_t first_since(const struct samples *samples, nsec time)
{
	uint32_t from = 0, to = samples->count;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (sample_at(samples, middle)->time < time)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static uint32_t first_of(const struct gathering *o)
{
	const struct samples *samples = &o->q->store->samples;
	const struct window *w = o->q->window;
	uint32_t first = o->g->taken > samples->dropped ? o->g->taken - samples->dropped : 0;
	uint32_t since;
	nsec from = w->from;

	if (w->kind == WINDOW_ALL)
		return first;
	if (w->kind == WINDOW_EWMA && w->length < w->to / FADED &&
	    w->to - FADED * w->length > from)
		from = w->to - FADED * w->length;
	since = from > ORDER_SLACK ? first_since(samples, from - ORDER_SLACK) : 0;
	return since > first ? since : first;
}

static void take_samples(struct gathering *o)
{
	const struct samples *samples = &o->q->store->samples;

	for (uint32_t i = first_of(o); i < samples->count; i++) {
		const struct sample *s = sample_at(samples, i);
		double weight = window_weight(o->q->window, s->time);

		if (weight > 0)
			take_sample(o, s, samples->dropped + i, weight);
	}
	o->g->taken = samples->dropped + samples->count;
}

/* A cell of all samples goes outside; a cell of the main probe moves its part from there into
 * calls. */
static void take_cell(struct gathering *o, const struct cube_cell *cell)
{
	struct gather *g = o->g;
	struct stratum_kind outside =
		kind_of_side(split_probe(o->q->split) ? SIDE_OUT : SIDE_IN);
	struct stratum_kind kind = kind_of_bucket(&o->kinds, cell->bucket);
	struct strata_entry entry = { .samples = cell->samples, .nsec = cell->weight };

	if (fold_is_in_probe(&g->fold, cell->node)) {
		g->in_probes += cell->probe ? 0 : cell->samples;
		return;
	}
	entry.node = fold_node(&g->fold, cell->node);
	if (!cell->probe) {
		g->samples += cell->samples;
		strata_take(&g->strata, &outside, false, 0, entry);
		return;
	}
	entry.lasted = cell->bucket < NR_BUCKET ? dist_middle(cell->bucket) : 0;
	strata_take(&g->strata, &kind, !kind.sides || kind.side[0] <= SIDE_REST, 0, entry);
	entry.samples = -entry.samples;
	entry.nsec = -entry.nsec;
	entry.lasted = 0;
	strata_take(&g->strata, &outside, false, 0, entry);
}

/* Which of the samples were taken while the probe was not there? */
static bool cube_knows(const struct cube *c, const struct store_probe *probe)
{
	return !probe || (!probe->uncubed && (!probe->removed || probe->removed >= c->newest));
}

static void take_cube(struct gathering *o)
{
	const struct cube *c = &o->q->store->cube;
	const struct window *w = o->q->window;

	if (w->kind != WINDOW_ALL || !o->q->by_duration || !cube_knows(c, probe_of(o->q))) {
		if (w->from <= c->newest)
			o->g->forgotten = c->samples + c->refused;
		return;
	}
	for (uint32_t i = 0; i < c->cells.count; i++) {
		if (!c->cells.at[i].probe || c->cells.at[i].probe == split_probe(o->q->split))
			take_cell(o, &c->cells.at[i]);
	}
	o->g->forgotten = c->refused;
}

/* By now it may be known what the one did that it waited for. */
static void look_again(struct gather *g, const struct samples *samples,
		       struct gather_open *open)
{
	const struct sample *s;

	if (open->sample.held != HELD_LATER || open->number < samples->dropped)
		return;
	s = sample_at(samples, open->number - samples->dropped);
	open->sample.held = s->held;
	open->node = node_of(g, open->node, s);
}

/* Those that are still open count for this answer only. */
static void take_open(struct gathering *o)
{
	struct gather *g = o->g;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < g->open.count; i++) {
		struct gather_open open = g->open.at[i];
		struct stratum_kind kind;
		const struct span *call;

		look_again(g, &o->q->store->samples, &open);
		call = kind_of_sample(&o->kinds, &open.sample, false, &kind);

		if (is_open(o, call, &kind, &open.sample)) {
			kind.bucket = STRATUM_NOW;
			g->open.at[kept++] = open;
		}
		put_call(o, &kind, call, open.node, &open.sample, open.weight);
	}
	g->open.count = kept;
}

/* False: what was told to the scatter before was wrong. */
static bool go_over(struct gathering *o)
{
	const struct store_probe *probe = probe_of(o->q);
	struct gather *g = o->g;
	struct scatter *scatter = probe ? &g->extra.scatter : NULL;

	fold_begin(&g->fold, o->q->naming, o->q->query);
	g->picture->losses = g->losses;
	strata_drop_open(&g->strata, scatter, g->fold.self, g->fold.weight);
	take_samples(o);
	if (!g->begun)
		take_cube(o);
	take_open(o);
	g->begun = true;
	g->losses = g->picture->losses;
	if (probe && !extra_reach(&g->extra, probe))
		return false;
	strata_file(&g->strata, o->q->store->origin.period, scatter);
	return true;
}

/* A name is a better one by now, and it is time to make all anew. */
static bool is_dull(struct gather *g, const struct gather_question *q)
{
	nsec now = clock_now();

	if (g->picture->text.strings.count >
	    TEXTS_MOST + 4 * (g->picture->frames.count + g->picture->nodes.count))
		return true;
	if (now - g->renamed < RENAME_TIMES * g->renaming)
		return false;
	fold_begin(&g->fold, q->naming, q->query);
	return fold_sharpened(&g->fold);
}

void gather_names(struct gather *g, const struct gather_question *q)
{
	if (!g->picture || !folds_alike(g, q) || is_dull(g, q))
		name_anew(g, q);
	fold_begin(&g->fold, q->naming, q->query);
}

void gather_update(struct gather *g, const struct gather_question *q)
{
	struct gathering o = { g,
			       q,
			       { q->store, q->split, q->newest, q->by_duration, q->odds } };
	nsec began = clock_now();
	bool anew;

	gather_names(g, q);
	anew = g->picture->nodes.count == 1;
	if (!gather_suits(g, q))
		forget_samples(g);
	picture_clear(g->picture);
	if (!go_over(&o)) {
		forget_samples(g);
		go_over(&o);
	}
	g->about = gather_about(q);
	g->picture->samples = whole_number(g->samples);
	g->picture->losses.forgotten = g->forgotten;
	if (anew) {
		g->renamed = clock_now();
		g->renaming = g->renamed - began;
	}
}
