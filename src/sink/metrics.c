#include "sink/metrics.h"

#include "wire/span_end.h"

#include <inttypes.h>

/* Label values hold any text but these three need a backslash. */
static void add_label(struct text *to, const char *name, const char *value)
{
	AUTO_TEXT struct text plain = { 0 };

	text_add_plain(&plain, value);
	text_format(to, "%s=\"", name);
	for (const char *c = text_string(&plain); *c; c++) {
		if (*c == '\\' || *c == '"')
			text_add_char(to, '\\');
		text_add_char(to, *c);
	}
	text_add_char(to, '"');
}

static void add_head(struct text *to, const char *name, const char *type, const char *help)
{
	text_format(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_single(struct text *to, const char *name, const char *type, const char *help,
		       double value)
{
	add_head(to, name, type, help);
	text_format(to, "%s %.15g\n", name, value);
}

static void add_losses(struct text *to, const struct picture_losses *l)
{
	const struct {
		const char *reason;
		uint64_t count;
	} lost[] = {
		{ "ring", l->ring },
		{ "samples", l->samples },
		{ "spans", l->spans },
		{ "spans_unmatched", l->spans_unmatched },
		{ "stacks_truncated", l->stacks_truncated },
		{ "stacks_unreadable", l->stacks_unreadable },
		{ "frames_unresolved", l->frames_unresolved },
		{ "throttled", l->throttled },
		{ "forgotten", l->forgotten },
		{ "in_probes", l->in_probes },
		{ "children_unwatched", l->children_unwatched },
	};

	add_head(to, "sonde_lost_total", "counter",
		 "What was not seen whole, by what was lost.");
	for (unsigned i = 0; i < COUNT_OF(lost); i++)
		text_format(to, "sonde_lost_total{what=\"%s\"} %" PRIu64 "\n", lost[i].reason,
			    lost[i].count);
}

static void add_place(struct text *to, const char *name, const struct picture *p,
		      const struct picture_span *s)
{
	text_format(to, "%s{", name);
	add_label(to, "place", picture_text(p, s->place));
}

static void add_durations(struct text *to, const struct picture *p)
{
	static const char name[] = "sonde_call_seconds";

	add_head(to, name, "summary", "Durations of the calls of a place that have ended.");
	for (uint32_t i = 0; i < p->spans.count; i++) {
		const struct picture_span *s = &p->spans.at[i];
		const struct {
			const char *quantile;
			nsec value;
		} at[] = { { "0.5", s->p50 }, { "0.9", s->p90 }, { "0.99", s->p99 } };

		for (unsigned k = 0; k < COUNT_OF(at) && s->calls; k++) {
			add_place(to, name, p, s);
			text_format(to, ",quantile=\"%s\"} %.9g\n", at[k].quantile,
				    at[k].value / 1e9);
		}
		add_place(to, "sonde_call_seconds_sum", p, s);
		text_format(to, "} %.12g\n", s->mean_nsec * s->calls / 1e9);
		add_place(to, "sonde_call_seconds_count", p, s);
		text_format(to, "} %" PRIu64 "\n", s->calls);
	}
}

static void add_calls(struct text *to, const struct picture *p)
{
	add_head(to, "sonde_calls_total", "counter", "Calls of a place that have begun.");
	for (uint32_t i = 0; i < p->spans.count; i++) {
		add_place(to, "sonde_calls_total", p, &p->spans.at[i]);
		text_format(to, "} %" PRIu64 "\n", p->spans.at[i].entries);
	}
	add_head(to, "sonde_calls_open", "gauge", "Calls of a place that have not ended.");
	for (uint32_t i = 0; i < p->spans.count; i++) {
		add_place(to, "sonde_calls_open", p, &p->spans.at[i]);
		text_format(to, "} %" PRIu64 "\n", p->spans.at[i].open);
	}
}

void metrics_write(const struct picture *p, const struct metrics_own *own, struct text *to)
{
	add_single(to, "sonde_samples_total", "counter", "Samples taken.", p->samples);
	add_single(to, "sonde_sampling_hertz", "gauge", "How often a CPU is sampled.", p->hz);
	add_losses(to, &p->losses);
	add_single(to, "sonde_probes_seconds_total", "counter",
		   "What the probes have cost the target: calls times their measured price.",
		   p->losses.probe_nsec / 1e9);
	add_single(to, "process_cpu_seconds_total", "counter",
		   "What sonde itself has used of the CPUs.", own->cpu_seconds);
	add_single(to, "sonde_memory_peak_bytes", "gauge", "The most memory sonde has had.",
		   own->peak_bytes);
	if (!p->spans.count)
		return;
	add_calls(to, p);
	add_durations(to, p);
}
