/*
 * json - the answer as one object, for scripts (report --json).
 *
 * Keys are never renamed or removed, only added.  Times are nanoseconds.  Totals
 * are of all sides; functions are those of the side that is asked for.
 */
#include "sink/sinks.h"

#include "probe/ending.h"
#include "sink/escape.h"
#include "sink/headline.h"
#include "sink/verdict_text.h"
#include "sink/walk.h"
#include "view/compare.h"
#include "view/shape.h"
#include "wire/sample_cause.h"
#include "wire/span_end.h"

#include <inttypes.h>
#include <math.h>

/* "key": with the comma before it that the place needs. */
static void add_key(struct text *t, const char *key)
{
	if (t->size && !strchr("{[", t->bytes[t->size - 1]))
		text_add_char(t, ',');
	text_format(t, "\"%s\":", key);
}

static void add_number(struct text *t, const char *key, uint64_t value)
{
	add_key(t, key);
	text_format(t, "%" PRIu64, value);
}

/* JSON has no infinity; what could not be computed is null. */
static void add_real(struct text *t, const char *key, double value)
{
	add_key(t, key);
	if (isfinite(value))
		text_format(t, "%.10g", value);
	else
		text_add(t, "null");
}

static void add_string(struct text *t, const char *key, const char *value)
{
	add_key(t, key);
	escape_json(t, value);
}

/* Of which there are samples: names for scripts (wire/sample_cause.h). */
static void add_causes(struct text *t, const struct picture *p)
{
	add_key(t, "causes");
	text_add_char(t, '[');
	for (unsigned i = CAUSE_CPU; i < NR_SAMPLE_CAUSE; i++) {
		if (!(p->causes & CAUSE_BIT(i)))
			continue;
		if (t->bytes[t->size - 1] != '[')
			text_add_char(t, ',');
		escape_json(t, cause_words[i].name);
	}
	text_add_char(t, ']');
}

static void add_head(struct text *t, const struct picture *p)
{
	add_key(t, "target");
	text_add_char(t, '{');
	add_number(t, "pid", p->pid);
	add_string(t, "comm", picture_text(p, p->comm));
	add_string(t, "host", picture_text(p, p->host));
	add_number(t, "processes", p->processes);
	add_number(t, "threads", p->threads);
	text_add_char(t, '}');
	add_key(t, "window");
	text_add_char(t, '{');
	add_number(t, "from_ns", p->from);
	add_number(t, "to_ns", p->to);
	add_number(t, "wall_ns", p->wall);
	if (p->asked)
		add_number(t, "asked_ns", p->asked);
	text_add_char(t, '}');
	add_causes(t, p);
	add_number(t, "hz", p->hz);
	add_number(t, "period_ns", p->period);
	add_number(t, "samples", p->samples);
	add_key(t, "cut");
	text_add(t, p->cut ? "true" : "false");
}

static void add_losses(struct text *t, const struct picture_losses *l)
{
	add_key(t, "losses");
	text_add_char(t, '{');
	add_number(t, "ring", l->ring);
	add_number(t, "ring_samples", l->samples);
	add_number(t, "ring_spans", l->spans);
	add_number(t, "stacks_truncated", l->stacks_truncated);
	add_number(t, "stacks_unreadable", l->stacks_unreadable);
	add_number(t, "frames", l->frames);
	add_number(t, "frames_unresolved", l->frames_unresolved);
	add_number(t, "spans_unmatched", l->spans_unmatched);
	add_number(t, "thinned", l->thinned);
	add_number(t, "throttled", l->throttled);
	add_number(t, "forgotten", l->forgotten);
	add_number(t, "in_probes", l->in_probes);
	add_number(t, "probe_ns", l->probe_nsec);
	add_number(t, "probe_low_ns", l->probe_low_nsec);
	add_number(t, "probe_high_ns", l->probe_high_nsec);
	add_number(t, "tick_ns", l->tick_nsec);
	add_number(t, "stacks", l->stacks);
	add_number(t, "children", l->children);
	add_number(t, "children_unwatched", l->children_unwatched);
	add_number(t, "children_latest_ns", l->children_latest);
	add_number(t, "programs", l->programs);
	add_number(t, "programs_latest_ns", l->programs_latest);
	text_add_char(t, '}');
}

