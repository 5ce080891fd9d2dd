#include "view/answer.h"

#include "base/text.h"
#include "view/extra.h"
#include "view/gap.h"
#include "view/kinds.h"

#include <math.h>

/* One question while it is answered. */
struct answer {
	const struct store *store;
	const struct query *query;
	struct window window; /* resolved */
	nsec asked;	      /* how long it was before it was widened */
	struct split *split;
	struct picture *picture;
	struct fold fold;
	struct odds odds;
	struct kinds kinds;
	struct strata strata;
	struct extra extra;
	double net;	  /* of a sample's weight: what the tick that took it did not take */
	double in_probes; /* samples left out */
};

static bool query_is_filtered(const struct query *q)
{
	return q->thread || q->tid || q->pid;
}

static bool query_takes(const struct answer *a, const struct sample *s)
{
	const struct query *q = a->query;

	return (!q->tid || q->tid == s->tid) && (!q->pid || q->pid == s->pid) &&
	       (!q->thread || text_glob(q->thread, store_thread_name(a->store, s->tid)));
}

/* How brief calls were observed that ticks fell into. */
static void answer_odds(struct answer *a)
{
	const struct store *st = a->store;
	struct odds *o = &a->odds;
	struct dist *hit = NEW(struct dist);
	bool broken;

	odds_init(o, st, a->split, &a->window);
	for (uint32_t i = 0; o->calls && i < st->samples.count; i++) {
		const struct sample *s = sample_at(&st->samples, i);
		const struct span *call = store_enclosing(st, s->span, o->probe->id, &broken);

		if (call && span_finished(call) && span_age(call, 0) < o->brief &&
		    !fold_is_in_probe(&a->fold, s->node))
			dist_add(hit, bucket_of(span_age(call, 0)), 1);
	}
	for (uint32_t i = 0; o->calls && i < st->cube.cells.count; i++) {
		const struct cube_cell *c = &st->cube.cells.at[i];

		if (c->probe == o->probe->id && c->bucket < bucket_of(o->brief) &&
		    !fold_is_in_probe(&a->fold, c->node))
			dist_add(hit, c->bucket, c->samples);
	}
	odds_learn(o, hit);
	free(hit);
}

static void answer_sample(struct answer *a, const struct sample *s, double weight)
{
	struct strata_entry entry = { .samples = weight, .nsec = weight * s->weight };
	bool taken = query_takes(a, s);
	const struct span *call;
	struct stratum_kind kind;

	if (fold_is_in_probe(&a->fold, s->node)) {
		a->in_probes += taken ? weight : 0;
		return;
	}
	if (taken) {
		entry.node = fold_node(&a->fold, s->node);
		a->picture->samples++;
		gap_add(a->picture, a->store, s);
	}
	call = kind_of_sample(&a->kinds, s, !taken, &kind);
	if (call && span_finished(call))
		entry.lasted = fmax(1, span_age(call, 0));
	if (taken || call)
		strata_take(&a->strata, &kind, call != NULL, call ? call->id : 0, entry);
}

static void answer_samples(struct answer *a)
{
	for (uint32_t i = 0; i < a->store->samples.count; i++) {
		const struct sample *s = sample_at(&a->store->samples, i);
		double weight = window_weight(&a->window, s->time);

		if (weight > 0)
			answer_sample(a, s, weight);
	}
}

/* A cell of all samples goes outside; a cell of the main probe moves its part from there into
 * calls. */
static void answer_cell(struct answer *a, const struct cube_cell *cell)
{
	struct stratum_kind outside = kind_of_side(split_probe(a->split) ? SIDE_OUT : SIDE_IN);
	struct stratum_kind kind = kind_of_bucket(&a->kinds, cell->bucket);
	struct strata_entry entry = { .samples = cell->samples, .nsec = cell->weight };

	if (fold_is_in_probe(&a->fold, cell->node)) {
		a->in_probes += cell->probe ? 0 : cell->samples;
		return;
	}
	entry.node = fold_node(&a->fold, cell->node);
	if (!cell->probe) {
		a->picture->samples += cell->samples;
		strata_take(&a->strata, &outside, false, 0, entry);
		return;
	}
	entry.lasted = cell->bucket < NR_BUCKET ? dist_middle(cell->bucket) : 0;
	strata_take(&a->strata, &kind, !kind.sides || kind.side[0] <= SIDE_REST, 0, entry);
	entry.samples = -entry.samples;
	entry.nsec = -entry.nsec;
	strata_take(&a->strata, &outside, false, 0, entry);
}

/* Which of the samples were taken while the probe was not there? */
static bool cube_knows(const struct cube *c, const struct store_probe *probe)
{
	return !probe || (!probe->uncubed && (!probe->removed || probe->removed >= c->newest));
}

