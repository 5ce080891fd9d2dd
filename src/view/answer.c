#include "view/answer.h"

#include "view/blur.h"
#include "view/gap.h"
#include "view/toll.h"
#include "wire/sample_cause.h"

#include <math.h>

#define NODES_MOST 500000 /* of all that is kept, beyond which no more is: 200 bytes each */

/* One question while it is answered. */
struct answer {
	const struct store *store;
	const struct query *query;
	struct window window; /* resolved */
	nsec asked;	      /* how long it was before it was widened */
	nsec newest;	      /* time known */
	struct split *split;
	struct odds odds;
	bool by_duration;
	struct gather *gather;
	struct picture *picture; /* of the gather */
	double net; /* of a sample's weight: what the tick that took it did not take */
};

static bool query_is_filtered(const struct query *q)
{
	return q->thread || q->tid || q->pid;
}

/* How brief calls were observed that ticks fell into: of all samples, as the more the better.
 */
static void answer_hits(const struct answer *a, struct dist *ret)
{
	const struct store *st = a->store;
	const struct odds *o = &a->odds;
	struct fold *fold = &a->gather->fold;
	bool broken;

	for (uint32_t i = 0; i < st->samples.count; i++) {
		const struct sample *s = sample_at(&st->samples, i);
		const struct span *call = store_enclosing(st, s->span, o->probe->id, &broken);

		if (s->cause == CAUSE_CPU && call && span_finished(call) &&
		    span_age(call, 0) < o->brief && !fold_is_in_probe(fold, s->node))
			dist_add(ret, bucket_of(span_age(call, 0)), 1);
	}
	for (uint32_t i = 0; i < st->cube.cells.count; i++) {
		const struct cube_cell *c = &st->cube.cells.at[i];

		if (c->probe == o->probe->id && c->bucket < bucket_of(o->brief) &&
		    !fold_is_in_probe(fold, c->node))
			dist_add(ret, c->bucket, c->samples);
	}
}

/* Of all samples, those gathered know as well. */
static bool gathers_all(const struct answer *a)
{
	return a->by_duration && a->window.kind == WINDOW_ALL;
}

static void answer_odds(struct answer *a)
{
	struct dist *hit;

	if (!a->odds.calls)
		return;
	hit = NEW(struct dist);
	if (gathers_all(a))
		strata_hits(&a->gather->strata, bucket_of(a->odds.brief), hit);
	else
		answer_hits(a, hit);
	odds_learn(&a->odds, hit);
	free(hit);
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
	p->namesakes = true;
	for (uint32_t i = 1; i < st->processes.count; i++)
		p->namesakes &= strcmp(st->processes.at[i].comm, st->processes.at[0].comm) == 0;
	p->threads = st->threads_seen;
	p->from = a->window.from;
	p->to = a->window.to;
	p->wall = origin->wall ? origin->wall + (a->window.from - origin->time) : 0;
	p->hz = origin->hz;
	p->cpus = origin->cpus;
	p->period = origin->period;
	p->causes = st->causes ? st->causes : CAUSES_ON;
	if (a->query->causes)
		p->causes &= a->query->causes;
	p->ended = st->has_end && st->end.reason <= ENDED_BY_TARGET ? st->end.reason
								    : ENDED_BY_TIME;
	p->cut = !st->has_end && !a->query->live;
}

static void answer_losses(struct answer *a)
{
	struct picture_losses *to = &a->picture->losses;
	const struct event_loss *from = &a->store->losses;
	struct picture *p = a->picture;

	to->ring = from->ring;
	to->samples = from->samples;
	to->spans = from->spans;
	to->spans_unmatched = from->unmatched;
	to->throttled = from->throttled;
	to->tick_nsec = from->tick_nsec;
	to->children = a->store->children.count;
	to->children_unwatched = a->store->children.unwatched;
	to->children_latest = a->store->children.latest;
	to->programs = a->store->programs.count;
	to->programs_latest = a->store->programs.latest;
	to->in_probes = (uint64_t)(a->gather->in_probes + 0.5);
	if (a->store->probes.count && !query_is_filtered(a->query))
		toll_by_samples(to, a->gather->in_probes, a->store->origin.period);
	if (to->stacks_unreadable < from->stacks)
		to->stacks_unreadable = from->stacks;
	gap_sort(p);
}

