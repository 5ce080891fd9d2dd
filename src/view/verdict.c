#include "view/verdict.h"

#include "view/compare.h"

#include <math.h>

#define SHARE_MOST 0.5	  /* of the extra CPU time: enough to blame one function */
#define SHARE_CAUSE 0.1	  /* of it: worth naming */
#define SHARE_BEYOND 0.05 /* of it: what makes the cause more than part of a longer call */
#define SHARE_NEAR 0.75	  /* of the share of its caller: still the same time */
#define REST_NEVER 0.02	  /* of the rest's own time a call: as good as never */
#define BLUR_MOST 0.5	  /* of the difference: more is lost than left */

bool function_is_significant(const struct picture *p, const struct picture_function *f)
{
	return fabs(f->z) >= p->z_least;
}

bool verdict_is_blurred(const struct picture *p)
{
	return p->blur > BLUR_MOST;
}

/* Measured by what an ordinary call takes: slow calls may be a hundred times as
 * long, and next to them everything is next to nothing. */
static bool rest_never_runs(const struct picture *p, const struct picture_function *f)
{
	const struct picture_side *rest = &p->sides[SIDE_REST];
	double call = rest->calls ? (double)rest->weight_nsec / rest->calls : 0;

	return f->per_call_rest_nsec <= REST_NEVER * call;
}

/* Extra time a call, on a CPU or not; 0 when the durations are not known. */
static double extra_whole(const struct picture *p)
{
	const struct picture_side *in = &p->sides[SIDE_IN], *rest = &p->sides[SIDE_REST];

	return in->mean_nsec > 0 && rest->mean_nsec > 0 ? in->mean_nsec - rest->mean_nsec : 0;
}

/* Whether a is better to blame than b. */
static bool blame_before(const struct picture *p, const struct picture_function *a,
			 const struct picture_function *b)
{
	bool only_a = rest_never_runs(p, a), only_b = rest_never_runs(p, b);

	if (only_a != only_b)
		return only_a;
	/* the outermost of those only slow calls run, the innermost of the others */
	return only_a ? a->depth < b->depth : a->depth > b->depth;
}

double verdict_extra_cpu(const struct picture *p)
{
	struct contrast d;

	return compare_cpu(p, &d) ? d.extra : 0;
}

/* cpu: the extra CPU time of a call, more than nothing. */
static bool is_cause(const struct picture *p, const struct picture_function *f, double cpu)
{
	return function_is_significant(p, f) && f->extra_nsec >= SHARE_CAUSE * cpu &&
	       f->beyond_nsec >= SHARE_BEYOND * cpu &&
	       COMPARE_Z * f->beyond_nsec >= p->z_least * f->beyond_error &&
	       p->frames.at[f->frame].kind != FRAME_PROBE;
}

/* Keeps those with the largest shares, in their order. */
static void add_cause(struct verdict *v, const struct picture_function *f)
{
	unsigned at = v->nr_causes;

	while (at && v->causes[at - 1]->extra_nsec < f->extra_nsec)
		at--;
	if (at == VERDICT_CAUSES)
		return;
	v->nr_causes += v->nr_causes < VERDICT_CAUSES;
	for (unsigned i = v->nr_causes - 1; i > at; i--)
		v->causes[i] = v->causes[i - 1];
	v->causes[at] = f;
	v->kind = VERDICT_SPREAD;
}

static void blame_one(struct verdict *v, const struct picture_function *f,
		      enum verdict_kind kind)
{
	v->kind = kind;
	v->causes[0] = f;
	v->nr_causes = 1;
}

/* Shares are of the extra CPU time: waiting has no function. */
static void blame(struct verdict *v, const struct picture *p, double cpu)
{
	const struct picture_function *best = NULL;
	double most;

	if (p->itself.frame != UINT32_MAX && is_cause(p, &p->itself, cpu))
		add_cause(v, &p->itself);
	for (uint32_t i = 0; i < p->functions.count; i++)
		if (is_cause(p, &p->functions.at[i], cpu))
			add_cause(v, &p->functions.at[i]);
	most = v->nr_causes ? v->causes[0]->extra_nsec : 0;
	if (most < SHARE_MOST * cpu)
		return;
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (is_cause(p, f, cpu) && f->extra_nsec >= SHARE_MOST * cpu &&
		    f->extra_nsec >= SHARE_NEAR * most && (!best || blame_before(p, f, best)))
			best = f;
	}
	if (best)
		blame_one(v, best, VERDICT_FUNCTION);
	else
		blame_one(v, &p->itself, VERDICT_ITSELF);
}

/* Nothing that was seen could have most of the extra time by itself, beyond what a longer
 * call of the same kind would have. */
static bool all_take_longer(const struct picture *p, double cpu)
{
	struct contrast d;

	if (!compare_cpu(p, &d) || contrast_is_noise(p, &d) || d.rest <= 0)
		return false;
	if (p->itself.beyond_nsec + p->itself.beyond_error > SHARE_MOST * cpu)
		return false;
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (f->beyond_nsec + f->beyond_error > SHARE_MOST * cpu)
			return false;
	}
	return true;
}

/* The innermost function that all calls spend most of their CPU time in. */
static const struct picture_function *most_time(const struct picture *p)
{
	const struct picture_function *best = NULL;
	struct contrast all;

	if (!compare_cpu(p, &all))
		return NULL;
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (f->per_call_in_nsec >= SHARE_MOST * all.in &&
		    f->per_call_rest_nsec >= SHARE_MOST * all.rest &&
		    (!best || f->depth > best->depth))
			best = f;
	}
	return best;
}

struct verdict verdict_reach(const struct picture *p)
{
	struct verdict v = { .kind = VERDICT_NOISE };
	double whole = extra_whole(p), cpu = verdict_extra_cpu(p);
	struct contrast d;

	if (verdict_is_blurred(p)) {
		v.kind = VERDICT_BLURRED;
		return v;
	}
	if (cpu > 0)
		blame(&v, p, cpu);
	if (whole > 0 && compare_waiting(p, &d) && !contrast_is_noise(p, &d))
		v.waiting_share = d.extra / whole;
	if (v.waiting_share >= SHARE_MOST)
		v.kind = VERDICT_WAITING;
	if (v.kind == VERDICT_NOISE && cpu > 0 && all_take_longer(p, cpu)) {
		v.kind = VERDICT_ALIKE;
		v.most = most_time(p);
	}
	return v;
}

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const names[NR_VERDICT] = {
		[VERDICT_FUNCTION] = "function", [VERDICT_ITSELF] = "itself",
		[VERDICT_SPREAD] = "spread",	 [VERDICT_WAITING] = "waiting",
		[VERDICT_ALIKE] = "alike",	 [VERDICT_NOISE] = "noise",
		[VERDICT_BLURRED] = "blurred",
	};

	return names[kind];
}

bool verdict_has_most(const struct picture *p, const struct picture_function *f)
{
	return f->extra_nsec >= SHARE_MOST * verdict_extra_cpu(p);
}
