#include "view/extra.h"

#include "model/proportion.h"

#include <math.h>

/* Frames that are seen above the probed function. */
static void mark_outer(const struct picture *p, const bool *probed, bool *ret_outer)
{
	/* whether a node's path has the probed function already */
	AUTO_FREE bool *inside = mem_zeroed(p->nodes.count, sizeof(*inside));

	for (uint32_t n = 1; n < p->nodes.count; n++) {
		uint32_t up = p->nodes.at[n].parent;
		bool span = probed[p->nodes.at[n].frame];

		inside[n] = inside[up] || span;
		if (!span || inside[up])
			continue;
		for (; up; up = p->nodes.at[up].parent)
			ret_outer[p->nodes.at[up].frame] = true;
	}
}

/* What every node is to the span; see the head of extra.h. */
static uint8_t *place_nodes(const struct fold *f, const struct store_probe *probe)
{
	const struct picture *p = f->picture;
	uint8_t *place = mem_zeroed(p->nodes.count, sizeof(*place));
	AUTO_FREE bool *probed = mem_zeroed(p->frames.count, sizeof(*probed));
	AUTO_FREE bool *outer = mem_zeroed(p->frames.count, sizeof(*outer));

	for (uint32_t i = 0; i < p->frames.count; i++)
		probed[i] = fold_is_probed(f, i, probe);
	mark_outer(p, probed, outer);
	for (uint32_t n = 1; n < p->nodes.count; n++) {
		uint32_t frame = p->nodes.at[n].frame;
		uint8_t above = place[p->nodes.at[n].parent];

		if (above >= PLACE_SPAN)
			place[n] = probed[frame] ? PLACE_AGAIN : PLACE_WITHIN;
		else if (probed[frame])
			place[n] = PLACE_SPAN;
		else if (!outer[frame] && p->frames.at[frame].kind != FRAME_OTHER)
			place[n] = PLACE_WITHIN;
	}
	return place;
}

/* One side's calls, as the means and their errors need them. */
struct side_calls {
	double calls, sampled, tick; /* tick: the weight of one sample */
	bool exact;
};

static struct side_calls side_calls(const struct picture *p, enum side side,
				    const struct strata *strata)
{
	const struct picture_side *from = &p->sides[side];
	struct side_calls c = { .calls = from->calls, .exact = from->calls_exact };

	c.tick = from->samples ? (double)from->weight_nsec / from->samples : p->period;
	for (uint32_t i = 0; i < strata->list.count; i++)
		c.sampled += strata->list.at[i].calls * strata->list.at[i].chances.chance[side];
	return c;
}

static double mean_variance(const struct side_calls *c, double mean, double squares)
{
	double least = c->tick * c->tick, variance;

	if (c->calls <= 0)
		return 0;
	variance = fmax(squares - mean * mean * c->calls, least) / (c->calls * c->calls);
	if (!c->exact)
		variance += mean * mean / fmax(1, c->sampled);
	return variance;
}

static double per_call(const struct side_calls *c, double weight)
{
	return c->calls > 0 ? weight / c->calls : 0;
}

/* By how much a call of SIDE_IN is longer, on or off a CPU. */
static double whole_extra(const struct picture *p, const struct side_calls *in,
			  const struct side_calls *rest)
{
	const struct picture_side *sides = p->sides;

	if (sides[SIDE_IN].mean_nsec > 0 &&
	    (sides[SIDE_REST].mean_nsec > 0 || rest->calls <= 0))
		return sides[SIDE_IN].mean_nsec - sides[SIDE_REST].mean_nsec;
	return per_call(in, sides[SIDE_IN].weight_nsec) -
	       per_call(rest, sides[SIDE_REST].weight_nsec);
}

/* One comparison of the two sides. */
struct sides {
	struct side_calls in, rest;
	double whole; /* extra time a call */
	const struct scatter_side *scatter;
};

static struct proportion proportion_of(const struct side_calls *c,
				       const struct scatter_side *scatter, uint32_t at,
				       uint64_t part)
{
	return (struct proportion){ .calls = c->calls,
				    .whole = scatter->whole,
				    .whole_squares = scatter->whole_squares,
				    .part = part,
				    .part_squares = scatter->sums[at].squares,
				    .cross = scatter->sums[at].cross,
				    .tick = c->tick };
}

