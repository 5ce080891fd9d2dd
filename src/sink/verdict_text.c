#include "sink/verdict_text.h"

#include "base/columns.h"
#include "sink/fit.h"
#include "sink/headline.h"
#include "sink/walk.h"
#include "view/compare.h"
#include "view/shape.h"
#include "wire/sample_cause.h"

#include <math.h>
#include <stdio.h>

#define TICK_TIMES 1.5	  /* calls so much longer than a tick can be told apart */
#define WAITING_LEAST 0.1 /* of the extra time: worth a sentence */
#define ALIKE_MOST 0.3	  /* of the cause's extra time: what has less is none */
#define ALL_OF_IT 0.98	  /* of the time, on both sides: not worth a name */
#define LARGER_TIMES 1.2  /* than the cause: it looks larger to everybody */
#define FEW_SAMPLES 4	  /* how long they took is not known by these */
#define LARGER_LEAST 0.1  /* of all time: what has less misleads nobody */
#define LOOK_AT_WAITS " (sonde record -e wall shows what for)"
#define NAME_COLUMNS 48
#define WAIT_COLUMNS 64

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

char *verdict_wait(const struct picture *p, uint32_t frame)
{
	static const char *const starts[] = { FRAME_HELD, FRAME_WAITS, FRAME_WOKEN };
	AUTO_FREE char *name = verdict_holder(p, frame);

	for (unsigned i = 0; i < COUNT_OF(starts); i++)
		if (text_starts(name, starts[i]))
			return mem_text_part(name + strlen(starts[i]),
					     strlen(name) - strlen(starts[i]) - 1);
	return NULL;
}

bool verdict_is_woken(const struct picture *p, uint32_t frame)
{
	return text_starts(walk_name(p, frame), FRAME_WOKEN);
}

bool verdict_timed_out(const struct picture *p, uint32_t frame)
{
	return strcmp(walk_name(p, frame), FRAME_TIMED_OUT) == 0;
}

char *verdict_holder(const struct picture *p, uint32_t frame)
{
	static const char *const ends[] = { FRAME_OF_HOLDER, FRAME_OF_WAKER };
	const char *name = walk_name(p, frame);
	size_t length = strlen(name);

	for (unsigned i = 0; i < COUNT_OF(ends); i++)
		if (p->frames.at[frame].kind == FRAME_HOLDER && text_ends(name, ends[i]))
			return mem_text_part(name, length - strlen(ends[i]));
	return mem_text_part(name, length);
}

/* What shares are of: as in the table, all extra time where that is known. */
static double extra_of_all(const struct picture *p)
{
	double time = compare_extra_time(p);

	return time > 0 ? time : verdict_extra_cpu(p);
}

/* What extra_of_all() is of. */
static const char *extra_time_words(const struct picture *p)
{
	return compare_extra_time(p) > 0 ? "time" : picture_time(p);
}

static double share_of(const struct picture *p, const struct cause *cause)
{
	return fmin(cause->extra_nsec / extra_of_all(p), 1);
}

static const char *these(const struct picture *p, bool first)
{
	if (strcmp(headline_side(p), "slow") == 0)
		return first ? "Slow" : "slow";
	return first ? "These" : "these";
}

/* "paint (planted.c:31)", "serve's own code" */
static void add_cause(struct text *t, const struct picture *p, const struct cause *cause)
{
	add_name(t, p, cause->function->frame);
	if (cause->function == &p->itself)
		text_add(t, "'s own code");
	else
		add_source(t, p, cause->function->frame);
}

/* " waiting for mutex cache_mu held by refresher" */
static void add_waiting(struct text *t, const struct picture *p, const struct cause *cause)
{
	const struct cause_step *step = &cause->steps[0];
	AUTO_FREE char *what = cause->nr_steps ? verdict_wait(p, step->wait) : NULL;
	AUTO_FREE char *owner = what ? verdict_wait(p, step->owner) : NULL;

	if (!what)
		return;
	text_add(t, " waiting for ");
	fit_name(t, what, WAIT_COLUMNS);
	if (!owner)
		return;
	text_add(t, verdict_is_woken(p, step->owner) ? " woken by " : " held by ");
	fit_name(t, owner, WAIT_COLUMNS);
}

/* is: "12 % is in paint (planted.c:31), 11 % in lookup (planted.c:20) waiting for disk", else
 * without */
