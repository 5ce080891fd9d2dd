#include "sink/verdict.h"

#include "sink/compare.h"
#include "sink/fit.h"
#include "sink/headline.h"
#include "sink/walk.h"

#include <math.h>
#include <stdio.h>

#define SHARE_MOST 0.5	/* of the extra CPU time: enough to blame one function */
#define SHARE_NEAR 0.75 /* of the share of its caller: still the same time */
#define REST_NEVER 0.02 /* of the rest's own time a call: as good as never */
#define SPREAD_MAX 3
#define BLUR_MOST 0.5  /* of the difference: more is lost than left */
#define TICK_TIMES 1.5 /* calls so much longer than a tick can be told apart */
#define CALLS_LEAST 20 /* so many of them make a split */
#define NAME_COLUMNS 48

bool function_is_significant(const struct picture_function *f)
{
	return fabs(f->z) >= 1.96;
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

/* Extra CPU time a call, sampled. */
static double extra_cpu(const struct picture *p)
{
	const struct picture_side *in = &p->sides[SIDE_IN], *rest = &p->sides[SIDE_REST];

	return in->calls && rest->calls ? (double)in->weight_nsec / in->calls -
						  (double)rest->weight_nsec / rest->calls
					: 0;
}

/* Shares are of the extra CPU time: waiting has no function. */
static void blame(struct verdict *v, const struct picture *p, double cpu)
{
	double most = 0;

	for (uint32_t i = 0; i < p->functions.count; i++)
		if (function_is_significant(&p->functions.at[i]))
			most = fmax(most, p->functions.at[i].extra_nsec / cpu);
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];
		double share = f->extra_nsec / cpu;

		if (!function_is_significant(f) || f->extra_nsec <= 0)
			continue;
		if (v->kind == VERDICT_NOISE)
			v->kind = VERDICT_SPREAD;
		if (share < SHARE_MOST || share < SHARE_NEAR * most)
			continue;
		v->kind = VERDICT_FUNCTION;
		if (!v->function || blame_before(p, f, v->function))
			v->function = f;
	}
}

struct verdict verdict_reach(const struct picture *p)
{
	struct verdict v = { .kind = VERDICT_NOISE };
	double whole = extra_whole(p), cpu = extra_cpu(p);
	struct contrast d;

	if (verdict_is_blurred(p)) {
		v.kind = VERDICT_BLURRED;
		return v;
	}
	if (cpu > 0)
		blame(&v, p, cpu);
	if (!v.function && cpu > 0 && compare_itself(p, &d) && !contrast_is_noise(&d) &&
	    d.extra >= SHARE_MOST * cpu) {
		v.kind = VERDICT_ITSELF;
		v.itself_share = d.extra / cpu;
	}
	if (whole > 0 && compare_waiting(p, &d) && !contrast_is_noise(&d))
		v.waiting_share = d.extra / whole;
	if (v.waiting_share >= SHARE_MOST)
		v.kind = VERDICT_WAITING;
	return v;
}

static void add_name(struct text *t, const struct picture *p, uint32_t frame)
{
	fit_name(t, walk_name(p, frame), NAME_COLUMNS);
}

static void add_source(struct text *t, const struct picture *p, uint32_t frame)
{
	const struct picture_frame *f = &p->frames.at[frame];
	const char *file = picture_text(p, f->file), *base = strrchr(file, '/');

	if (!f->file)
		return;
	text_add(t, " (");
	fit_name(t, base ? base + 1 : file, NAME_COLUMNS);
	if (f->line)
		text_format(t, ":%u", f->line);
	text_add_char(t, ')');
}

/* waiting: most of the extra time is not on a CPU, which was said before. */
static void say_function(struct text *t, const struct picture *p,
			 const struct picture_function *f, bool waiting)
{
	char buf[TEXT_QUANTITY];
	double share = 100 * fmin(f->extra_nsec / extra_cpu(p), 1);

	if (waiting)
		text_format(t, " Of their extra CPU time %.0f %% is in ", share);
	else
		text_format(t, "%s calls spend %.0f %% of their extra CPU time in ",
			    strcmp(headline_side(p), "slow") == 0 ? "Slow" : "These", share);
	add_name(t, p, f->frame);
	add_source(t, p, f->frame);
	if (f->caller < p->frames.count) {
		text_add(t, ", called by ");
		add_name(t, p, f->caller);
		add_source(t, p, f->caller);
	}
	if (!f->samples_rest)
		text_add(t, "; the rest were never seen in it.");
	else
		text_format(t, "; the rest spend %s a call in it.",
			    text_duration(buf, f->per_call_rest_nsec));
}

/* A command to go on with, on a line of its own, quoted for the shell; none for
 * a name that no person would type. */
