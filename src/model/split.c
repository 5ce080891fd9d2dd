#include "model/split.h"

#include "base/mem.h"
#include "base/text.h"
#include "model/judge.h"
#include "model/quantile.h"
#include "model/token.h"
#include "wire/sample_cause.h"

#include <errno.h>
#include <math.h>

int split_parse(const char *text, struct split **ret, struct error *err)
{
	struct expression *e;
	struct split *q;
	int r = expression_parse(text, &e, err);

	if (r)
		return r;
	q = NEW(struct split);
	q->expression = e;
	q->bounds = mem_zeroed(e->nodes.count, sizeof(*q->bounds));
	for (uint32_t i = 0; i < e->nodes.count; i++) {
		if (e->nodes.at[i].kind == EXPRESSION_COMPARE)
			q->by_duration |= subject_is_time(e->nodes.at[i].subject);
	}
	*ret = q;
	return 0;
}

struct split *split_inside(uint32_t probe)
{
	struct split *q = NEW(struct split);

	q->probe = probe;
	return q;
}

bool split_is_inside(const struct split *q)
{
	return !q->expression;
}

void split_free(struct split *q)
{
	if (!q)
		return;
	expression_free(q->expression);
	free(q->bounds);
	free(q);
}

static bool node_is_time(const struct split *q, uint32_t i)
{
	return split_node(q, i)->kind == EXPRESSION_COMPARE &&
	       subject_is_time(split_node(q, i)->subject);
}

static bool node_is_duration(const struct split *q, uint32_t i)
{
	return split_node(q, i)->kind == EXPRESSION_COMPARE &&
	       split_node(q, i)->subject == SUBJECT_DUR;
}

/* "handle, libc:read"; those that were taken away only when there are no others. */
static void list_probes(const struct store *st, struct text *to)
{
	bool all = st->probes.count && store_main_probe(st)->removed;
	uint32_t listed = 0;

	for (uint32_t i = 0; i < st->probes.count; i++) {
		if (st->probes.at[i].removed && !all)
			continue;
		if (listed == 8) {
			text_add(to, ", ...");
			return;
		}
		if (listed++)
			text_add(to, ", ");
		text_add_plain(to, intern_string(&st->text, st->probes.at[i].place));
	}
}

static bool probe_is(const struct store *st, const struct store_probe *p, const char *place)
{
	return strcmp(intern_string(&st->text, p->place), place) == 0 ||
	       strcmp(intern_string(&st->text, p->function), place) == 0;
}

/* How many are meant, and the first of them.  One that was taken away is when none else is,
 * of several times that the place was watched the last. */
static uint32_t find_probes(const struct store *st, const char *place, uint32_t *ret_first)
{
	const struct store_probe *first = NULL, *gone = NULL;
	uint32_t matches = 0, others = 0;

	for (uint32_t i = 0; i < st->probes.count; i++) {
		const struct store_probe *p = &st->probes.at[i];

		if (place && !probe_is(st, p, place))
			continue;
		if (p->removed) {
			others += gone && gone->place != p->place;
			gone = !gone || p->removed >= gone->removed ? p : gone;
			continue;
		}
		matches++;
		first = first ? first : p;
	}
	if (!first && gone) {
		first = gone;
		matches = 1 + others;
	}
	*ret_first = first ? first->id : 0;
	return matches;
}

/* The probe that a comparison is about. */
static int bind_place(const struct split *q, uint32_t i, const struct store *st,
		      uint32_t *ret_probe, struct error *err)
{
	const struct expression_node *n = split_node(q, i);
	AUTO_TEXT struct text known = { 0 };
	uint32_t matches;

	matches = find_probes(st, n->place, ret_probe);
	if (matches == 1)
		return 0;
	list_probes(st, &known);
	if (!st->probes.count)
		return token_error(q->expression->text, n->at, err,
				   "nothing is watched, so no call has a duration "
				   "(record with --span PLACE)");
	if (!n->place)
		return token_error(q->expression->text, n->at, err,
				   "several places are watched; say whose 'dur', "
				   "as PLACE.dur with one of: %s",
				   text_string(&known));
	return token_error(q->expression->text, n->at, err,
			   matches ? "'%s' stands for several of: %s"
				   : "'%s' is not watched; these are: %s",
			   n->place, text_string(&known));
}

static double duration_quantile(const struct store_probe *p, const struct window *w,
				double part)
{
	struct window all = { .kind = WINDOW_ALL };
	struct call_count *count;
	double value;

	count = NEW(struct call_count);
	timeline_count(&p->calls, w, count);
	if (count->dist.total <= 0)
		timeline_count(&p->calls, &all, count);
	/* no call has returned at all: then none is slower than the threshold */
	value = count->dist.total > 0 ? dist_quantile(&count->dist, part) : INFINITY;
	free(count);
	return value;
}

static double bind_value(const struct store *st, const struct expression_value *v,
			 const struct expression_node *n, uint32_t probe,
			 const struct window *w)
{
	struct window all = { .kind = WINDOW_ALL };
	double value;

	if (!v->percentile)
		return v->number;
	if (n->subject == SUBJECT_DUR)
		return duration_quantile(store_probe(st, probe), w, v->number / 100);
	value = quantile_of_calls(st, w, probe, n->subject, v->number / 100);
	if (isinf(value))
		value = quantile_of_calls(st, &all, probe, n->subject, v->number / 100);
	return value;
}