static void add_causes(struct text *t, const struct picture *p, const struct verdict *v,
		       unsigned first, bool is)
{
	for (unsigned i = first; i < v->nr_causes; i++) {
		text_format(t,
			    i > first ? ", %.0f %% in "
			    : is      ? "%.0f %% is in "
				      : "%.0f %% in ",
			    100 * share_of(p, &v->causes[i]));
		add_cause(t, p, &v->causes[i]);
		add_waiting(t, p, &v->causes[i]);
		if (!is && !v->causes[i].function->samples_rest)
			text_add(t, ", which the others were never seen in");
	}
}

/* "rebuild_cache (cache.c:88)" */
static void add_holder(struct text *t, const struct picture *p, uint32_t frame)
{
	AUTO_FREE char *name = verdict_holder(p, frame);

	fit_name(t, name, NAME_COLUMNS);
	add_source(t, p, frame);
}

/* "mutex cache_mu, held by refresher: 92 % of that time it is in spin (a.c:7), called by
 * rebuild_cache (a.c:88)"; "condition queue, woken by producer: 90 % of these waits end in push
 * (a.c:7)" */
static void add_step(struct text *t, const struct picture *p, const struct cause_step *step,
		     bool last)
{
	AUTO_FREE char *what = verdict_wait(p, step->wait);
	AUTO_FREE char *owner = verdict_wait(p, step->owner);

	fit_name(t, what, WAIT_COLUMNS);
	if (verdict_timed_out(p, step->owner))
		text_add(t, ", until that times out");
	if (!owner)
		return;
	text_add(t, verdict_is_woken(p, step->owner) ? ", woken by " : ", held by ");
	fit_name(t, owner, WAIT_COLUMNS);
	if (!step->function) {
		text_add(t, last ? "" : ", which waits for ");
		return;
	}
	text_format(t,
		    verdict_is_woken(p, step->owner) ? ": %.0f %% of these waits end in "
						     : ": %.0f %% of that time it is in ",
		    100 * fmin(step->share, 1));
	add_holder(t, p, step->function);
	if (step->caller) {
		text_add(t, ", called by ");
		add_holder(t, p, step->caller);
	}
	text_add(t, last ? "" : ", and waits for ");
}

/* " There they wait for mutex cache_mu, held by refresher."; where: "There" is not clear. */
static void say_wait(struct text *t, const struct picture *p, const struct cause *cause,
		     bool where)
{
	AUTO_FREE char *what = cause->nr_steps ? verdict_wait(p, cause->steps[0].wait) : NULL;

	if (!what)
		return;
	if (where) {
		text_add(t, " In ");
		add_name(t, p, cause->function->frame);
		text_add(t, " they wait for ");
	} else {
		text_add(t, " There they wait for ");
	}
	for (unsigned i = 0; i < cause->nr_steps; i++)
		add_step(t, p, &cause->steps[i], i + 1 == cause->nr_steps);
	text_add_char(t, '.');
}

/* Is that what calls of a cause wait for? */
static bool is_said(const struct verdict *v, uint32_t frame)
{
	for (unsigned i = 0; i < v->nr_causes; i++)
		if (v->causes[i].nr_steps && v->causes[i].steps[0].wait == frame)
			return true;
	return false;
}

/* " 33 % of all extra time is waiting for a CPU.": what they wait for, be it in many places. */
static void say_share_waited(struct text *t, const struct picture *p, const struct verdict *v)
{
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];
		AUTO_FREE char *what = NULL;

		if (f->frame >= p->frames.count || p->frames.at[f->frame].kind != FRAME_WAIT ||
		    f->extra_nsec < WAITING_LEAST * extra_of_all(p) ||
		    !function_is_significant(p, f) || is_said(v, f->frame))
			continue;
		what = verdict_wait(p, f->frame);
		if (!what || !text_starts(walk_name(p, f->frame), FRAME_WAITS))
			continue;
		text_format(
			t,
			" %.0f %% of all their extra %s, there or elsewhere, is waiting for ",
			100 * fmin(f->extra_nsec / extra_of_all(p), 1), extra_time_words(p));
		fit_name(t, what, WAIT_COLUMNS);
		text_add_char(t, '.');
	}
}

