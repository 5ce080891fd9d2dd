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

/* What the rest has of it beyond what its calls, being longer, would have of it if they did the
 * same; the reverse of beyond_nsec. */
static double lacked_of(const struct picture_function *f, const struct contrast *all)
{
	return all->in > 0 ? -f->beyond_nsec * all->rest / all->in : -f->extra_nsec;
}

static bool is_lacked(const struct picture *p, const struct picture_function *f,
		      const struct contrast *all)
{
	double least = p->z_least + (contrast_is_noise(p, all) ? Z_FARTHER : 0);

	return can_be_less(p, f) && -f->z >= least &&
	       lacked_of(f, all) >= SHARE_BEYOND * -all->extra &&
	       COMPARE_Z * -f->beyond_nsec >= least * f->beyond_noise;
}

/* Where these calls never come the way ends; else it goes down.  A name is preferred. */
static bool is_nearer(const struct picture *p, const struct picture_function *f,
		      const struct picture_function *best)
{
	bool never = !f->samples_in, named = cause_has_name(p, f->frame);

	if (!best)
		return true;
	if (never != !best->samples_in)
		return never;
	if (named != cause_has_name(p, best->frame))
		return named;
	return never ? f->depth < best->depth : f->depth > best->depth;
}

/* Of those with nearly all that is lacked most the one to name. */
static const struct picture_function *most_lacked(const struct picture *p)
{
	const struct picture_function *best = NULL;
	struct contrast all;
	double most = 0;

	if (!compare_cpu(p, &all))
		return NULL;
	for (uint32_t i = 0; i < p->functions.count; i++)
		if (is_lacked(p, &p->functions.at[i], &all))
			most = fmax(most, lacked_of(&p->functions.at[i], &all));
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (is_lacked(p, f, &all) && lacked_of(f, &all) >= SHARE_OUTER * most &&
		    is_nearer(p, f, best))
			best = f;
	}
	return best;
}

/* Nothing that was seen could have most of the extra time by itself, beyond what a longer
 * call of the same kind would have. */
static bool all_take_longer(const struct picture *p, double cpu)
{
	double times = 1, most;
	struct contrast d;

	if (!compare_cpu(p, &d) || contrast_is_noise(p, &d) || d.rest <= 0 || d.in <= 0)
		return false;
	if (cpu < 0) /* by what the rest, which is longer, has beyond */
		times = -d.rest / d.in;
	most = SHARE_MOST * fabs(cpu);
	if (times * p->itself.beyond_nsec + fabs(times) * p->itself.beyond_error > most)
		return false;
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (times * f->beyond_nsec + fabs(times) * f->beyond_error > most)
			return false;
	}
	return true;
}

/* Has a function most of all CPU time, on both sides, or of all extra time? */
typedef bool has_most(const struct picture *p, const struct picture_function *f,
		      const struct contrast *all);

static bool has_most_time(const struct picture *p, const struct picture_function *f,
			  const struct contrast *all)
{
	return f->per_call_in_nsec >= SHARE_MOST * all->in &&
	       f->per_call_rest_nsec >= SHARE_MOST * all->rest;
}

static bool has_most_extra(const struct picture *p, const struct picture_function *f,
			   const struct contrast *all)
{
	return f->extra_nsec / all->extra >= SHARE_MOST && function_is_significant(p, f);
}

/* The innermost function that has, with a name if one with a name has; NULL: none has. */
static const struct picture_function *most_of(const struct picture *p, has_most *has)
{
	const struct picture_function *best = NULL, *named = NULL;
	struct contrast all;

	if (!compare_cpu(p, &all))
		return NULL;
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (f->frame >= p->frames.count || picture_is_of_other(p, f->frame) ||
		    p->frames.at[f->frame].kind == FRAME_PROBE || !has(p, f, &all))
			continue;
		if (!best || f->depth > best->depth)
			best = f;
		if (cause_has_name(p, f->frame) && (!named || f->depth > named->depth))
			named = f;
	}
	return named ? named : best;
}

/* Nothing was found: do they lack something, do all take longer or less alike, or could that
 * be? */
static void look_for_all(struct verdict *v, const struct picture *p, double cpu)
{
	struct contrast d;

	v->less = cpu < 0 ? most_lacked(p) : NULL;
	if (v->less) {
		v->kind = VERDICT_LESS;
	} else if (all_take_longer(p, cpu)) {
		v->kind = VERDICT_ALIKE;
		v->most = most_of(p, has_most_time);
	} else if (compare_cpu(p, &d) && !contrast_is_noise(p, &d)) {
		v->most = most_of(p, has_most_extra);
		v->kind = v->most ? VERDICT_UNCLEAR : VERDICT_NOISE;
	}
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
	if (v.kind == VERDICT_NOISE)
		look_for_all(&v, p, cpu);
	return v;
}

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const names[NR_VERDICT] = {
		[VERDICT_FUNCTION] = "function", [VERDICT_ITSELF] = "itself",
		[VERDICT_SPREAD] = "spread",	 [VERDICT_WAITING] = "waiting",
		[VERDICT_LESS] = "less",	 [VERDICT_ALIKE] = "alike",
		[VERDICT_UNCLEAR] = "unclear",	 [VERDICT_NOISE] = "noise",
		[VERDICT_BLURRED] = "blurred",
	};

	return names[kind];
}
