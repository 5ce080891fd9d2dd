#include "view/compare.h"

#include <math.h>

/* Of a mean over calls that was estimated from samples. */
static double variance(double nsec, double samples, double calls)
{
	double each = samples ? nsec / samples / calls : 0;

	return each * each * samples;
}

/* What was sampled on one side in one place. */
struct amount {
	double nsec, samples, calls;
};

/* By how much an error is wider than samples alone would make it, and than what the difference
 * is told from chance by; each at least 1. */
struct width {
	double widen, firm;
};

static struct contrast contrast_of(struct amount in, struct amount rest, struct width width)
{
	double error = width.widen * sqrt(variance(in.nsec, in.samples, in.calls) +
					  variance(rest.nsec, rest.samples, rest.calls));
	struct contrast d = {
		.in = in.nsec / in.calls,
		.rest = rest.nsec / rest.calls,
		.error = COMPARE_Z * error,
	};

	d.extra = d.in - d.rest;
	d.z = error > 0 ? width.firm * d.extra / error : 0;
	return d;
}

static struct width function_width(const struct picture *p, const struct picture_function *f)
{
	struct width width = { 1, 1 };
	struct amount in = { f->total_in_nsec, f->samples_in, p->sides[SIDE_IN].calls };
	struct amount rest = { f->total_rest_nsec, f->samples_rest, p->sides[SIDE_REST].calls };
	struct contrast d;

	if (!in.calls || !rest.calls)
		return width;
	d = contrast_of(in, rest, width);
	if (d.error > 0)
		width.widen = fmax(f->extra_error / d.error, 1);
	if (f->extra_noise > 0)
		width.firm = fmax(f->extra_error / f->extra_noise, 1);
	return width;
}

/* For what is no function of the list: as wide as the one sampled most. */
static struct width usual_width(const struct picture *p)
{
	struct width width = { 1, 1 };
	uint64_t most = 0;

	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (f->samples_in + f->samples_rest <= most)
			continue;
		most = f->samples_in + f->samples_rest;
		width = function_width(p, f);
	}
	return width;
}

static void frame_width(struct compare *c, uint32_t frame, struct width width)
{
	c->widen[frame] = width.widen;
	c->firm[frame] = width.firm;
}

static void frame_widths(struct compare *c, const struct picture *p)
{
	struct width usual = usual_width(p);

	c->widen = mem_alloc((p->frames.count + 1) * sizeof(*c->widen));
	c->firm = mem_alloc((p->frames.count + 1) * sizeof(*c->firm));
	for (uint32_t i = 0; i < p->frames.count; i++)
		frame_width(c, i, usual);
	for (uint32_t i = 0; i < p->functions.count; i++)
		frame_width(c, p->functions.at[i].frame,
			    function_width(p, &p->functions.at[i]));
}

static uint64_t *totals(const struct picture *p, enum side side, bool in_nsec)
{
	uint64_t *total = mem_zeroed(p->nodes.count + 1, sizeof(*total));

	picture_totals(p, SIDE_BIT(side), in_nsec, total);
	return total;
}

bool compare_make(struct compare *c, const struct picture *p)
{
	*c = (struct compare){
		.calls_in = p->sides[SIDE_IN].calls,
		.calls_rest = p->sides[SIDE_REST].calls,
	};
	if (!p->split_expr || !c->calls_in || !c->calls_rest || !p->nodes.count)
		return false;
	c->nsec_in = totals(p, SIDE_IN, true);
	c->nsec_rest = totals(p, SIDE_REST, true);
	c->samples_in = totals(p, SIDE_IN, false);
	c->samples_rest = totals(p, SIDE_REST, false);
	frame_widths(c, p);
	for (uint32_t i = 0; i < p->nodes.count; i++) {
		struct contrast d = compare_node(c, p, i);

		if (compare_inside(p, i) && !contrast_is_noise(p, &d))
			c->most = fmax(c->most, fabs(d.extra));
	}
	return true;
}

void compare_done(struct compare *c)
{
	free(c->nsec_in);
	free(c->nsec_rest);
	free(c->samples_in);
	free(c->samples_rest);
	free(c->widen);
	free(c->firm);
}

struct contrast compare_node(const struct compare *c, const struct picture *p, uint32_t node)
{
	struct amount in = { c->nsec_in[node], c->samples_in[node], c->calls_in };
	struct amount rest = { c->nsec_rest[node], c->samples_rest[node], c->calls_rest };
	uint32_t frame = p->nodes.at[node].frame;

	return contrast_of(in, rest, (struct width){ c->widen[frame], c->firm[frame] });
}

bool compare_itself(const struct picture *p, struct contrast *ret)
{
	const struct picture_function *f = &p->itself;

	if (f->frame == UINT32_MAX || !p->sides[SIDE_IN].calls || !p->sides[SIDE_REST].calls)
		return false;
	*ret = contrast_of_function(f);
	return true;
}

struct contrast contrast_of_function(const struct picture_function *f)
{
	return (struct contrast){ .in = f->per_call_in_nsec,
				  .rest = f->per_call_rest_nsec,
				  .extra = f->extra_nsec,
				  .error = f->extra_error,
				  .z = f->z };
}

static struct amount side_amount(const struct picture_side *side)
{
	return (struct amount){ side->weight_nsec, side->samples, side->calls };
}

/* Of the sampled time of a call, if all of it were on a CPU; squared. */
static double on_cpu_variance(const struct picture *p, const struct picture_side *side)
{
	return side->mean_nsec * p->period / side->calls;
}

bool compare_waiting(const struct picture *p, struct contrast *ret)
{
	const struct picture_side *in = &p->sides[SIDE_IN], *rest = &p->sides[SIDE_REST];
	struct contrast d;
	double error;

	if (!picture_unseen(p) || !in->calls || !rest->calls || in->mean_nsec <= 0 ||
	    rest->mean_nsec <= 0)
		return false;
	d = contrast_of(side_amount(in), side_amount(rest), usual_width(p));
	d.in = p->off_in_nsec;
	d.rest = p->off_rest_nsec;
	d.extra = d.in - d.rest;
	/* without samples there is no waiting yet: there could have been none by chance */
	error = fmax(d.error,
		     COMPARE_Z * sqrt(on_cpu_variance(p, in) + on_cpu_variance(p, rest)));
	d.z = error > 0 ? COMPARE_Z * d.extra / error : 0;
	*ret = d;
	return true;
}

double compare_extra_time(const struct picture *p)
{
	const struct picture_side *in = &p->sides[SIDE_IN], *rest = &p->sides[SIDE_REST];

	return in->mean_nsec > 0 && rest->mean_nsec > 0
		       ? fmax(0, in->mean_nsec - rest->mean_nsec)
		       : 0;
}

bool compare_cpu(const struct picture *p, struct contrast *ret)
{
	const struct picture_side *in = &p->sides[SIDE_IN], *rest = &p->sides[SIDE_REST];

	if (!in->calls || !rest->calls)
		return false;
	*ret = contrast_of(side_amount(in), side_amount(rest), usual_width(p));
	return true;
}

bool contrast_is_noise(const struct picture *p, const struct contrast *d)
{
	return fabs(d->z) < p->z_least;
}
