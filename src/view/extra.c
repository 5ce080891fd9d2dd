#include "view/extra.h"

#include "model/proportion.h"

#include <math.h>

#define OUTLIER 4
#define BLUR_COUNTED 0.05 /* samples that are on a side in part are no counts */

enum mark {
	MARK_PROBED = 1, /* the probed function's own */
	MARK_OUTER = 2,	 /* seen above it */
	MARK_INNER = 4,	 /* taken for being within, as it is in no stack with it */
};

enum way {
	WAY_SPAN = 1,  /* has the probed function */
	WAY_OUTER = 2, /* leads to it, and its frames are marked */
};

void extra_init(struct extra *x, const struct fold *f)
{
	*x = (struct extra){ .fold = f, .functions = { .picture = f->picture } };
	x->scatter.fs = &x->functions;
}

static uint8_t *mark_of(struct extra *x, uint32_t node)
{
	return &x->marks.at[x->fold->picture->nodes.at[node].frame];
}

/* Marks the frames above the probed function.  False: one of them was taken for another. */
static bool mark_outer(struct extra *x, uint32_t from)
{
	const struct picture *p = x->fold->picture;
	bool fine = true;

	for (uint32_t n = from; n < p->nodes.count; n++) {
		uint32_t up = p->nodes.at[n].parent;
		bool span = n && *mark_of(x, n) & MARK_PROBED;

		uint8_t above = n ? x->ways.at[up] & WAY_SPAN : 0;

		array_push(&x->ways, span ? WAY_SPAN : above);
		if (!span || above)
			continue;
		for (; up && !(x->ways.at[up] & WAY_OUTER); up = p->nodes.at[up].parent) {
			x->ways.at[up] |= WAY_OUTER;
			fine &= !(*mark_of(x, up) & MARK_INNER);
			*mark_of(x, up) |= MARK_OUTER;
		}
	}
	return fine;
}

/* What a node is to the span; see the head of extra.h. */
static enum place_in_span place_of(struct extra *x, uint32_t node)
{
	const struct picture *p = x->fold->picture;
	const struct picture_node *n = &p->nodes.at[node];
	uint8_t *mark = mark_of(x, node);

	if (x->functions.place.at[n->parent] >= PLACE_SPAN)
		return *mark & MARK_PROBED ? PLACE_AGAIN : PLACE_WITHIN;
	if (*mark & MARK_PROBED)
		return PLACE_SPAN;
	if (*mark & MARK_OUTER || p->frames.at[n->frame].kind == FRAME_OTHER)
		return PLACE_OUTER;
	*mark |= MARK_INNER;
	return PLACE_WITHIN;
}

bool extra_reach(struct extra *x, const struct store_probe *probe)
{
	const struct picture *p = x->fold->picture;
	uint32_t from = x->ways.count;

	functions_reach(&x->functions);
	while (x->marks.count < p->frames.count) {
		uint8_t mark = fold_is_probed(x->fold, x->marks.count, probe) ? MARK_PROBED : 0;

		array_push(&x->marks, mark);
	}
	if (!mark_outer(x, from))
		return false;
	for (uint32_t n = from ? from : 1; n < p->nodes.count; n++)
		x->functions.place.at[n] = place_of(x, n);
	return true;
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
	const struct scatter_side *tame; /* of calls that are not too long; NULL: all are so */
	/* how many of the calls, of what was sampled, are IN's; 0: not known well */
	double calls_share, time_share;
};

/* A difference and its standard error. */
struct difference {
	double nsec, error;
};

static struct proportion proportion_of(const struct side_calls *c,
				       const struct scatter_side *scatter, uint32_t at,
				       double part)
{
	return (struct proportion){ .calls = c->calls,
				    .whole = scatter->whole,
				    .whole_squares = scatter->whole_squares,
				    .part = part,
				    .part_squares = scatter->sums[at].squares,
				    .cross = scatter->sums[at].cross,
				    .tick = c->tick };
}

/* at: the function's place in the scatter's arrays; in, rest: what was sampled in it */
static struct difference extra_of(const struct sides *s, const struct scatter_side *scatter,
				  uint32_t at, double in, double rest)
{
	double in_mean = per_call(&s->in, in), rest_mean = per_call(&s->rest, rest);
	double variance =
		mean_variance(&s->in, in_mean, scatter[SIDE_IN].sums[at].squares) +
		mean_variance(&s->rest, rest_mean, scatter[SIDE_REST].sums[at].squares);

	return (struct difference){ in_mean - rest_mean, sqrt(variance) };
}

static struct difference beyond_of(const struct sides *s, const struct scatter_side *scatter,
				   uint32_t at, double in_part, double rest_part)
{
	struct proportion in = proportion_of(&s->in, &scatter[SIDE_IN], at, in_part);
	struct proportion rest = proportion_of(&s->rest, &scatter[SIDE_REST], at, rest_part);
	struct proportion_excess beyond = proportion_compare(&in, &rest);

	return (struct difference){ beyond.excess, beyond.error };
}

/* The error that a difference is told from chance by. */
static double noise_of(const struct difference *all, const struct difference *tame)
{
	if (tame->nsec * all->nsec <= 0)
		return all->error;
	return fmin(all->error, tame->error * all->nsec / tame->nsec);
}

/* By how many of its calls' samples come together: they are no events of their own. */
static double clustered(const struct side_calls *c, const struct scatter_side *scatter,
			uint32_t at, double weight)
{
	return weight > 0 ? scatter->sums[at].squares / (c->tick * weight) : 1;
}