static void add_modes(struct text *t, const struct picture_span *s)
{
	struct shape_mode modes[SHAPE_MODES];
	unsigned count = shape_modes(s, modes);

	add_key(t, "modes");
	text_add_char(t, '[');
	for (unsigned i = 0; i < count; i++) {
		text_add(t, i ? ",{" : "{");
		add_real(t, "at_ns", modes[i].nsec);
		add_real(t, "until_ns", modes[i].until);
		add_real(t, "share", modes[i].share);
		text_add_char(t, '}');
	}
	text_add_char(t, ']');
}

static void add_span(struct text *t, const struct picture *p, const struct picture_span *s)
{
	text_add(t, t->bytes[t->size - 1] == '[' ? "\n{" : ",\n{");
	add_number(t, "probe", s->probe);
	if (s->removed)
		text_add(t, ",\"removed\":true");
	add_string(t, "place", picture_text(p, s->place));
	add_string(t, "function", picture_text(p, s->function));
	add_string(t, "file", picture_text(p, s->file));
	add_number(t, "line", s->line);
	add_string(t, "exit", ending_of(s->exit)->name);
	add_number(t, "calls", s->entries);
	add_number(t, "returned", s->calls);
	add_number(t, "open", s->open);
	add_number(t, "unaccounted", s->unaccounted);
	add_key(t, "ended");
	text_add_char(t, '{');
	for (unsigned i = 0; i < NR_SPAN_END; i++)
		add_number(t, span_end_words[i].name, s->ended[i]);
	text_add_char(t, '}');
	add_real(t, "rate", s->rate);
	add_real(t, "mean_ns", s->mean_nsec);
	add_number(t, "p50_ns", s->p50);
	add_number(t, "p90_ns", s->p90);
	add_number(t, "p95_ns", s->p95);
	add_number(t, "p99_ns", s->p99);
	add_number(t, "p999_ns", s->p999);
	add_number(t, "max_ns", s->max);
	if (s->unsure_nsec > 0)
		add_real(t, "unsure_ns", s->unsure_nsec);
	if (s->probed_nsec > 0)
		add_real(t, "probed_ns", s->probed_nsec);
	if (s->timed) {
		add_real(t, "off_share", s->off_share);
		add_real(t, "runnable_share", s->runnable_share);
	}
	add_number(t, "cost_ns", s->cost_nsec);
	add_modes(t, s);
	add_key(t, "histogram");
	text_add_char(t, '[');
	for (uint32_t i = 0; i < s->buckets.count; i++)
		text_format(t, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
			    s->buckets.at[i].low, s->buckets.at[i].high,
			    s->buckets.at[i].count);
	text_add(t, "]}");
}

static void add_holder(struct text *t, const struct picture *p, const struct cause_step *step)
{
	AUTO_FREE char *in = verdict_holder(p, step->function);
	AUTO_FREE char *caller = verdict_holder(p, step->caller);

	add_string(t, "in", in);
	if (step->caller)
		add_string(t, "called_by", caller);
	add_real(t, "share", fmin(step->share, 1));
}

/* What the calls of a cause wait for: {"for","held_by","woken_by","ended_by","in","called_by",
 * "share","waits"}, each if it is known, and waits the same of who has it; null: for nothing
 * that is known. */
static void add_waits(struct text *t, const struct picture *p, const struct cause *cause)
{
	AUTO_FREE char *first = cause->nr_steps ? verdict_wait(p, cause->steps[0].wait) : NULL;

	if (!first) {
		text_add(t, "null");
		return;
	}
	for (unsigned i = 0; i < cause->nr_steps; i++) {
		const struct cause_step *step = &cause->steps[i];
		AUTO_FREE char *what = verdict_wait(p, step->wait);
		AUTO_FREE char *owner = verdict_wait(p, step->owner);

		if (i)
			add_key(t, "waits");
		text_add_char(t, '{');
		add_string(t, "for", what);
		if (owner)
			add_string(t, verdict_is_woken(p, step->owner) ? "woken_by" : "held_by",
				   owner);
		if (verdict_timed_out(p, step->owner))
			add_string(t, "ended_by", "timeout");
		if (step->function)
			add_holder(t, p, step);
	}
	for (unsigned i = 0; i < cause->nr_steps; i++)
		text_add_char(t, '}');
}

