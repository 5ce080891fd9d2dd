#include "view/cause_seek.h"

#include <math.h>
#include <string.h>

#define SHARE_NAMED 0.75 /* of what has no name: good enough to have its name instead */
#define SHARE_COMMON 0.1 /* of a function: its time is that of another */
#define REST_NEVER 0.02	 /* of the rest's own time a call: as good as never */

void seek_init(struct seek *s, const struct picture *p)
{
	double in = p->sides[SIDE_IN].calls, rest = p->sides[SIDE_REST].calls;

	*s = (struct seek){ .p = p };
	s->candidate = mem_zeroed(p->functions.count + 1, sizeof(*s->candidate));
	s->of = mem_zeroed(p->functions.count + 1, sizeof(*s->of));
	s->node = mem_zeroed(p->nodes.count + 1, sizeof(*s->node));
	s->below = mem_zeroed(p->nodes.count + 1, sizeof(*s->below));
	s->mark = mem_zeroed(p->nodes.count + 1, sizeof(*s->mark));
	for (unsigned i = 0; i < COUNT_OF(s->beside); i++)
		s->beside[i] = mem_zeroed(p->functions.count + 1, sizeof(double));
	for (uint32_t n = 0; n < p->nodes.count; n++)
		s->node[n] = p->nodes.at[n].self_nsec[SIDE_IN] / in -
			     p->nodes.at[n].self_nsec[SIDE_REST] / rest;
}

void seek_done(struct seek *s)
{
	free(s->candidate);
	free(s->of);
	free(s->node);
	free(s->below);
	free(s->mark);
	for (unsigned i = 0; i < COUNT_OF(s->beside); i++)
		free(s->beside[i]);
}

/* Measured by what an ordinary call takes: slow calls may be a hundred times as
 * long, and next to them everything is next to nothing. */
static bool rest_never_runs(const struct picture *p, const struct picture_function *f)
{
	const struct picture_side *rest = &p->sides[SIDE_REST];
	double call = rest->calls ? (double)rest->weight_nsec / rest->calls : 0;

	return f->per_call_rest_nsec <= REST_NEVER * call;
}

static bool is_kernel(const struct picture *p, const struct picture_function *f)
{
	return p->frames.at[f->frame].kind == FRAME_KERNEL;
}

static bool is_of(const struct seek *s, uint32_t node, uint32_t function)
{
	const struct picture_node *n = &s->p->nodes.at[node];

	return n->place == PLACE_WITHIN && n->function == function;
}

void seek_mark(struct seek *s, const struct part *part)
{
	s->marks++;
	for (uint32_t i = 0; i < part->nodes.count; i++)
		s->mark[part->nodes.at[i]] = s->marks;
}

/* Has a caller within the part that is marked that is the same function? */
static bool is_again(const struct seek *s, uint32_t node)
{
	uint32_t function = s->p->nodes.at[node].function, up = s->p->nodes.at[node].parent;

	for (; seek_marked(s, up); up = s->p->nodes.at[up].parent)
		if (is_of(s, up, function))
			return true;
	return false;
}

void seek_sum(struct seek *s, const struct part *within, const double *value, bool all,
	      double *ret)
{
	const struct picture *p = s->p;

	seek_mark(s, within);
	memset(ret, 0, p->functions.count * sizeof(*ret));
	for (uint32_t i = 0; i < within->nodes.count; i++)
		s->below[within->nodes.at[i]] = value[within->nodes.at[i]];
	for (uint32_t i = within->nodes.count; i-- > 0;) {
		uint32_t n = within->nodes.at[i];
		const struct picture_node *node = &p->nodes.at[n];

		if (seek_marked(s, node->parent))
			s->below[node->parent] += s->below[n];
		if (node->place == PLACE_WITHIN && (all || s->candidate[node->function]) &&
		    !is_again(s, n))
			ret[node->function] += s->below[n];
	}
}

static void sum_part(struct seek *s, const struct part *within, double *ret_extra)
{
	seek_sum(s, within, s->node, false, ret_extra);
}