/* at: the function's place in the scatter's arrays */
static void compare_function(struct picture_function *to, const struct sides *s, uint32_t at)
{
	const struct scatter_side *scatter = s->scatter;
	struct proportion in, rest;
	struct proportion_excess beyond;
	double error;

	to->per_call_in_nsec = per_call(&s->in, to->total_in_nsec);
	to->per_call_rest_nsec = per_call(&s->rest, to->total_rest_nsec);
	to->extra_nsec = to->per_call_in_nsec - to->per_call_rest_nsec;
	error = sqrt(
		mean_variance(&s->in, to->per_call_in_nsec, scatter[SIDE_IN].sums[at].squares) +
		mean_variance(&s->rest, to->per_call_rest_nsec,
			      scatter[SIDE_REST].sums[at].squares));
	to->extra_error = 1.96 * error;
	to->z = error > 0 ? to->extra_nsec / error : 0;
	to->extra_share = s->whole > 0 ? fmin(1, fmax(0, to->extra_nsec / s->whole)) : 0;
	in = proportion_of(&s->in, &scatter[SIDE_IN], at, to->total_in_nsec);
	rest = proportion_of(&s->rest, &scatter[SIDE_REST], at, to->total_rest_nsec);
	beyond = proportion_compare(&in, &rest);
	to->beyond_nsec = beyond.excess;
	to->beyond_error = 1.96 * beyond.error;
}

static double off_cpu(const struct picture *p, enum side side, const struct side_calls *c)
{
	const struct picture_side *s = &p->sides[side];

	if (s->mean_nsec <= 0 || c->calls <= 0)
		return 0;
	return fmax(0, s->mean_nsec - s->weight_nsec / c->calls);
}

/* The span's own code, as if it were a function that it calls. */
static void compare_itself(struct picture *p, const struct functions *fs, const struct sides *s)
{
	struct picture_function *to = &p->itself;

	for (uint32_t n = 1; n < p->nodes.count; n++) {
		const struct picture_node *node = &p->nodes.at[n];

		if (!functions_itself(fs, n))
			continue;
		if (to->frame == UINT32_MAX)
			to->frame = node->frame;
		to->total_in_nsec += node->self_nsec[SIDE_IN];
		to->total_rest_nsec += node->self_nsec[SIDE_REST];
		to->samples_in += node->self[SIDE_IN];
		to->samples_rest += node->self[SIDE_REST];
	}
	to->self_in_nsec = to->total_in_nsec;
	to->self_rest_nsec = to->total_rest_nsec;
	compare_function(to, s, SCATTER_ITSELF);
}

void extra_init(struct extra *x, const struct fold *f, const struct store_probe *probe)
{
	*x = (struct extra){ .fold = f, .scatter = { .fs = &x->functions } };
	functions_init(&x->functions, f->picture, place_nodes(f, probe));
}

void extra_functions(struct extra *x, const struct strata *strata, double net)
{
	struct picture *p = x->fold->picture;
	struct functions *fs = &x->functions;
	struct scatter_side scatter[2];
	struct sides s = { side_calls(p, SIDE_IN, strata), side_calls(p, SIDE_REST, strata), 0,
			   scatter };

	s.whole = whole_extra(p, &s.in, &s.rest);
	functions_sum(fs);
	scatter_side(&x->scatter, strata, SIDE_IN, net, &scatter[SIDE_IN]);
	scatter_side(&x->scatter, strata, SIDE_REST, net, &scatter[SIDE_REST]);
	for (uint32_t i = 0; i < fs->count; i++)
		compare_function(&fs->list[i], &s, SCATTER_OF(i));
	compare_itself(p, fs, &s);
	functions_give(fs, p);
	p->off_in_nsec = off_cpu(p, SIDE_IN, &s.in);
	p->off_rest_nsec = off_cpu(p, SIDE_REST, &s.rest);
	free(scatter[SIDE_IN].sums);
	free(scatter[SIDE_REST].sums);
}

void extra_done(struct extra *x)
{
	scatter_done(&x->scatter);
	functions_done(&x->functions);
}
