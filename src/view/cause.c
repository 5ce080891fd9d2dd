#include "view/cause.h"

#include "elf/symtab.h"
#include "view/compare.h"

#include <math.h>
#include <string.h>

#define SHARE_CAUSE 0.1	  /* of the extra CPU time: worth naming */
#define SHARE_TIME 0.05	  /* of all extra time, waiting included */
#define SHARE_BEYOND 0.05 /* of it: what makes the cause more than part of a longer call */
#define SHARE_DOWN 0.9	  /* of the extra time of a place: it is all in these */
#define SHARE_NAMED 0.75  /* of what has no name: good enough to have its name instead */
#define SHARE_COMMON 0.1  /* of a function: its time is that of another */
#define Z_FARTHER 1	  /* where all extra time together is no more than chance */
#define REST_NEVER 0.02	  /* of the rest's own time a call: as good as never */

bool function_is_significant(const struct picture *p, const struct picture_function *f)
{
	return fabs(f->z) >= p->z_least;
}

/* Measured by what an ordinary call takes: slow calls may be a hundred times as
 * long, and next to them everything is next to nothing. */
static bool rest_never_runs(const struct picture *p, const struct picture_function *f)
{
	const struct picture_side *rest = &p->sides[SIDE_REST];
	double call = rest->calls ? (double)rest->weight_nsec / rest->calls : 0;

	return f->per_call_rest_nsec <= REST_NEVER * call;
}

/* A name that came with the program, not "fn_1f40~near" or "app+0x1f40". */
static bool has_name(const struct picture *p, const struct picture_function *f)
{
	const struct picture_frame *frame = &p->frames.at[f->frame];
	const char *name = picture_text(p, frame->name);

	return *name && frame->kind != FRAME_UNKNOWN && !symbol_made_name(name);
}

static bool is_kernel(const struct picture *p, const struct picture_function *f)
{
	return p->frames.at[f->frame].kind == FRAME_KERNEL;
}

/* Nodes of the tree, callers first. */
struct part {
	ARRAY(uint32_t) nodes;
};

/* Extra time by candidate in a part of the tree. */
struct search {
	const struct picture *p;
	double cpu;	   /* extra CPU time of a call, or what is gained of it */
	double least;	   /* extra time that is worth naming */
	double z_least;	   /* of a candidate */
	bool *candidate;   /* by function */
	double *node;	   /* by node: what ends in it, nanoseconds a call more */
	double *below;	   /* scratch, by node: with what is called from it */
	double *beside[2]; /* scratch, by function */
	uint32_t *mark;	   /* scratch, by node: of the part at hand it is the newest number */
	uint32_t marks;
};

/* A place that the search has come to. */
struct spot {
	const struct picture_function *function; /* NULL: the span */
	/* the latter of where the way to it began, on which it was all one; or what was
	 * gained on that, if others made up for some of it */
	double extra, start;
	struct part within; /* called from here, and by nothing that is named */
	bool done;
};

static bool is_candidate(const struct search *s, const struct picture_function *f)
{
	const struct picture *p = s->p;

	return f->frame != UINT32_MAX && f->z >= s->z_least && f->extra_nsec > 0 &&
	       f->extra_nsec >= s->least && f->beyond_nsec >= SHARE_BEYOND * s->cpu &&
	       COMPARE_Z * f->beyond_nsec >= s->z_least * f->beyond_error &&
	       p->frames.at[f->frame].kind != FRAME_PROBE && !picture_is_of_other(p, f->frame);
}

static bool is_of(const struct search *s, uint32_t node, uint32_t function)
{
	const struct picture_node *n = &s->p->nodes.at[node];

	return n->place == PLACE_WITHIN && n->function == function;
}

static void mark_part(struct search *s, const struct part *part)
{
	s->marks++;
	for (uint32_t i = 0; i < part->nodes.count; i++)
		s->mark[part->nodes.at[i]] = s->marks;
}

static bool is_marked(const struct search *s, uint32_t node)
{
	return s->mark[node] == s->marks;
}

/* Has a caller within the part that is marked that is the same function? */
static bool is_again(const struct search *s, uint32_t node)
{
	uint32_t function = s->p->nodes.at[node].function, up = s->p->nodes.at[node].parent;

	for (; is_marked(s, up); up = s->p->nodes.at[up].parent)
		if (is_of(s, up, function))
			return true;
	return false;
}

/* What every candidate has of a part. */
static void sum_part(struct search *s, const struct part *within, double *ret_extra)
{
	const struct picture *p = s->p;

	mark_part(s, within);
	memset(ret_extra, 0, p->functions.count * sizeof(*ret_extra));
	for (uint32_t i = 0; i < within->nodes.count; i++)
		s->below[within->nodes.at[i]] = s->node[within->nodes.at[i]];
	for (uint32_t i = within->nodes.count; i-- > 0;) {
		uint32_t n = within->nodes.at[i];
		const struct picture_node *node = &p->nodes.at[n];

		if (is_marked(s, node->parent))
			s->below[node->parent] += s->below[n];
		if (node->place == PLACE_WITHIN && s->candidate[node->function] &&
		    !is_again(s, n))
			ret_extra[node->function] += s->below[n];
	}
}