double seek_gain(struct seek *s, const struct part *within,
		 const struct picture_function *except)
{
	const struct picture *p = s->p;
	double *extra = s->beside[0], gain = 0;

	memset(extra, 0, p->functions.count * sizeof(*extra));
	s->marks++; /* those in, or below, one */
	for (uint32_t i = 0; i < within->nodes.count; i++) {
		uint32_t n = within->nodes.at[i], function = p->nodes.at[n].function;
		bool below = seek_marked(s, p->nodes.at[n].parent);

		if (!below && (p->nodes.at[n].place != PLACE_WITHIN ||
			       !s->candidate[function] || &p->functions.at[function] == except))
			continue;
		s->mark[n] = s->marks;
		if (!below)
			extra[function] += s->below[n];
	}
	for (uint32_t i = 0; i < p->functions.count; i++)
		gain += fmax(extra[i], 0);
	return gain;
}

struct part seek_part(struct seek *s, const struct part *within, uint32_t function)
{
	struct part part = { { 0 } };

	s->marks++; /* those that are found */
	for (uint32_t i = 0; i < within->nodes.count; i++) {
		uint32_t n = within->nodes.at[i];

		if (!seek_marked(s, s->p->nodes.at[n].parent) && !is_of(s, n, function))
			continue;
		s->mark[n] = s->marks;
		array_push(&part.nodes, n);
	}
	return part;
}

void seek_take_off(struct seek *s, struct part *within, const struct part *part)
{
	uint32_t left = 0;

	seek_mark(s, part);
	for (uint32_t i = 0; i < within->nodes.count; i++)
		if (!seek_marked(s, within->nodes.at[i]))
			within->nodes.at[left++] = within->nodes.at[i];
	within->nodes.count = left;
}

/* From a user's function the way does not go on into the kernel. */
static bool may_go_on(const struct seek *s, const struct spot *from,
		      const struct picture_function *to)
{
	return from->function != to &&
	       (!from->function || is_kernel(s->p, from->function) || !is_kernel(s->p, to));
}

static const struct measure *measure_of(const struct seek *s, const struct picture_function *f)
{
	return &s->of[f - s->p->functions.at];
}

/* Does one candidate stand for another, that calls it?  What that has besides is no more
 * than calls of the other kind would have, were they as long: it would be no candidate. */
static bool stands_for(const struct seek *s, const struct picture_function *f, double extra,
		       const struct spot *from)
{
	const struct picture_function *caller = from->function;

	const struct measure *own = measure_of(s, f),
			     *above = caller ? measure_of(s, caller) : NULL;

	return above && extra >= SHARE_DOWN * own->extra &&
	       from->extra >= SHARE_DOWN * fmax(above->extra, extra) &&
	       above->beyond - own->beyond < SHARE_BEYOND * s->cpu;
}

/* The outermost candidate with at least so much of a place; UINT32_MAX: none has. */
static uint32_t next_down(const struct seek *s, const struct spot *from, const double *extra,
			  double least, bool named)
{
	const struct picture *p = s->p;
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (extra[i] > 0 && may_go_on(s, from, f) &&
		    (!named || cause_has_name(p, f->frame)) &&
		    (extra[i] >= least || (!named && stands_for(s, f, extra[i], from))) &&
		    (best == UINT32_MAX || f->depth < p->functions.at[best].depth))
			best = i;
	}
	return best;
}

static void go_to(struct seek *s, struct spot *spot, uint32_t function, double extra)
{
	struct part part = seek_part(s, &spot->within, function);

	array_done(&spot->within.nodes);
	spot->within = part;
	spot->function = &s->p->functions.at[function];
	spot->extra = extra;
}

static bool is_the_end(const struct picture *p, const struct picture_function *f)
{
	return f &&
	       (rest_never_runs(p, f) ||
		strcmp(picture_text(p, p->frames.at[f->frame].name), FRAME_INTERRUPT) == 0);
}

/* Goes down as long as one candidate has it all.  extra: of the candidates, at the end. */
static void go_down(struct seek *s, struct spot *spot, double *extra)
{
	uint32_t next;

	spot->start = spot->extra;
	for (;;) {
		sum_part(s, &spot->within, extra);
		if (is_the_end(s->p, spot->function))
			break;
		spot->start = fmax(spot->start, seek_gain(s, &spot->within, spot->function));
		next = next_down(s, spot, extra, SHARE_DOWN * spot->start, false);
		if (next == UINT32_MAX)
			return;
		go_to(s, spot, next, extra[next]);
	}
	spot->done = true;
}