static void answer_cube(struct answer *a)
{
	const struct cube *c = &a->store->cube;

	if (a->window.kind != WINDOW_ALL || query_is_filtered(a->query) ||
	    !split_is_by_duration(a->split) ||
	    !cube_knows(c, store_probe(a->store, split_probe(a->split)))) {
		if (a->window.from <= c->newest)
			a->picture->losses.forgotten = c->samples + c->refused;
		return;
	}
	for (uint32_t i = 0; i < c->cells.count; i++) {
		if (!c->cells.at[i].probe || c->cells.at[i].probe == split_probe(a->split))
			answer_cell(a, &c->cells.at[i]);
	}
	a->picture->losses.forgotten = c->refused;
}

static text_id answer_text(struct answer *a, text_id id)
{
	return intern_text(&a->picture->text, intern_string(&a->store->text, id));
}

static void answer_origin(struct answer *a)
{
	const struct store *st = a->store;
	const struct store_origin *origin = &st->origin;
	struct picture *p = a->picture;

	p->host = answer_text(a, origin->host);
	p->kernel = answer_text(a, origin->kernel);
	if (st->processes.count) {
		p->pid = st->processes.at[0].pid;
		p->comm = intern_text(&p->text, st->processes.at[0].comm);
	}
	p->processes = st->processes.count;
	p->threads = st->threads_seen;
	p->from = a->window.from;
	p->to = a->window.to;
	p->wall = origin->wall ? origin->wall + (a->window.from - origin->time) : 0;
	p->hz = origin->hz;
	p->cpus = origin->cpus;
	p->period = origin->period;
	p->ended = st->has_end && st->end.reason <= ENDED_BY_TARGET ? st->end.reason
								    : ENDED_BY_TIME;
	p->cut = !st->has_end && !a->query->live;
}

static void answer_losses(struct answer *a)
{
	struct picture_losses *to = &a->picture->losses;
	const struct event_loss *from = &a->store->losses;
	struct picture *p = a->picture;
	AUTO_FREE uint64_t *total = mem_zeroed(p->nodes.count, sizeof(*total));

	to->ring = from->ring;
	to->samples = from->samples;
	to->spans = from->spans;
	to->spans_unmatched = from->unmatched;
	to->throttled = from->throttled;
	to->tick_nsec = from->tick_nsec;
	to->children = a->store->children.count;
	to->children_unwatched = a->store->children.unwatched;
	to->children_latest = a->store->children.latest;
	to->in_probes = (uint64_t)(a->in_probes + 0.5);
	if (to->stacks_unreadable < from->stacks)
		to->stacks_unreadable = from->stacks;
	gap_sort(p);
	picture_totals(p, SIDE_ALL, false, total);
	for (uint32_t n = 1; n < p->nodes.count; n++) {
		enum frame_kind kind = p->frames.at[p->nodes.at[n].frame].kind;

		to->frames += kind == FRAME_OTHER ? 0 : total[n];
		to->frames_unresolved += kind == FRAME_UNKNOWN ? total[n] : 0;
	}
}

/* Were each sample's side known, being IN had a variance of p (1 - p), p being IN's part of
 * all; as each is IN with a chance, the mean of chance (1 - chance) is lost of it. */
static double blur_of(const struct strata *strata)
{
	double sides[NR_STRATA_SIDE] = { 0 }, lost = 0, all, whole;

	for (uint32_t i = 0; i < strata->list.count; i++) {
		const struct stratum *st = &strata->list.at[i];
		const double *chance = st->chances.chance;

		for (unsigned side = 0; side < NR_STRATA_SIDE; side++)
			sides[side] += chance[side] * st->judged;
		if (st->chances.brief)
			lost += chance[SIDE_IN] * (1 - chance[SIDE_IN]) * st->judged;
	}
	all = sides[SIDE_IN] + sides[SIDE_REST];
	whole = all > 0 ? sides[SIDE_IN] * sides[SIDE_REST] / all : 0;
	return whole > 0 ? fmin(1, lost / whole) : 0;
}

static void put_entry(struct answer *a, const struct stratum *st, uint32_t i)
{
	const struct strata_entry *e = &st->entries.at[i];

	for (unsigned side = 0; side < NR_SIDE; side++) {
		double part = st->torn ? st->torn[i] == side : st->chances.part[side];

		if (part != 0)
			fold_put(&a->fold, e->node, side, part * e->samples, part * e->nsec);
	}
}