/* What candidates of a part take more of it, the outermost of them: more than its extra time
 * where others take less.  After sum_part() of it. */
static double gain_of(struct search *s, const struct part *within,
		      const struct picture_function *except)
{
	const struct picture *p = s->p;
	double *extra = s->beside[0], gain = 0;

	memset(extra, 0, p->functions.count * sizeof(*extra));
	s->marks++; /* those in, or below, one */
	for (uint32_t i = 0; i < within->nodes.count; i++) {
		uint32_t n = within->nodes.at[i], function = p->nodes.at[n].function;
		bool below = is_marked(s, p->nodes.at[n].parent);

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

/* The part of a part that is called from a function, itself included. */
static struct part part_of(struct search *s, const struct part *within, uint32_t function)
{
	struct part part = { { 0 } };

	s->marks++; /* those that are found */
	for (uint32_t i = 0; i < within->nodes.count; i++) {
		uint32_t n = within->nodes.at[i];

		if (!is_marked(s, s->p->nodes.at[n].parent) && !is_of(s, n, function))
			continue;
		s->mark[n] = s->marks;
		array_push(&part.nodes, n);
	}
	return part;
}

static void take_off(struct search *s, struct part *within, const struct part *part)
{
	uint32_t left = 0;

	mark_part(s, part);
	for (uint32_t i = 0; i < within->nodes.count; i++)
		if (!is_marked(s, within->nodes.at[i]))
			within->nodes.at[left++] = within->nodes.at[i];
	within->nodes.count = left;
}

/* From a user's function the way does not go on into the kernel. */
static bool may_go_on(const struct search *s, const struct spot *from,
		      const struct picture_function *to)
{
	return from->function != to &&
	       (!from->function || is_kernel(s->p, from->function) || !is_kernel(s->p, to));
}

/* Does one candidate stand for another, that calls it?  What that has besides is no more
 * than calls of the other kind would have, were they as long: it would be no candidate. */
static bool stands_for(const struct search *s, const struct picture_function *f, double extra,
		       const struct spot *from)
{
	const struct picture_function *caller = from->function;

	return caller && extra >= SHARE_DOWN * f->extra_nsec &&
	       from->extra >= SHARE_DOWN * fmax(caller->extra_nsec, extra) &&
	       caller->beyond_nsec - f->beyond_nsec < SHARE_BEYOND * s->cpu;
}

/* The outermost candidate with at least so much of a place; UINT32_MAX: none has. */
static uint32_t next_down(const struct search *s, const struct spot *from, const double *extra,
			  double least, bool named)
{
	const struct picture *p = s->p;
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (extra[i] > 0 && may_go_on(s, from, f) && (!named || has_name(p, f)) &&
		    (extra[i] >= least || (!named && stands_for(s, f, extra[i], from))) &&
		    (best == UINT32_MAX || f->depth < p->functions.at[best].depth))
			best = i;
	}
	return best;
}

static void go_to(struct search *s, struct spot *spot, uint32_t function, double extra)
{
	struct part part = part_of(s, &spot->within, function);

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
static void go_down(struct search *s, struct spot *spot, double *extra)
{
	uint32_t next;

	spot->start = spot->extra;
	for (;;) {
		sum_part(s, &spot->within, extra);
		if (is_the_end(s->p, spot->function))
			break;
		spot->start = fmax(spot->start, gain_of(s, &spot->within, spot->function));
		next = next_down(s, spot, extra, SHARE_DOWN * spot->start, false);
		if (next == UINT32_MAX)
			return;
		go_to(s, spot, next, extra[next]);
	}
	spot->done = true;
}

static void find_name(struct search *s, struct spot *spot, double *extra)
{
	uint32_t next;

	if (!spot->function || has_name(s->p, spot->function))
		return;
	sum_part(s, &spot->within, extra);
	next = next_down(s, spot, extra, SHARE_NAMED * spot->extra, true);
	if (next != UINT32_MAX)
		go_to(s, spot, next, extra[next]);
}

/* The largest of the candidates that have hardly anything in common with those taken: `full`
 * is what they had before.  Callers go first. */
static uint32_t largest_beside(const struct search *s, const struct spot *from,
			       const double *full, const double *left)
{
	const struct picture *p = s->p;
	uint32_t best = UINT32_MAX;
	double most = 0;

	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < p->functions.count; i++) {
			const struct picture_function *f = &p->functions.at[i];

			if (left[i] < s->least || !may_go_on(s, from, f) ||
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
static unsigned split_up(struct search *s, const struct spot *from, struct spot *ret,
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
				       .within = part_of(s, &within, best) };
		sum += spot->extra;
		count++;
		take_off(s, &within, &spot->within);
		sum_part(s, &within, left);
	}
	array_done(&within.nodes);
	if (!from->function || (count > 1 && sum >= SHARE_DOWN * from->extra))
		return count;
	for (unsigned i = 0; i < count; i++)
		array_done(&ret[i].within.nodes);
	return 0;
}

/* Places found so far; those not done are still to be looked into. */
struct spots {
	struct spot at[CAUSES_MAX];
	unsigned count;
};

static void look_into(struct search *s, struct spots *spots, unsigned i, double *extra)
{
	struct spot below[CAUSES_MAX], *spot = &spots->at[i];
	unsigned count;

	go_down(s, spot, extra);
	if (spot->done)
		return;
	spot->done = true;
	count = split_up(s, spot, below, CAUSES_MAX - spots->count + 1);
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

static void find_candidates(struct search *s, double cpu)
{
	s->cpu = cpu;
	s->least = fmax(SHARE_CAUSE * cpu, SHARE_TIME * compare_extra_time(s->p));
	for (uint32_t i = 0; i < s->p->functions.count; i++)
		s->candidate[i] = is_candidate(s, &s->p->functions.at[i]);
}

static void search_init(struct search *s, const struct picture *p)
{
	double in = p->sides[SIDE_IN].calls, rest = p->sides[SIDE_REST].calls;
	struct contrast all;

	*s = (struct search){ .p = p, .z_least = p->z_least };
	if (!compare_cpu(p, &all) || contrast_is_noise(p, &all))
		s->z_least += Z_FARTHER;
	s->candidate = mem_zeroed(p->functions.count + 1, sizeof(*s->candidate));
	s->node = mem_zeroed(p->nodes.count + 1, sizeof(*s->node));
	s->below = mem_zeroed(p->nodes.count + 1, sizeof(*s->below));
	s->mark = mem_zeroed(p->nodes.count + 1, sizeof(*s->mark));
	for (unsigned i = 0; i < COUNT_OF(s->beside); i++)
		s->beside[i] = mem_zeroed(p->functions.count + 1, sizeof(double));
	for (uint32_t n = 0; n < p->nodes.count; n++)
		s->node[n] = p->nodes.at[n].self_nsec[SIDE_IN] / in -
			     p->nodes.at[n].self_nsec[SIDE_REST] / rest;
}

static void search_done(struct search *s)
{
	free(s->candidate);
	free(s->node);
	free(s->below);
	free(s->mark);
	for (unsigned i = 0; i < COUNT_OF(s->beside); i++)
		free(s->beside[i]);
}

/* Where some take less, a share worth naming is of what others take more. */
static struct spot whole_span(struct search *s, double cpu, double *extra)
{
	struct spot spot = { .extra = cpu };

	for (uint32_t n = 1; n < s->p->nodes.count; n++)
		if (s->p->nodes.at[n].place != PLACE_OUTER)
			array_push(&spot.within.nodes, n);
	find_candidates(s, cpu);
	sum_part(s, &spot.within, extra);
	find_candidates(s, fmax(cpu, gain_of(s, &spot.within, NULL)));
	return spot;
}

/* Largest first; of more than there is room for the smallest is dropped. */
static unsigned add_cause(struct cause *causes, unsigned count, struct cause add)
{
	unsigned at = count < CAUSES_MAX ? count : CAUSES_MAX - 1;

	if (count == CAUSES_MAX && causes[at].extra_nsec >= add.extra_nsec)
		return count;
	for (; at && causes[at - 1].extra_nsec < add.extra_nsec; at--)
		causes[at] = causes[at - 1];
	causes[at] = add;
	return count < CAUSES_MAX ? count + 1 : count;
}

unsigned cause_find(const struct picture *p, double cpu_nsec, struct cause ret[CAUSES_MAX])
{
	AUTO_FREE double *extra = mem_zeroed(p->functions.count + 1, sizeof(*extra));
	struct spots spots = { .count = 1 };
	struct search s;
	unsigned count = 0;

	if (!p->sides[SIDE_IN].calls || !p->sides[SIDE_REST].calls)
		return 0;
	search_init(&s, p);
	spots.at[0] = whole_span(&s, cpu_nsec, extra);
	for (unsigned i = 0; i < spots.count;) {
		if (spots.at[i].done)
			i++;
		else
			look_into(&s, &spots, i, extra);
	}
	for (unsigned i = 0; i < spots.count; i++) {
		find_name(&s, &spots.at[i], extra);
		array_done(&spots.at[i].within.nodes);
		count = add_cause(ret, count,
				  (struct cause){ .function = spots.at[i].function,
						  .extra_nsec = spots.at[i].extra });
	}
	for (unsigned i = 0; i < count; i++)
		cause_find_wait(p, &ret[i]);
	if (is_candidate(&s, &p->itself))
		count = add_cause(ret, count,
				  (struct cause){ .function = &p->itself,
						  .extra_nsec = p->itself.extra_nsec });
	search_done(&s);
	return count;
}