static void say_next(struct text *t, const struct picture *p, const struct picture_function *f)
{
	const char *name = walk_name(p, f->frame);
	size_t n = strcspn(name, "("); /* places are without parameters */
	AUTO_FREE char *place = mem_text_part(name, n);
	AUTO_TEXT struct text plain = { 0 };

	text_add_plain(&plain, place);
	if (!p->pid || !n || n > NAME_COLUMNS || strcmp(text_string(&plain), place) != 0 ||
	    strpbrk(place, "'[") || p->frames.at[f->frame].kind != FRAME_USER)
		return;
	text_format(t,
		    strpbrk(place, " <>*?&;|$`\\\"~#") ? "Next: sonde latency -p %u '%s'\n"
						       : "Next: sonde latency -p %u %s\n",
		    p->pid, place);
}

static void say_itself(struct text *t, const struct picture *p, const struct verdict *v)
{
	const struct picture_span *span = headline_span(p);

	text_format(t, "%.0f %% of the extra CPU time is spent in the code of ",
		    100 * fmin(v->itself_share, 1));
	fit_name(t, picture_text(p, span->function), NAME_COLUMNS);
	text_add(t, " itself, not in what it calls.");
}

static void say_spread(struct text *t, const struct picture *p)
{
	unsigned said = 0;

	text_add(t, "No single function has most of the extra CPU time. The largest shares:");
	for (uint32_t i = 0; i < p->functions.count && said < SPREAD_MAX; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (!function_is_significant(f) || f->extra_nsec <= 0)
			continue;
		text_add(t, said++ ? ", " : " ");
		add_name(t, p, f->frame);
		text_format(t, " %.0f %%", 100 * f->extra_nsec / extra_cpu(p));
	}
	text_add(t, ".");
}

static void say_noise(struct text *t, const struct picture *p)
{
	char in[TEXT_QUANTITY], rest[TEXT_QUANTITY];

	text_format(t,
		    "No function stands out from the noise: %s samples in these calls, %s in "
		    "the rest. Record for longer (-d) or more often (-F).",
		    text_count(in, p->sides[SIDE_IN].samples),
		    text_count(rest, p->sides[SIDE_REST].samples));
}

static uint64_t calls_above(const struct picture_span *span, nsec bound)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < span->buckets.count; i++)
		calls += span->buckets.at[i].low >= bound ? span->buckets.at[i].count : 0;
	return calls;
}

/* A round bound that calls can be told apart at, and some are above; 0: none are. */
static nsec bound_to_try(const struct picture *p)
{
	static const uint32_t steps[] = { 10, 20, 50, 100, 200, 500, 1000 };
	const struct picture_span *span = headline_span(p);

	for (unsigned i = 0; i < COUNT_OF(steps); i++) {
		nsec bound = steps[i] * NSEC_PER_USEC;

		if (bound >= TICK_TIMES * p->losses.tick_nsec)
			return span && calls_above(span, bound) >= CALLS_LEAST ? bound : 0;
	}
	return 0;
}

static void say_blurred(struct text *t, const struct picture *p)
{
	char tick[TEXT_QUANTITY];
	nsec better = bound_to_try(p);

	text_format(t,
		    "Calls near this bound are shorter than one sample takes (%s): how many "
		    "there are, how long they last and what share of the time they have holds, "
		    "but not which of them a sample fell in, so no cause is named.",
		    text_duration(tick, p->losses.tick_nsec));
	if (better)
		text_format(t, " Try --split 'dur > %lluus'.",
			    (unsigned long long)(better / NSEC_PER_USEC));
	else
		text_add(t, " Watch a function that calls this one, whose calls are longer.");
}

/* Words into lines; a word longer than a line gets its own. */
static void add_wrapped(struct text *t, const char *words, unsigned columns)
{
	unsigned used = 0;

	while (*words) {
		size_t n = strcspn(words, " ");
		AUTO_FREE char *word = mem_text_part(words, n);
		unsigned wide = fit_columns(word);

		if (used && used + 1 + wide > columns) {
			text_add_char(t, '\n');
			used = 0;
		}
		if (used) {
			text_add_char(t, ' ');
			used++;
		}
		text_add(t, word);
		used += wide;
		words += n + (words[n] == ' ');
	}
	text_add_char(t, '\n');
}

void verdict_print(struct text *t, const struct picture *p, unsigned columns)
{
	struct verdict v = verdict_reach(p);
	AUTO_TEXT struct text words = { 0 };

	switch (v.kind) {
	case VERDICT_FUNCTION:
		say_function(&words, p, v.function, false);
		break;
	case VERDICT_ITSELF:
		say_itself(&words, p, &v);
		break;
	case VERDICT_SPREAD:
		say_spread(&words, p);
		break;
	case VERDICT_WAITING:
		text_format(&words,
			    "%.0f %% of the extra time is not on a CPU: these calls wait (or "
			    "want for a CPU) more than they compute.",
			    100 * fmin(v.waiting_share, 1));
		if (v.function)
			say_function(&words, p, v.function, true);
		break;
	case VERDICT_NOISE:
		say_noise(&words, p);
		break;
	case VERDICT_BLURRED:
		say_blurred(&words, p);
		break;
	}
	add_wrapped(t, text_string(&words), columns);
	if (v.function)
		say_next(t, p, v.function);
}