/* What the report says in words. */
static void add_verdict(struct text *t, const struct picture *p)
{
	struct verdict v = verdict_reach(p);
	AUTO_TEXT struct text words = { 0 };

	verdict_words(&words, p, &v);
	add_key(t, "verdict");
	text_add_char(t, '{');
	add_string(t, "kind", verdict_name(v.kind));
	add_key(t, "causes");
	text_add_char(t, '[');
	for (unsigned i = 0; i < v.nr_causes; i++) {
		text_add(t, i ? "," : "");
		escape_json(t, walk_name(p, v.causes[i].function->frame));
	}
	text_add_char(t, ']');
	add_key(t, "waits");
	text_add_char(t, '[');
	for (unsigned i = 0; i < v.nr_causes; i++) {
		text_add(t, i ? "," : "");
		add_waits(t, p, &v.causes[i]);
	}
	text_add_char(t, ']');
	add_string(t, "text", text_string(&words));
	text_add_char(t, '}');
}

/* A span alone has sides too (in and out); its expr is "". */
static void add_split(struct text *t, const struct picture *p)
{
	struct contrast waiting;

	add_key(t, "split");
	if (!p->split_expr && !headline_span(p)) {
		text_add(t, "null");
		return;
	}
	text_add_char(t, '{');
	add_string(t, "expr", picture_text(p, p->split_expr));
	add_number(t, "span", p->split_span);
	add_number(t, "threshold_ns", p->threshold);
	add_real(t, "blur", p->blur);
	add_number(t, "clearer_ns", p->clearer);
	for (unsigned i = 0; i < NR_SIDE; i++) {
		const struct picture_side *side = &p->sides[i];

		add_key(t, side_names[i]);
		text_add_char(t, '{');
		add_number(t, "calls", side->calls);
		add_key(t, "calls_exact");
		text_add(t, side->calls_exact ? "true" : "false");
		add_number(t, "samples", side->samples);
		add_number(t, "weight_ns", side->weight_nsec);
		add_real(t, "mean_ns", side->mean_nsec);
		text_add_char(t, '}');
	}
	add_key(t, "unseen");
	if (picture_unseen(p))
		escape_json(t, picture_unseen(p));
	else
		text_add(t, "null");
	add_real(t, "off_cpu_in_ns", p->off_in_nsec);
	add_real(t, "off_cpu_rest_ns", p->off_rest_nsec);
	if (compare_waiting(p, &waiting)) {
		add_real(t, "off_cpu_error_ns", waiting.error);
		add_real(t, "off_cpu_z", waiting.z);
	}
	add_real(t, "z_least", p->z_least);
	if (p->split_expr && p->sides[SIDE_IN].calls && p->sides[SIDE_REST].calls)
		add_verdict(t, p);
	text_add_char(t, '}');
}

/* The functions of some sides: time of each frame. */
struct listed {
	unsigned mask;
	uint64_t *self, *total;
	uint32_t most;
};

static void add_function(struct text *t, const struct picture *p, const struct listed *l,
			 const struct picture_function *f)
{
	const struct picture_frame *frame = &p->frames.at[f->frame];

	text_add(t, t->bytes[t->size - 1] == '[' ? "\n{" : ",\n{");
	add_string(t, "name", walk_name(p, f->frame));
	add_string(t, "image", picture_text(p, frame->image_name));
	add_string(t, "file", picture_text(p, frame->file));
	add_number(t, "line", frame->line);
	add_number(t, "self_ns", l->self[f->frame]);
	add_number(t, "total_ns", l->total[f->frame]);
	add_number(t, "self_in_ns", f->self_in_nsec);
	add_number(t, "self_rest_ns", f->self_rest_nsec);
	add_number(t, "total_in_ns", f->total_in_nsec);
	add_number(t, "total_rest_ns", f->total_rest_nsec);
	add_number(t, "samples_in", f->samples_in);
	add_number(t, "samples_rest", f->samples_rest);
	add_real(t, "per_call_in_ns", f->per_call_in_nsec);
	add_real(t, "per_call_rest_ns", f->per_call_rest_nsec);
	add_real(t, "extra_ns", f->extra_nsec);
	add_real(t, "extra_share", f->extra_share);
	add_real(t, "extra_error_ns", f->extra_error);
	add_real(t, "z", f->z);
	add_real(t, "beyond_ns", f->beyond_nsec);
	add_real(t, "beyond_error_ns", f->beyond_error);
	add_number(t, "depth", f->depth);
	if (f->caller < p->frames.count)
		add_string(t, "caller", walk_name(p, f->caller));
	text_add_char(t, '}');
}

