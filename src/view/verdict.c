#include "view/verdict.h"

#include "view/blur.h"
#include "view/compare.h"

#include <math.h>

#define SHARE_MOST 0.5	   /* of the extra CPU time */
#define SHARE_INSTEAD 0.25 /* of it: so much is less somewhere, and made up for */
#define SHARE_OUTER 0.9	   /* of what is less: it is all of it */

bool verdict_is_blurred(const struct picture *p)
{
	return p->blur > BLUR_MOST;
}

double verdict_extra_cpu(const struct picture *p)
{
	struct contrast d;

	return compare_cpu(p, &d) ? d.extra : 0;
}

static bool can_be_less(const struct picture *p, const struct picture_function *f)
{
	return f->frame < p->frames.count && f->extra_nsec < 0 &&
	       function_is_significant(p, f) && p->frames.at[f->frame].kind != FRAME_PROBE &&
	       !picture_is_of_other(p, f->frame);
}

/* The outermost of those with nearly all that these calls do less in one place. */
static const struct picture_function *most_less(const struct picture *p)
{
	const struct picture_function *best = NULL;
	double most = 0;

	for (uint32_t i = 0; i < p->functions.count; i++)
		if (can_be_less(p, &p->functions.at[i]))
			most = fmax(most, -p->functions.at[i].extra_nsec);
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (can_be_less(p, f) && -f->extra_nsec >= SHARE_OUTER * most &&
		    (!best || f->depth < best->depth))
			best = f;
	}
	return best;
}

static void blame(struct verdict *v, const struct picture *p, double cpu)
{
	const struct picture_function *less = most_less(p);
	double sum = 0;

	v->nr_causes = cause_find(p, cpu, v->causes);
	for (unsigned i = 0; i < v->nr_causes; i++)
		sum += v->causes[i].extra_nsec;
	if (!v->nr_causes)
		return;
	if (cpu <= 0 && !less) {
		v->nr_causes = 0;
		return;
	}
	if (less && sum >= (1 + SHARE_INSTEAD) * cpu &&
	    -less->extra_nsec >= SHARE_INSTEAD * cpu) {
		v->less = less;
		cpu = sum;
	}
	v->one_has_most = v->causes[0].extra_nsec >= SHARE_MOST * cpu;
	v->they_have_most = sum >= SHARE_MOST * cpu;
	v->kind = !v->one_has_most			? VERDICT_SPREAD
		  : v->causes[0].function == &p->itself ? VERDICT_ITSELF
							: VERDICT_FUNCTION;
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
	double whole = compare_extra_time(p), cpu = verdict_extra_cpu(p);
	struct contrast d;

	if (verdict_is_blurred(p)) {
		v.kind = VERDICT_BLURRED;
		return v;
	}
	if (compare_cpu(p, &d))
		blame(&v, p, d.extra);
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
