#include "view/answer.h"

#include "base/text.h"
#include "view/chances.h"
#include "view/extra.h"
#include "view/gap.h"

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
	struct judge judge;
	double net; /* of a sample's weight: what the tick that took it did not take */
	struct judged_list judged;
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

/* What is told of a sample on one side; without a call it is of no use to the numbers. */
static void answer_part(struct answer *a, const struct judged *part, bool taken)
{
	struct judged *to;

	if (taken)
		fold_put(&a->fold, part->node, part->side, part->samples, part->weight);
	if (!part->call)
		return;
	to = array_add(&a->judged.all);
	*to = *part;
	if (!taken)
		to->side = NR_SIDE;
}

/* How brief calls were observed that ticks fell into. */
static void answer_odds(struct answer *a)
{
	const struct store *st = a->store;
	struct odds *o = &a->judge.odds;
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
	bool taken = query_takes(a, s);
	const struct span *call;
	struct chances chances;
	uint32_t node = 0;

	if (fold_is_in_probe(&a->fold, s->node)) {
		a->in_probes += taken ? weight : 0;
		return;
	}
	if (taken) {
		node = fold_node(&a->fold, s->node);
		a->picture->samples++;
		gap_add(a->picture, a->store, s);
	}
	call = chances_of_sample(&a->judge, s, &chances);
	for (unsigned side = 0; side < NR_SIDE; side++) {
		const struct judged part = {
			.call = call ? call->id : 0,
			.duration = chances.mean[side] + 0.5,
			.chance = chances.chance[side],
			.samples = weight * chances.part[side],
			.weight = weight * chances.part[side] * s->weight * a->net,
			.of = weight,
			.node = node,
			.side = side,
		};

		if (part.chance > 0 || part.samples != 0)
			answer_part(a, &part, taken);
	}
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

/* A cell of all samples goes outside; a cell of the main probe moves its part
 * from there to its sides. */
static void answer_cell(struct answer *a, const struct cube_cell *cell)
{
	enum side outside = split_probe(a->split) ? SIDE_OUT : SIDE_IN;
	double weight = cell->weight * a->net;
	struct chances chances;
	uint32_t node;

	if (fold_is_in_probe(&a->fold, cell->node)) {
		a->in_probes += cell->probe ? 0 : cell->samples;
		return;
	}
	node = fold_node(&a->fold, cell->node);
	if (!cell->probe) {
		a->picture->samples += cell->samples;
		fold_put(&a->fold, node, outside, cell->samples, weight);
		return;
	}
	fold_put(&a->fold, node, SIDE_OUT, -(double)cell->samples, -weight);
	chances_of_bucket(&a->judge, cell->bucket, &chances);
	for (unsigned side = 0; side < NR_SIDE; side++) {
		double part = chances.part[side];

		if (part == 0 && chances.chance[side] <= 0)
			continue;
		fold_put(&a->fold, node, side, part * cell->samples, part * weight);
		if (side > SIDE_REST)
			continue;
		*(struct judged *)array_add(&a->judged.all) = (struct judged){
			.chance = chances.chance[side],
			.samples = part * cell->samples,
			.weight = part * weight,
			.of = cell->samples,
			.node = node,
			.side = side,
		};
	}
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

static int by_call(const void *va, const void *vb)
{
	const struct judged *a = va, *b = vb;

	return a->call < b->call ? -1 : a->call > b->call;
}

/* Were each sample's side known, being IN had a variance of p (1 - p), p being IN's part of
 * all; as each is IN with a chance, the mean of chance (1 - chance) is lost of it. */
static double blur_of(const struct judged_list *list)
{
	double sides[NR_SIDE + 1] = { 0 }, lost = 0, all, whole;

	for (uint32_t i = 0; i < list->all.count; i++) {
		const struct judged *j = &list->all.at[i];
		double samples = j->chance * j->of;

		sides[j->side] += samples;
		lost += j->side == SIDE_IN ? samples * (1 - j->chance) : 0;
	}
	all = sides[SIDE_IN] + sides[SIDE_REST];
	whole = all > 0 ? sides[SIDE_IN] * sides[SIDE_REST] / all : 0;
	return whole > 0 ? fmin(1, lost / whole) : 0;
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
	if (a->judged.all.count)
		qsort(a->judged.all.at, a->judged.all.count, sizeof(*a->judged.all.at),
		      by_call);
	p->blur = blur_of(&a->judged);
	calls_by_side(p, &question, &a->judged);
	extra_functions(&a->fold, probe, &a->judged);
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
	struct answer a = { .store = st, .query = q, .judge = { st, NULL, newest, { 0 } } };
	int r = answer_window(&a, until, err);

	if (r) {
		split_free(a.split);
		return r;
	}
	a.picture = picture_new();
	fold_init(&a.fold, a.picture, st, naming, q);
	a.judge.split = a.split;
	a.net = net_of(st);
	answer_odds(&a);
	answer_origin(&a);
	a.picture->asked = a.window.to - a.window.from > a.asked ? a.asked : 0;
	answer_samples(&a);
	answer_cube(&a);
	fold_write(&a.fold);
	answer_losses(&a);
	answer_split(&a);
	fold_done(&a.fold);
	odds_done(&a.judge.odds);
	array_done(&a.judged.all);
	split_free(a.split);
	*ret = a.picture;
	return 0;
}
