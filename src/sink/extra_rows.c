#include "sink/extra_rows.h"

#include "sink/walk.h"
#include "view/compare.h"
#include "view/verdict.h"

#include <math.h>

#define LINES_MAX 12	 /* of functions that stand out from noise */
#define NOISE_MAX 3	 /* where there are none, some that do not, for the eye to compare */
#define TOO_SMALL 0.005	 /* of the largest difference: certain, but of no interest */
#define SAME 0.99	 /* of its caller's: the same time */
#define SAME_KERNEL 0.85 /* both of the kernel: where it goes there is of little interest */
#define NOTHING 0.002	 /* of the line's larger number: no difference to be seen */

_Static_assert(LINES_MAX + NOISE_MAX <= NEST_MOST, "all rows are looked for in one another");

const struct picture_function *extra_row(const struct extra_rows *t, uint32_t i)
{
	return &t->p->functions.at[t->of[i]];
}

static void pick(struct extra_rows *t, const struct picture_function *f)
{
	t->of[t->count++] = f - t->p->functions.at;
}

/* The list is by extra time, so what differs most is at both its ends. */
static void pick_significant(struct extra_rows *t)
{
	const struct picture *p = t->p;
	uint32_t low = 0, high = p->functions.count;
	double least = 0;

	while (low < high && t->count < NEST_MOST - NOISE_MAX) {
		const struct picture_function *more = &p->functions.at[low];
		const struct picture_function *less = &p->functions.at[high - 1];
		bool first = fabs(more->extra_nsec) >= fabs(less->extra_nsec);
		const struct picture_function *f = first ? more : less;

		if (first)
			low++;
		else
			high--;
		if (!function_is_significant(p, f))
			continue;
		least = fmax(least, TOO_SMALL * fabs(f->extra_nsec));
		if (fabs(f->extra_nsec) >= least)
			pick(t, f);
	}
}

/* The biggest functions that do not differ. */
static void pick_noise(struct extra_rows *t)
{
	const struct picture *p = t->p;
	double below = INFINITY, least = TOO_SMALL * p->sides[SIDE_IN].mean_nsec;

	for (unsigned n = 0; n < NOISE_MAX; n++) {
		const struct picture_function *best = NULL;

		for (uint32_t i = 0; i < p->functions.count; i++) {
			const struct picture_function *f = &p->functions.at[i];

			if (function_is_significant(p, f) || f->per_call_in_nsec >= below)
				continue;
			if (!best || f->per_call_in_nsec > best->per_call_in_nsec)
				best = f;
		}
		if (!best || best->per_call_in_nsec <= least)
			return;
		below = best->per_call_in_nsec;
		pick(t, best);
	}
}

static bool is_same(double of, double caller, double most, double same)
{
	return fabs(of - caller) <= fmax((1 - same) * caller, NOTHING * most);
}

static bool is_of_kernel(const struct extra_rows *t, uint32_t i)
{
	return t->p->frames.at[extra_row(t, i)->frame].kind == FRAME_KERNEL;
}

/* A frame that says who has a lock, or ended a wait, begins something new: what another thread
 * does. */
static bool says_the_same(const struct extra_rows *t, uint32_t i, uint32_t caller)
{
	struct contrast d = contrast_of_function(extra_row(t, i));
	struct contrast c = contrast_of_function(extra_row(t, caller));
	double most = fmax(c.in, c.rest);
	double same = is_of_kernel(t, i) && is_of_kernel(t, caller) ? SAME_KERNEL : SAME;
	uint32_t frame = extra_row(t, i)->frame;
	bool begins =
		t->p->frames.at[frame].kind == FRAME_WAIT && picture_is_of_other(t->p, frame);

	return t->nest.shared[i] == t->nest.shared[caller] && !begins &&
	       contrast_is_noise(t->p, &d) == contrast_is_noise(t->p, &c) &&
	       is_same(d.in, c.in, most, same) && is_same(d.rest, c.rest, most, same);
}

/* One that would follow alone takes a line either way: better with its place and numbers. */
static void unlink_pair(struct extra_rows *t, uint32_t i)
{
	uint32_t next = t->next[i];

	if (t->follows[i] || next == NEST_NONE || t->next[next] != NEST_NONE)
		return;
	t->next[i] = NEST_NONE;
	t->follows[next] = false;
}

static void link_rows(struct extra_rows *t)
{
	nest_make(&t->nest, t->p, t->of, t->count);
	for (uint32_t i = 0; i < t->count; i++) {
		t->next[i] = NEST_NONE;
		t->follows[i] = false;
	}
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t caller = t->nest.within[i];

		if (caller == NEST_NONE || t->next[caller] != NEST_NONE ||
		    !says_the_same(t, i, caller))
			continue;
		t->next[caller] = i;
		t->follows[i] = true;
	}
	for (uint32_t i = 0; i < t->count; i++)
		unlink_pair(t, i);
}

/* The row whose name is that of the line. */
static uint32_t line_of(const struct extra_rows *t, uint32_t i)
{
	while (t->follows[i])
		i = t->nest.within[i];
	return i;
}

static bool is_said(const struct verdict *v, const struct picture_function *f)
{
	for (unsigned i = 0; i < v->nr_causes; i++)
		if (v->causes[i].function == f)
			return true;
	return v->most == f || v->less == f;
}

/* Leaves what the verdict names and the first lines, with all that share them. */
static void cut_lines(struct extra_rows *t, const struct verdict *v)
{
	bool stays[NEST_MOST] = { false };
	uint32_t lines = 0, kept = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		if (!is_said(v, extra_row(t, i)) || stays[line_of(t, i)])
			continue;
		lines++;
		stays[line_of(t, i)] = true;
	}
	for (uint32_t i = 0; i < t->count && lines < LINES_MAX; i++) {
		lines += !stays[line_of(t, i)];
		stays[line_of(t, i)] = true;
	}
	for (uint32_t i = 0; i < t->count; i++)
		if (stays[line_of(t, i)])
			t->of[kept++] = t->of[i];
	t->count = kept;
}

void extra_rows_make(struct extra_rows *t, const struct picture *p)
{
	const struct verdict v = verdict_reach(p);

	*t = (struct extra_rows){ .p = p };
	pick_significant(t);
	link_rows(t);
	cut_lines(t, &v);
	if (!t->count)
		pick_noise(t);
	link_rows(t);
	for (uint32_t i = 0; i < t->count; i++)
		t->said[i] = is_said(&v, extra_row(t, i));
}

unsigned extra_rows_depth(const struct extra_rows *t)
{
	unsigned most = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		unsigned depth = 0;

		for (uint32_t k = i; k != NEST_NONE; k = t->nest.within[k])
			depth += !t->follows[k];
		most = depth > most ? depth : most;
	}
	return most ? most - 1 : 0;
}