/* waiting: most of the extra time is not on a CPU, which was said before. */
static void say_function(struct text *t, const struct picture *p, const struct verdict *v,
			 bool waiting)
{
	const struct picture_function *f = v->causes[0].function;
	char buf[TEXT_QUANTITY];

	if (waiting)
		text_format(t, " %.0f %% of the extra %s is in ",
			    100 * share_of(p, &v->causes[0]), extra_time_words(p));
	else
		text_format(t, "%s calls spend %.0f %% of their extra %s in ", these(p, true),
			    100 * share_of(p, &v->causes[0]), extra_time_words(p));
	add_cause(t, p, &v->causes[0]);
	if (f == &p->itself) {
		text_add(t, ", not in what it calls.");
	} else {
		if (f->caller < p->frames.count) {
			text_add(t, ", called by ");
			add_name(t, p, f->caller);
			add_source(t, p, f->caller);
		}
		if (!f->samples_rest)
			text_add(t, "; the others were never seen in it.");
		else if (f->samples_rest == 1)
			text_add(t, "; the others were seen in it once.");
		else if (f->samples_rest <= FEW_SAMPLES)
			text_format(t, "; the others were seen in it %u times.",
				    (unsigned)f->samples_rest);
		else if (f->per_call_rest_nsec < 1)
			text_add(t, "; the others spend next to no time in it.");
		else
			text_format(t, "; the others spend %s a call in it.",
				    text_duration(buf, f->per_call_rest_nsec));
	}
	say_wait(t, p, &v->causes[0], false);
	if (v->nr_causes > 1) {
		text_add(t, " Another ");
		add_causes(t, p, v, 1, true);
		text_add_char(t, '.');
	}
	if (!waiting && v->waiting_share >= WAITING_LEAST)
		text_format(t, " Another %.0f %% is time %s%s.",
			    100 * fmin(v->waiting_share, 1), picture_unseen(p),
			    p->causes & CAUSES_OFF ? "" : LOOK_AT_WAITS);
	say_share_waited(t, p, v);
}

/* "These calls take 2.85 ms more in do_lock (waits.c:100) and 1.94 ms in do_sleep
 * (waits.c:109), but 3.88 ms less in do_compute (waits.c:92)." */
static void say_instead(struct text *t, const struct picture *p, const struct verdict *v,
			bool waiting)
{
	char buf[TEXT_QUANTITY];

	if (waiting)
		text_format(t, " Of %s they take ", picture_time(p));
	else
		text_format(t, "%s calls take ", these(p, true));
	for (unsigned i = 0; i < v->nr_causes; i++) {
		text_format(t, "%s%s%s in ",
			    !i			    ? ""
			    : i + 1 == v->nr_causes ? " and "
						    : ", ",
			    text_duration(buf, v->causes[i].extra_nsec), i ? "" : " more");
		add_cause(t, p, &v->causes[i]);
	}
	text_format(t, ", but %s less in ", text_duration(buf, -v->less->extra_nsec));
	add_name(t, p, v->less->frame);
	add_source(t, p, v->less->frame);
	text_add_char(t, '.');
	for (unsigned i = 0; i < v->nr_causes; i++)
		say_wait(t, p, &v->causes[i], v->nr_causes > 1);
}

/* "These calls spend 799 us a call less in expand_table (macro.c:7), 94 % of what they are
 * shorter by; they were never seen in it." */
static void say_less(struct text *t, const struct picture *p, const struct verdict *v)
{
	const struct picture_side *in = &p->sides[SIDE_IN], *rest = &p->sides[SIDE_REST];
	double shorter = in->mean_nsec > 0 ? rest->mean_nsec - in->mean_nsec : 0;
	double less = -v->less->extra_nsec;
	char buf[TEXT_QUANTITY];

	text_format(t, "%s calls spend %s a call less in ", these(p, true),
		    text_duration(buf, less));
	add_name(t, p, v->less->frame);
	add_source(t, p, v->less->frame);
	if (less <= shorter)
		text_format(t, ", %.0f %% of what they are shorter by", 100 * less / shorter);
	if (!v->less->samples_in)
		text_add(t, "; they were never seen in it.");
	else
		text_format(t, "; they spend %s in it.",
			    text_duration(buf, v->less->per_call_in_nsec));
}

static uint64_t total_of(const struct picture_function *f)
{
	return f->total_in_nsec + f->total_rest_nsec;
}

/* The function that looks larger than the cause to who sees all calls as one, though these
 * calls take no longer in it; NULL: none does. */
static const struct picture_function *looks_larger(const struct picture *p,
						   const struct cause *cause)
{
	const struct picture_function *best = NULL;

	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (f->frame < p->frames.count && !function_is_significant(p, f) &&
		    !picture_is_of_other(p, f->frame) &&
		    f->extra_nsec < ALIKE_MOST * cause->extra_nsec &&
		    total_of(f) > LARGER_TIMES * total_of(cause->function) &&
		    (!best || total_of(f) > total_of(best)))
			best = f;
	}
	return best;
}

