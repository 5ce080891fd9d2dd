#include "view/extra.h"

#include "view/function.h"

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

/* Sums of squares of what each call gave to each function. */
struct spread {
	const struct functions *fs;
	double *squares[2]; /* of SIDE_IN and SIDE_REST, by function */
	double *given;	    /* by function, of the call (and side) at hand */
	double times;	    /* that is so many calls */
	uint32_t *stamp;    /* by function: the last sample that gave to it */
	ARRAY(uint32_t) touched;
};

static void spread_init(struct spread *s, const struct functions *fs)
{
	*s = (struct spread){ .fs = fs };
	s->squares[SIDE_IN] = mem_zeroed(fs->count, sizeof(double));
	s->squares[SIDE_REST] = mem_zeroed(fs->count, sizeof(double));
	s->given = mem_zeroed(fs->count, sizeof(double));
	s->stamp = mem_zeroed(fs->count, sizeof(uint32_t));
}

static void spread_done(struct spread *s)
{
	free(s->squares[SIDE_IN]);
	free(s->squares[SIDE_REST]);
	free(s->given);
	free(s->stamp);
	array_done(&s->touched);
}

/* Gives a sample to every function it is in, once each. */
static void spread_give(struct spread *s, const struct judged *j, uint32_t stamp)
{
	const struct picture *p = s->fs->picture;

	s->times = j->call ? 1 : fmax(1, j->of);
	for (uint32_t n = j->node; n; n = p->nodes.at[n].parent) {
		uint32_t function = s->fs->of_frame[p->nodes.at[n].frame];

		if (s->fs->place[n] != PLACE_WITHIN || s->stamp[function] == stamp)
			continue;
		s->stamp[function] = stamp;
		if (s->given[function] == 0)
			array_push(&s->touched, function);
		s->given[function] += j->weight;
	}
}

/* Ends a call, or calls alike that gave an equal part each. */
static void spread_close(struct spread *s, enum side side)
{
	for (uint32_t i = 0; i < s->touched.count; i++) {
		uint32_t function = s->touched.at[i];

		s->squares[side][function] +=
			s->given[function] * s->given[function] / s->times;
		s->given[function] = 0;
	}
	array_clear(&s->touched);
}

static void spread_sum(struct spread *s, const struct judged_list *list)
{
	for (unsigned side = SIDE_IN; side <= SIDE_REST; side++) {
		for (uint32_t i = 0; i < list->all.count; i++) {
			const struct judged *j = &list->all.at[i];
			bool last = i + 1 == list->all.count || j[1].call != j->call;

			if (j->side == side)
				spread_give(s, j, side * list->all.count + i + 1);
			if (last || (!j->call && j->side == side))
				spread_close(s, side);
		}
	}
}

/* One side's calls, as the means and their errors need them. */
struct side_calls {
	double calls, sampled, tick; /* tick: the weight of one sample */
	bool exact;
};

static struct side_calls side_calls(const struct picture *p, enum side side,
				    const struct judged_list *list)
{
	const struct picture_side *from = &p->sides[side];
	struct side_calls c = { .calls = from->calls, .exact = from->calls_exact };
	span_id last = 0;

	c.tick = from->samples ? (double)from->weight_nsec / from->samples : p->period;
	for (uint32_t i = 0; !c.exact && i < list->all.count; i++) {
		const struct judged *j = &list->all.at[i];

		if (j->side == side && j->call != last) {
			last = j->call;
			c.sampled += j->chance;
		}
	}
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

static void compare_function(struct picture_function *to, const struct side_calls *in,
			     const struct side_calls *rest, const double squares[2])
{
	double error;

	to->per_call_in_nsec = per_call(in, to->total_in_nsec);
	to->per_call_rest_nsec = per_call(rest, to->total_rest_nsec);
	to->extra_nsec = to->per_call_in_nsec - to->per_call_rest_nsec;
	error = sqrt(mean_variance(in, to->per_call_in_nsec, squares[SIDE_IN]) +
		     mean_variance(rest, to->per_call_rest_nsec, squares[SIDE_REST]));
	to->extra_error = 1.96 * error;
	to->z = error > 0 ? to->extra_nsec / error : 0;
}

static double off_cpu(const struct picture *p, enum side side, const struct side_calls *c)
{
	const struct picture_side *s = &p->sides[side];

	if (s->mean_nsec <= 0 || c->calls <= 0)
		return 0;
	return fmax(0, s->mean_nsec - s->weight_nsec / c->calls);
}

void extra_functions(const struct fold *f, const struct store_probe *probe,
		     const struct judged_list *judged)
{
	struct picture *p = f->picture;
	struct side_calls in = side_calls(p, SIDE_IN, judged);
	struct side_calls rest = side_calls(p, SIDE_REST, judged);
	double whole = whole_extra(p, &in, &rest);
	struct functions fs;
	struct spread spread;

	functions_init(&fs, p, place_nodes(f, probe));
	functions_sum(&fs);
	spread_init(&spread, &fs);
	spread_sum(&spread, judged);
	for (uint32_t i = 0; i < fs.count; i++) {
		double squares[2] = { spread.squares[SIDE_IN][i],
				      spread.squares[SIDE_REST][i] };
		struct picture_function *to = &fs.list[i];

		compare_function(to, &in, &rest, squares);
		to->extra_share = whole > 0 ? fmin(1, fmax(0, to->extra_nsec / whole)) : 0;
	}
	functions_give(&fs, p);
	p->off_in_nsec = off_cpu(p, SIDE_IN, &in);
	p->off_rest_nsec = off_cpu(p, SIDE_REST, &rest);
	spread_done(&spread);
	functions_done(&fs);
}