static void answer_split(struct answer *a)
{
	const struct calls_question question = { a->store, &a->window, a->split,
						 query_is_filtered(a->query) };
	const struct store_probe *probe = store_probe(a->store, split_probe(a->split));
	struct picture *p = a->picture;
	bool of_duration;

	for (uint32_t i = 0; i < a->store->probes.count; i++) {
		calls_add_span(p, a->store, &a->store->probes.at[i], &a->window);
		p->losses.probe_nsec += p->spans.at[i].entries * p->spans.at[i].cost_nsec;
		if (probe == &a->store->probes.at[i])
			p->split_span = i;
	}
	if (a->query->split)
		p->split_expr = intern_text(&p->text, a->query->split);
	p->threshold = split_threshold(a->split, &of_duration);
	if (!probe)
		return;
	calls_by_side(p, &question, &a->gather->strata);
	p->blur =
		blur_of(&a->gather->strata, p->sides[SIDE_IN].calls, p->sides[SIDE_REST].calls);
	if (p->blur > BLUR_MOST && of_duration)
		p->clearer = blur_least(&a->gather->strata, &a->odds,
					&p->spans.at[p->split_span], p->threshold);
	extra_functions(&a->gather->extra, &a->gather->strata, a->net);
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

static void answer_with(struct answer *a, const struct gather_question *q)
{
	struct gather *g = a->gather;

	odds_init(&a->odds, a->store, a->split, &a->window, a->by_duration);
	if (!gathers_all(a) && a->odds.calls) {
		gather_names(g, q);
		answer_odds(a);
	}
	gather_update(g, q);
	a->picture = g->picture;
	if (gathers_all(a))
		answer_odds(a);
	a->picture->asked = a->window.to - a->window.from > a->asked ? a->asked : 0;
	answer_origin(a);
	strata_share(&g->strata, a->split, &a->odds);
	strata_put(&g->strata, g->fold.self, g->fold.weight);
	fold_write(&g->fold, a->net);
	answer_losses(a);
	answer_split(a);
	odds_done(&a->odds);
}

static uint64_t kept_nodes(const struct answers *kept)
{
	uint64_t nodes = 0;

	for (unsigned i = 0; i < ANSWERS_KEPT; i++)
		nodes += kept->at[i].picture ? kept->at[i].picture->nodes.count : 0;
	return nodes;
}

/* Of those that were kept: the one that suits; else one that has nothing lasting, for a
 * question that has not either; an empty one, as long as there are not many nodes; the one
 * that was asked longest ago. */
static unsigned choose(const struct answers *kept, const struct gather_question *q)
{
	bool lasting = gather_about(q).lasting, full = kept_nodes(kept) > NODES_MOST;
	unsigned best = 0, best_rank = 0;

	for (unsigned i = 0; i < ANSWERS_KEPT; i++) {
		const struct gather *g = &kept->at[i];
		unsigned rank = gather_suits(g, q)			    ? 4
				: g->begun && !g->about.lasting && !lasting ? 3
				: !g->begun && !full			    ? 2
				: g->begun				    ? 1
									    : 0;

		if (rank > best_rank ||
		    (rank == best_rank && rank == 1 && kept->used[i] < kept->used[best])) {
			best = i;
			best_rank = rank;
		}
	}
	return best;
}

int answers_ask(struct answers *kept, const struct store *st, const struct query *q,
		const struct naming *naming, struct picture **ret, struct error *err)
{
	/* what comes behind the end only tells of what was before it */
	nsec newest =
		st->has_end && st->end.head.time > st->first ? st->end.head.time : st->newest;
	nsec until = q->until && q->until < newest ? q->until : newest;
	struct answer a = { .store = st, .query = q, .newest = newest };
	int r = answer_window(&a, until, err);

	if (r == 0) {
		struct gather_question question = {
			.store = st,
			.query = q,
			.naming = naming,
			.window = &a.window,
			.split = a.split,
			.odds = &a.odds,
			.newest = newest,
			.net = net_of(st),
			.number = ++kept->asked,
			.by_duration = split_is_by_duration(a.split) && !query_is_filtered(q) &&
				       !q->causes,
		};
		unsigned slot = choose(kept, &question);

		kept->used[slot] = kept->asked;
		a.gather = &kept->at[slot];
		a.by_duration = question.by_duration;
		a.net = net_of(st);
		answer_with(&a, &question);
		*ret = a.picture;
	}
	split_free(a.split);
	return r;
}

bool answers_hold(const struct answers *kept, const struct picture *p, uint64_t asked)
{
	for (unsigned i = 0; i < ANSWERS_KEPT; i++)
		if (kept->at[i].picture == p && kept->used[i] == asked)
			return true;
	return false;
}

void answers_done(struct answers *kept)
{
	for (unsigned i = 0; i < ANSWERS_KEPT; i++)
		gather_done(&kept->at[i]);
}

int view_answer(const struct store *st, const struct query *q, const struct naming *naming,
		struct picture **ret, struct error *err)
{
	struct answers *once = NEW(struct answers);
	int r = answers_ask(once, st, q, naming, ret, err);

	if (r == 0) {
		once->at[0].picture = NULL; /* it is the caller's */
		(*ret)->lineage = 0;
	}
	answers_done(once);
	free(once);
	return r;
}