/* Its name is another; what is called from it stays the same. */
static void find_name(struct seek *s, struct spot *spot, double *extra)
{
	uint32_t next;

	if (!spot->function || cause_has_name(s->p, spot->function->frame))
		return;
	sum_part(s, &spot->within, extra);
	next = next_down(s, spot, extra, SHARE_NAMED * spot->extra, true);
	if (next == UINT32_MAX)
		return;
	spot->function = &s->p->functions.at[next];
	spot->extra = extra[next];
}

/* The largest of the candidates that have hardly anything in common with those taken: `full`
 * is what they had before.  Callers go first. */
static uint32_t largest_beside(const struct seek *s, const struct spot *from,
			       const double *full, const double *left)
{
	const struct picture *p = s->p;
	uint32_t best = UINT32_MAX;
	double most = 0;

	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < p->functions.count; i++) {
			const struct picture_function *f = &p->functions.at[i];

			if (left[i] <= 0 || left[i] < s->least || !may_go_on(s, from, f) ||
			    left[i] < (1 - SHARE_COMMON) * full[i])
				continue;
			if (!pass)
				most = fmax(most, left[i]);
			else if (left[i] >= SHARE_DOWN * most &&
				 (best == UINT32_MAX || f->depth < p->functions.at[best].depth))
				best = i;
		}
	}
	return best;
}

/* Candidates beside each other that have a place's extra time; 0: these do not have it
 * all.  Of the span they need not. */
static unsigned split_up(struct seek *s, const struct spot *from, struct spot *ret,
			 unsigned room)
{
	double *full = s->beside[0], *left = s->beside[1], sum = 0;
	struct part within = { { 0 } };
	unsigned count = 0;

	for (uint32_t i = 0; i < from->within.nodes.count; i++)
		array_push(&within.nodes, from->within.nodes.at[i]);
	sum_part(s, &within, full);
	memcpy(left, full, s->p->functions.count * sizeof(*left));
	while (count < room) {
		uint32_t best = largest_beside(s, from, full, left);
		struct spot *spot = &ret[count];

		if (best == UINT32_MAX)
			break;
		*spot = (struct spot){ .function = &s->p->functions.at[best],
				       .extra = left[best],
				       .within = seek_part(s, &within, best) };
		sum += spot->extra;
		count++;
		seek_take_off(s, &within, &spot->within);
		sum_part(s, &within, left);
	}
	array_done(&within.nodes);
	if (!from->function || (count > 1 && sum >= SHARE_DOWN * from->extra))
		return count;
	for (unsigned i = 0; i < count; i++)
		array_done(&ret[i].within.nodes);
	return 0;
}

/* Those that are not done are still to be looked into. */
static void look_into(struct seek *s, struct spots *spots, unsigned i, unsigned room,
		      double *extra)
{
	struct spot below[CAUSES_MAX], *spot = &spots->at[i];
	unsigned count;

	go_down(s, spot, extra);
	if (spot->done)
		return;
	spot->done = true;
	count = split_up(s, spot, below, room - spots->count + 1);
	if (!count && spot->function)
		return;
	array_done(&spot->within.nodes);
	if (!count) {
		spots->count--;
		return;
	}
	*spot = below[0];
	memcpy(&spots->at[spots->count], &below[1], (count - 1) * sizeof(*below));
	spots->count += count - 1;
}

void seek_spots(struct seek *s, struct part *within, double extra, unsigned room,
		struct spots *ret)
{
	AUTO_FREE double *scratch = mem_zeroed(s->p->functions.count + 1, sizeof(*scratch));

	*ret = (struct spots){ .count = 1 };
	ret->at[0] = (struct spot){ .extra = extra, .within = *within };
	*within = (struct part){ { 0 } };
	for (unsigned i = 0; i < ret->count;) {
		if (ret->at[i].done)
			i++;
		else
			look_into(s, ret, i, room, scratch);
	}
	for (unsigned i = 0; i < ret->count; i++)
		find_name(s, &ret->at[i], scratch);
}