/* The error that an excess of few samples is told from chance by, from how many were taken on
 * either side alone: `share` is what IN has of what they may be in. */
static double noise_of_few(const struct sides *s, const struct difference *d, uint32_t at,
			   double in, double rest, double share)
{
	double each = fmax(1, fmax(clustered(&s->in, &s->scatter[SIDE_IN], at, in),
				   clustered(&s->rest, &s->scatter[SIDE_REST], at, rest)));
	double in_events = in / s->in.tick / each, rest_events = rest / s->rest.tick / each;
	double z = proportion_z_of_counts(in_events, in_events + rest_events, share);

	return d->nsec > 0 && z > 0 ? fmin(d->error, d->nsec / z) : d->error;
}

static void compare_function(struct picture_function *to, const struct sides *s, uint32_t at)
{
	double in = to->total_in_nsec, rest = to->total_rest_nsec;
	struct difference extra = extra_of(s, s->scatter, at, in, rest), tame_extra = extra;
	struct difference beyond = beyond_of(s, s->scatter, at, in, rest), tame_beyond = beyond;
	double noise, cut = 0;

	if (s->tame) {
		in = s->tame[SIDE_IN].sums[at].given;
		rest = s->tame[SIDE_REST].sums[at].given;
		tame_extra = extra_of(s, s->tame, at, in, rest);
		tame_beyond = beyond_of(s, s->tame, at, in, rest);
		cut = fmax(0, per_call(&s->in, to->total_in_nsec - in));
	}
	to->per_call_in_nsec = per_call(&s->in, to->total_in_nsec);
	to->per_call_rest_nsec = per_call(&s->rest, to->total_rest_nsec);
	to->extra_nsec = extra.nsec;
	to->extra_error = 1.96 * extra.error;
	to->extra_share = s->whole > 0 ? fmin(1, fmax(0, to->extra_nsec / s->whole)) : 0;
	noise = fmin(noise_of(&extra, &tame_extra),
		     noise_of_few(s, &extra, at, to->total_in_nsec, to->total_rest_nsec,
				  s->calls_share));
	to->extra_noise = 1.96 * noise;
	to->z = noise > 0 ? to->extra_nsec / noise : 0;
	to->beyond_nsec = beyond.nsec;
	to->beyond_error = 1.96 * beyond.error;
	noise = fmin(noise_of(&beyond, &tame_beyond),
		     noise_of_few(s, &beyond, at, to->total_in_nsec, to->total_rest_nsec,
				  s->time_share));
	to->beyond_noise = 1.96 * noise;
	/* of what was cut all may be in what is left */
	to->left_noise = fmin(to->beyond_error, 1.96 * tame_beyond.error + cut);
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

/* False: no call is too long for its side. */
static bool tame_sides(const struct scatter *from, const struct strata *strata, double net,
		       struct scatter_side ret[2])
{
	double most[2];
	bool any = false;

	for (enum side side = SIDE_IN; side <= SIDE_REST; side++) {
		most[side] = OUTLIER * scatter_typical(from, strata, side);
		any = any || scatter_has_longer(from, strata, side, most[side]);
	}
	for (enum side side = SIDE_IN; any && side <= SIDE_REST; side++)
		scatter_side(from, strata, side, net, most[side], &ret[side]);
	return any;
}

static double share_of(double in, double rest)
{
	return in > 0 && rest > 0 ? in / (in + rest) : 0;
}

static void find_shares(const struct picture *p, struct sides *s)
{
	if (p->blur > BLUR_COUNTED)
		return;
	if (s->in.exact && s->rest.exact)
		s->calls_share = share_of(s->in.calls, s->rest.calls);
	s->time_share = share_of(s->scatter[SIDE_IN].whole, s->scatter[SIDE_REST].whole);
}

void extra_functions(struct extra *x, const struct strata *strata, double net)
{
	struct picture *p = x->fold->picture;
	struct functions *fs = &x->functions;
	struct scatter_side scatter[2], tame[2] = { 0 };
	struct sides s = { side_calls(p, SIDE_IN, strata), side_calls(p, SIDE_REST, strata), 0,
			   scatter, NULL };

	s.whole = whole_extra(p, &s.in, &s.rest);
	functions_sum(fs);
	for (enum side side = SIDE_IN; side <= SIDE_REST; side++)
		scatter_side(&x->scatter, strata, side, net, INFINITY, &scatter[side]);
	if (tame_sides(&x->scatter, strata, net, tame))
		s.tame = tame;
	find_shares(p, &s);
	for (uint32_t i = 0; i < fs->count; i++)
		compare_function(&fs->list[i], &s, SCATTER_OF(i));
	compare_itself(p, fs, &s);
	functions_give(fs, p);
	p->off_in_nsec = picture_unseen(p) ? off_cpu(p, SIDE_IN, &s.in) : 0;
	p->off_rest_nsec = picture_unseen(p) ? off_cpu(p, SIDE_REST, &s.rest) : 0;
	for (enum side side = SIDE_IN; side <= SIDE_REST; side++) {
		free(scatter[side].sums);
		free(tame[side].sums);
	}
}

void extra_done(struct extra *x)
{
	scatter_done(&x->scatter);
	functions_done(&x->functions);
	array_done(&x->marks);
	array_done(&x->ways);
}