/* Is it told, or will it be, how long calls have no CPU? */
static int check_times(const struct split *q, const struct store *st,
		       const struct expression_node *n, struct error *err)
{
	if (n->subject == SUBJECT_DUR || st->timed || st->causes & CAUSES_OFF)
		return 0;
	return token_error(q->expression->text, n->at, err,
			   "how long calls were on a CPU is not known "
			   "(samples of who waits are needed: -e wall)");
}

int split_bind(struct split *q, const struct store *st, const struct window *w,
	       struct error *err)
{
	if (!q->expression)
		return 0;
	q->probe = 0;
	for (uint32_t i = 0; i < q->expression->nodes.count; i++) {
		const struct expression_node *n = split_node(q, i);
		struct bound *b = &q->bounds[i];

		if (n->kind != EXPRESSION_COMPARE)
			continue;
		if (subject_is_time(n->subject)) {
			int r = bind_place(q, i, st, &b->probe, err);

			if (!r)
				r = check_times(q, st, n, err);
			if (r)
				return r;
			if (!q->probe)
				q->probe = b->probe;
		}
		b->low = bind_value(st, &n->low, n, b->probe, w);
		b->high = n->op == OP_IN ? bind_value(st, &n->high, n, b->probe, w) : 0;
	}
	if (!q->probe && st->probes.count)
		q->probe = store_main_probe(st)->id;
	return 0;
}

/* Of what the question is not true of. */
static enum side other_side(enum truth against)
{
	return against == TRUE ? SIDE_REST : against == UNTRUE ? SIDE_OUT : SIDE_OPEN;
}

static enum side side_of(const struct scene *s)
{
	const struct split *q = s->split;
	enum truth truth = q->expression ? judge_scene(s) : TRUE;

	if (truth == TRUE)
		return SIDE_IN;
	if (truth == UNKNOWN || (s->call && q->by_duration && !span_finished(s->call)))
		return SIDE_OPEN; /* not known until it returns */
	return other_side(judge_against(s));
}

enum side split_judge(const struct split *q, const struct store *st, const struct sample *s,
		      nsec now, const struct span **ret_call)
{
	struct scene scene = { .split = q, .store = st, .sample = s, .now = now };
	const struct span *call = NULL;
	bool broken;

	*ret_call = NULL;
	if (q->probe) {
		const struct store_probe *probe = store_probe(st, q->probe);

		call = store_enclosing(st, s->span, q->probe, &broken);
		if (!call && broken)
			return SIDE_OPEN;
		if (!call)
			return probe && !store_probe_watched(probe, s->time) ? SIDE_BEFORE
									     : SIDE_OUT;
	}
	*ret_call = scene.call = call;
	return side_of(&scene);
}

enum side split_judge_as(const struct split *q, const struct store *st, const struct sample *s,
			 const struct span *call, double nsec)
{
	struct scene scene = {
		.split = q, .store = st, .sample = s, .call = call, .duration = nsec
	};

	return side_of(&scene);
}

enum side split_side(const struct split *q, const struct store *st, const struct sample *s,
		     nsec now)
{
	const struct span *call;

	return split_judge(q, st, s, now, &call);
}

uint32_t split_probe(const struct split *q)
{
	return q->probe;
}

nsec split_threshold(const struct split *q, bool *ret_of_duration)
{
	*ret_of_duration = false;
	for (uint32_t i = 0; q->expression && i < q->expression->nodes.count; i++) {
		if (!node_is_time(q, i) || q->bounds[i].probe != q->probe)
			continue;
		*ret_of_duration = node_is_duration(q, i);
		return q->bounds[i].low < 0x1p63 ? (nsec)(q->bounds[i].low + 0.5) : 0;
	}
	return 0;
}

enum side split_side_of_duration(const struct split *q, double nsec)
{
	struct scene scene = { .split = q, .duration = nsec };
	enum truth truth = q->expression ? judge_scene(&scene) : TRUE;

	if (truth == UNTRUE)
		return other_side(judge_against(&scene));
	return truth == TRUE ? SIDE_IN : SIDE_OPEN;
}

bool split_is_by_duration(const struct split *q)
{
	for (uint32_t i = 0; q->expression && i < q->expression->nodes.count; i++) {
		if (split_node(q, i)->kind == EXPRESSION_COMPARE &&
		    (!node_is_duration(q, i) || q->bounds[i].probe != q->probe))
			return false;
	}
	return true;
}

static uint32_t put_bound(double *bounds, uint32_t count, double value)
{
	uint32_t i;

	for (i = count; i > 0 && bounds[i - 1] > value; i--)
		bounds[i] = bounds[i - 1];
	bounds[i] = value;
	return count + 1;
}

uint32_t split_bounds(const struct split *q, double *ret_bounds, uint32_t room)
{
	uint32_t count = 0;

	for (uint32_t i = 0; q->expression && i < q->expression->nodes.count; i++) {
		if (!node_is_duration(q, i) || q->bounds[i].probe != q->probe)
			continue;
		if (count < room && isfinite(q->bounds[i].low))
			count = put_bound(ret_bounds, count, q->bounds[i].low);
		if (count < room && split_node(q, i)->op == OP_IN &&
		    isfinite(q->bounds[i].high))
			count = put_bound(ret_bounds, count, q->bounds[i].high);
	}
	return count;
}