/* What a plain profile would have led to. */
static void say_plain(struct text *t, const struct picture *p, const struct verdict *v)
{
	const struct picture_side *in = &p->sides[SIDE_IN], *rest = &p->sides[SIDE_REST];
	const struct picture_span *span = headline_span(p);
	double all = in->weight_nsec + rest->weight_nsec;
	const struct picture_function *f;

	if (!span || !v->nr_causes || v->causes[0].function == &p->itself || all <= 0)
		return;
	f = looks_larger(p, &v->causes[0]);
	if (!f || total_of(f) < LARGER_LEAST * all)
		return;
	text_add(t, " Without the split ");
	add_name(t, p, f->frame);
	text_format(t, " looks larger: %.0f %% of the %s in ", 100 * total_of(f) / all,
		    picture_time(p));
	fit_name(t, picture_text(p, span->function), NAME_COLUMNS);
	text_format(t, ", against %.0f %% in ", 100 * total_of(v->causes[0].function) / all);
	add_name(t, p, v->causes[0].function->frame);
	text_add_char(t, '.');
}

/* One process by its number, several of one name by that. */
static void add_target(struct text *t, const struct picture *p)
{
	const char *comm = picture_text(p, p->comm);

	if (p->processes > 1 && p->namesakes && *comm &&
	    strspn(comm, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
		    strlen(comm))
		text_format(t, "-n %s ", comm);
	else
		text_format(t, "-p %u ", p->pid);
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
	text_add(t, p->ended == ENDED_BY_TARGET ? "Next, in a new run: sonde latency "
						: "Next: sonde latency ");
	if (p->ended != ENDED_BY_TARGET)
		add_target(t, p);
	text_format(t, strpbrk(place, " <>*?&;|$`\\\"~#") ? "'%s'" : "%s", place);
	text_add(t, p->ended == ENDED_BY_TARGET ? " -- COMMAND\n" : "\n");
}

/* No single one has most of it. */
static void say_spread(struct text *t, const struct picture *p, const struct verdict *v,
		       bool waiting)
{
	if (v->they_have_most && waiting)
		text_format(t, " Of the extra %s ", extra_time_words(p));
	else if (v->they_have_most)
		text_format(t, "Of the extra %s of %s calls ", extra_time_words(p),
			    these(p, false));
	else
		text_format(t,
			    "%s single function has most of the%s extra %s. What stands out: ",
			    waiting ? " No" : "No", waiting ? "ir" : "", picture_time(p));
	add_causes(t, p, v, 0, v->they_have_most);
	text_add_char(t, '.');
}

/* "372 samples in these calls, 4 in the rest" */
static void add_samples(struct text *t, const struct picture *p, const char *between)
{
	char in[TEXT_QUANTITY], rest[TEXT_QUANTITY];
	uint64_t samples = p->sides[SIDE_IN].samples;

	text_format(t, "%s sample%s in these calls%s%s in the rest", text_count(in, samples),
		    samples == 1 ? "" : "s", between,
		    text_count(rest, p->sides[SIDE_REST].samples));
}

/* Then it says no more than the span itself. */
static bool is_all(const struct picture_function *f, const struct contrast *all)
{
	return f->per_call_in_nsec >= ALL_OF_IT * all->in &&
	       f->per_call_rest_nsec >= ALL_OF_IT * all->rest;
}

static void say_alike(struct text *t, const struct picture *p, const struct verdict *v)
{
	struct contrast d;

	if (!compare_cpu(p, &d) || d.in <= 0 || d.rest <= 0)
		return;
	text_format(t,
		    "Nothing separates these calls from the rest but that all in them takes "
		    "%s alike: %+.0f %% %s a call, as far as ",
		    d.extra < 0 ? "less" : "longer", 100 * d.extra / d.rest, picture_time(p));
	add_samples(t, p, " and ");
	text_add(t, " can tell.");
	if (!v->most || is_all(v->most, &d))
		return;
	text_add(t, " Most of it, in both, is in ");
	add_name(t, p, v->most->frame);
	add_source(t, p, v->most->frame);
	text_format(t, ": %.0f %% in these calls, %.0f %% in the rest.",
		    100 * v->most->per_call_in_nsec / d.in,
		    100 * v->most->per_call_rest_nsec / d.rest);
}

static bool one_differs(const struct picture *p)
{
	for (uint32_t i = 0; i < p->functions.count; i++)
		if (function_is_significant(p, &p->functions.at[i]))
			return true;
	return false;
}

static void say_noise(struct text *t, const struct picture *p)
{
	text_format(
		t,
		"Nothing separates these calls from the rest: no function differs by %smore "
		"than chance (",
		one_differs(p) ? "much " : "");
	add_samples(t, p, ", ");
	text_add(t, "). To see smaller differences, watch for longer (-d) or sample more "
		    "often (-F).");
}

/* "4 samples in the rest": of the side that has fewer. */
static void add_fewer_samples(struct text *t, const struct picture *p)
{
	uint64_t in = p->sides[SIDE_IN].samples, rest = p->sides[SIDE_REST].samples;
	uint64_t fewer = in < rest ? in : rest;
	char buf[TEXT_QUANTITY];

	text_format(t, "%s sample%s in %s %s", text_count(buf, fewer), fewer == 1 ? "" : "s",
		    in < rest ? "these calls" : "the rest", fewer == 1 ? "is" : "are");
}

static void say_unclear(struct text *t, const struct picture *p, const struct verdict *v)
{
	struct contrast d;

	if (!compare_cpu(p, &d))
		return;
	text_format(t, "%.0f %% of the %s that these calls take %s is in ",
		    100 * fmin(v->most->extra_nsec / d.extra, 1), picture_time(p),
		    d.extra < 0 ? "less" : "more");
	add_name(t, p, v->most->frame);
	add_source(t, p, v->most->frame);
	text_add(t, ". But ");
	add_fewer_samples(t, p);
	text_add(t, " too few to tell whether it differs more than all else does: watch for "
		    "longer (-d) or sample more often (-F).");
}

/* " --split 'dur > 2ms'"; nothing where the place cannot be written so. */
static void ask_for_bound(struct text *t, const struct picture *p, nsec bound, bool against)
{
	static const struct {
		nsec size;
		const char *name;
	} units[] = { { NSEC_PER_MSEC, "ms" }, { NSEC_PER_USEC, "us" }, { 1, "ns" } };
	char text[32];
	unsigned u = 0;

	while (bound % units[u].size)
		u++;
	snprintf(text, sizeof(text), "%llu%s", (unsigned long long)(bound / units[u].size),
		 units[u].name);
	headline_ask(t, p, text, against);
}

static bool say_mixed(struct text *t, const struct picture *p, const struct picture_span *span)
{
	AUTO_TEXT struct text ask = { 0 };
	char buf[TEXT_QUANTITY];
	struct shape_mix mix;

	if (!shape_mixed(span, p->threshold, &mix))
		return false;
	ask_for_bound(&ask, p, mix.bound, false);
	text_format(t,
		    " The bound cuts through the calls around %s: %.0f %% of these are such.",
		    headline_duration(buf, span, mix.nsec), 100 * mix.share);
	if (ask.size)
		text_format(t, " The longer kind alone:%s.", text_string(&ask));
	return true;
}

static void say_parted(struct text *t, const struct picture *p, const struct picture_span *span)
{
	AUTO_TEXT struct text ask = { 0 };
	char buf[TEXT_QUANTITY];
	struct shape_cut cut;

	if (!shape_parted(span, p->threshold, &cut))
		return;
	ask_for_bound(&ask, p, cut.bound, true);
	text_format(
		t,
		" The bound cuts through the calls around %s: %.0f %% of those are among the "
		"rest.",
		headline_duration(buf, span, cut.nsec), 100 * cut.share);
	if (ask.size)
		text_format(t, " Against these alone:%s.", text_string(&ask));
}

/* A percentile parts calls by their number, whatever kinds there are. */
static void say_kinds(struct text *t, const struct picture *p)
{
	const struct picture_span *span = headline_span(p);

	if (span && headline_above_percentile(p) && !say_mixed(t, p, span))
		say_parted(t, p, span);
}

static void say_blurred(struct text *t, const struct picture *p)
{
	char tick[TEXT_QUANTITY];
	AUTO_TEXT struct text ask = { 0 };
	bool brief = p->threshold < TICK_TIMES * p->losses.tick_nsec;

	text_format(
		t,
		brief ? "Calls near this bound last about as long as taking one sample does "
			"(%s)"
		      : "Calls on the two sides of this bound differ by less than taking "
			"one sample lasts (%s)",
		text_duration(tick, p->losses.tick_nsec));
	text_add(t,
		 ": which of them a sample fell in is not known well enough to name a cause. "
		 "How many there are and how long they last is known.");
	if (p->clearer) {
		ask_for_bound(&ask, p, p->clearer, false);
		if (ask.size)
			text_format(t, " Try%s.", text_string(&ask));
	} else if (brief) {
		text_add(t, " Watch a function that calls this one, whose calls are longer.");
	}
}

static void say_waiting(struct text *t, const struct picture *p, const struct verdict *v)
{
	text_format(t, "%.0f %% of the extra time is %s", 100 * fmin(v->waiting_share, 1),
		    picture_unseen(p));
	if (p->causes & CAUSES_OFF)
		text_add_char(t, '.');
	else
		text_add(t, ": these calls wait, for something or for a CPU, more than they "
			    "compute" LOOK_AT_WAITS ".");
	if (!v->nr_causes)
		return;
	if (v->less)
		say_instead(t, p, v, true);
	else if (v->one_has_most)
		say_function(t, p, v, true);
	else
		say_spread(t, p, v, true);
}

void verdict_words(struct text *t, const struct picture *p, const struct verdict *v)
{
	switch (v->kind) {
	case VERDICT_FUNCTION:
	case VERDICT_ITSELF:
	case VERDICT_SPREAD:
		if (v->less)
			say_instead(t, p, v, false);
		else if (v->kind == VERDICT_SPREAD)
			say_spread(t, p, v, false);
		else
			say_function(t, p, v, false);
		break;
	case VERDICT_WAITING:
		say_waiting(t, p, v);
		break;
	case VERDICT_LESS:
		say_less(t, p, v);
		break;
	case VERDICT_ALIKE:
		say_alike(t, p, v);
		break;
	case VERDICT_UNCLEAR:
		say_unclear(t, p, v);
		break;
	case VERDICT_NOISE:
		say_noise(t, p);
		break;
	case VERDICT_BLURRED:
		say_blurred(t, p);
		break;
	case NR_VERDICT:
		break;
	}
	if (v->kind == VERDICT_BLURRED)
		return;
	say_plain(t, p, v);
	say_kinds(t, p);
}

/* A split that would say more than this one, on a line of its own. */
static bool say_next_split(struct text *t, const struct picture *p)
{
	const struct picture_span *span = headline_span(p);
	AUTO_TEXT struct text ask = { 0 };
	struct shape_mix mix;
	struct shape_cut cut;

	if (!span || !headline_above_percentile(p))
		return false;
	if (shape_mixed(span, p->threshold, &mix))
		ask_for_bound(&ask, p, mix.bound, false);
	else if (shape_parted(span, p->threshold, &cut))
		ask_for_bound(&ask, p, cut.bound, true);
	if (ask.size)
		text_format(t, "Next: the same with%s\n", text_string(&ask));
	return ask.size;
}

/* What to look into next; NULL when it is this span itself, or nothing. */
static const struct picture_function *to_look_into(const struct picture *p,
						   const struct verdict *v)
{
	struct contrast all;

	if (v->kind == VERDICT_LESS)
		return v->less;
	if (v->most && v->kind == VERDICT_ALIKE && compare_cpu(p, &all) &&
	    is_all(v->most, &all))
		return NULL;
	if (v->most)
		return v->most;
	for (unsigned i = 0; i < v->nr_causes; i++)
		if (v->causes[i].function != &p->itself)
			return v->causes[i].function;
	return NULL;
}

void verdict_print(struct text *t, const struct picture *p, unsigned columns)
{
	struct verdict v = verdict_reach(p);
	const struct picture_function *next = to_look_into(p, &v);
	AUTO_TEXT struct text words = { 0 };

	verdict_words(&words, p, &v);
	columns_wrap(t, text_string(&words), columns, 0);
	if (v.kind != VERDICT_BLURRED && say_next_split(t, p))
		return;
	if (next)
		say_next(t, p, next);
}

void verdict_print_first(struct text *t, const struct picture *p, unsigned columns)
{
	const struct picture_span *span = headline_span(p);
	AUTO_TEXT struct text ask = { 0 }, line = { 0 };
	nsec bound = span ? shape_longest(span) : 0;

	if (!span || !span->calls)
		return;
	if (bound)
		ask_for_bound(&ask, p, bound, false);
	else
		headline_ask(&ask, p, "p95", false);
	if (!ask.size)
		return;
	text_format(&line, "Next: the same with%s: what do %s calls do more?",
		    text_string(&ask), bound ? "the longest" : "slow");
	columns_wrap(t, text_string(&line), columns, 4);
}