/* Shares what was taken among the sides. */
static void answer_sides(struct answer *a)
{
	const struct store_probe *probe = store_probe(a->store, split_probe(a->split));

	if (probe)
		extra_init(&a->extra, &a->fold, probe);
	strata_file(&a->strata, a->store->origin.period, probe ? &a->extra.scatter : NULL);
	strata_share(&a->strata, a->split, &a->odds);
	for (uint32_t i = 0; i < a->strata.list.count; i++) {
		const struct stratum *st = &a->strata.list.at[i];

		for (uint32_t e = 0; e < st->entries.count; e++)
			put_entry(a, st, e);
	}
	fold_write(&a->fold, a->net);
}

static void answer_split(struct answer *a)
{
	const struct calls_question question = { a->store, &a->window, a->split,
						 query_is_filtered(a->query) };
	const struct store_probe *probe = store_probe(a->store, split_probe(a->split));
	struct picture *p = a->picture;

	for (uint32_t i = 0; i < a->store->probes.count; i++) {
		calls_add_span(p, a->store, &a->store->probes.at[i], &a->window);
		p->losses.probe_nsec += p->spans.at[i].entries * p->spans.at[i].cost_nsec;
		if (probe == &a->store->probes.at[i])
			p->split_span = i;
	}
	if (a->query->split)
		p->split_expr = intern_text(&p->text, a->query->split);
	p->threshold = split_threshold(a->split);
	if (!probe)
		return;
	p->blur = blur_of(&a->strata);
	calls_by_side(p, &question, &a->strata);
	extra_functions(&a->extra, &a->strata, a->net);
}

/* While a tick takes its sample the target stands still, and ticks are taken off the
 * durations of calls too. */
static double net_of(const struct store *st)
{
	nsec period = st->origin.period, tick = st->losses.tick_nsec;

	return tick < period / 2 ? 1 - (double)tick / period : 1;
}

static int answer_bind(struct answer *a, struct error *err)
{
	const struct store_probe *probe = store_main_probe(a->store);
	int r;

	if (!a->query->split) {
		a->split = split_inside(probe ? probe->id : 0);
		return 0;
	}
	r = split_parse(a->query->split, &a->split, err);
	return r ? r : split_bind(a->split, a->store, &a->window, err);
}

/* To moments between which the calls of every probe are counted. */
static void widen(const struct store *st, struct window *w)
{
	nsec before;

	do {
		before = w->to - w->from;
		for (uint32_t i = 0; i < st->probes.count; i++)
			timeline_widen(&st->probes.at[i].calls, w);
	} while (w->to - w->from > before);
}

static void resolve(struct answer *a, nsec newest)
{
	const struct store *st = a->store;
	struct window asked = a->query->window;

	/* the cube has no times */
	if (a->query->until && asked.kind == WINDOW_ALL)
		asked = (struct window){ WINDOW_LAST, .length = UINT64_MAX };
	a->window = window_resolve(&asked, st->started ? st->started : st->first, newest);
	a->asked = a->window.to - a->window.from;
	widen(st, &a->window);
}

/* Sets the window, and the split by what was in it.  What is asked of a probe that was taken
 * away is asked of the time that ended with it, if not of all there is. */
static int answer_window(struct answer *a, nsec newest, struct error *err)
{
	const struct store *st = a->store;
	const struct store_probe *probe;
	int r;

	resolve(a, newest);
	r = answer_bind(a, err);
	probe = r ? NULL : store_probe(st, split_probe(a->split));
	if (!probe || !a->query->split || !probe->removed || probe->removed >= newest ||
	    a->query->window.kind == WINDOW_ALL)
		return r;
	resolve(a, probe->removed);
	split_free(a->split);
	a->split = NULL;
	return answer_bind(a, err);
}

int view_answer(const struct store *st, const struct query *q, const struct naming *naming,
		struct picture **ret, struct error *err)
{
	/* what comes behind the end only tells of what was before it */
	nsec newest =
		st->has_end && st->end.head.time > st->first ? st->end.head.time : st->newest;
	nsec until = q->until && q->until < newest ? q->until : newest;
	struct answer a = { .store = st, .query = q };
	int r = answer_window(&a, until, err);

	if (r) {
		split_free(a.split);
		return r;
	}
	a.picture = picture_new();
	fold_init(&a.fold, a.picture, st, naming, q);
	a.kinds = (struct kinds){ st, a.split, newest,
				  split_is_by_duration(a.split) && !query_is_filtered(q),
				  &a.odds };
	a.net = net_of(st);
	answer_odds(&a);
	answer_origin(&a);
	a.picture->asked = a.window.to - a.window.from > a.asked ? a.asked : 0;
	answer_samples(&a);
	answer_cube(&a);
	answer_sides(&a);
	answer_losses(&a);
	answer_split(&a);
	extra_done(&a.extra);
	strata_done(&a.strata);
	fold_done(&a.fold);
	odds_done(&a.odds);
	split_free(a.split);
	*ret = a.picture;
	return 0;
}