static int self_order(const void *left, const void *right, void *listed)
{
	const struct listed *l = listed;
	uint32_t a = ((const struct picture_function *)left)->frame;
	uint32_t b = ((const struct picture_function *)right)->frame;

	if (l->self[a] != l->self[b])
		return l->self[a] < l->self[b] ? 1 : -1;
	if (l->total[a] != l->total[b])
		return l->total[a] < l->total[b] ? 1 : -1;
	return (a > b) - (a < b);
}

/* Without two sides to compare: every function of those asked for, by self time; within a
 * span the time it takes of each call, too. */
static void add_all_functions(struct text *t, const struct picture *p, const struct listed *l)
{
	ARRAY(struct picture_function) functions = { 0 };
	uint64_t calls = l->mask == SIDE_BIT(SIDE_IN) ? p->sides[SIDE_IN].calls : 0;
	bool in = l->mask & SIDE_BIT(SIDE_IN);

	for (uint32_t i = 0; i < p->frames.count; i++) {
		struct picture_function f = {
			.frame = i,
			.self_in_nsec = in ? l->self[i] : 0,
			.total_in_nsec = in ? l->total[i] : 0,
			.per_call_in_nsec = calls ? (double)l->total[i] / calls : 0,
			.caller = UINT32_MAX,
		};

		if (l->total[i])
			array_push(&functions, f);
	}
	if (functions.count)
		qsort_r(functions.at, functions.count, sizeof(*functions.at), self_order,
			(void *)l);
	for (uint32_t i = 0; i < functions.count && i < l->most; i++)
		add_function(t, p, l, &functions.at[i]);
	array_done(&functions);
}

/* Compared are in and rest; without a split the span's inside is meant, or all there is. */
static enum write_side functions_side(const struct picture *p, enum write_side side)
{
	return !p->split_expr && side == WRITE_ALL && headline_span(p) ? WRITE_IN : side;
}

static void add_functions(struct text *t, const struct picture *p, enum write_side asked,
			  uint32_t most)
{
	enum write_side side = functions_side(p, asked);
	AUTO_FREE uint64_t *self = mem_zeroed(p->frames.count + 1, sizeof(*self));
	AUTO_FREE uint64_t *total = mem_zeroed(p->frames.count + 1, sizeof(*total));
	struct listed l = { sink_side_mask(side), self, total, most ? most : UINT32_MAX };
	bool compared =
		p->split_expr && (side == WRITE_IN || side == WRITE_REST || side == WRITE_DIFF);

	walk_frames(p, l.mask, true, self, total);
	add_string(t, "side", write_side_name(side));
	add_key(t, "functions");
	text_add_char(t, '[');
	for (uint32_t i = 0; i < p->functions.count && i < l.most && compared; i++)
		add_function(t, p, &l, &p->functions.at[i]);
	if (!compared)
		add_all_functions(t, p, &l);
	text_add_char(t, ']');
}

static int json_write(const struct picture *p, const struct sink_option *option,
		      struct text *out, struct error *err)
{
	text_add_char(out, '{');
	if (option->version)
		add_string(out, "sonde", option->version);
	add_head(out, p);
	add_losses(out, &p->losses);
	add_key(out, "spans");
	text_add_char(out, '[');
	for (uint32_t i = 0; i < p->spans.count; i++)
		add_span(out, p, &p->spans.at[i]);
	text_add_char(out, ']');
	add_split(out, p);
	add_functions(out, p, option->side, option->functions);
	text_add(out, "}\n");
	return 0;
}

const struct sink sink_json = {
	.name = "json",
	.suffix = ".json",
	.help = "one JSON object with every number of the report",
	.fold = FOLD_FUNCTION,
	.side = WRITE_IN,
	.write = json_write,
};
