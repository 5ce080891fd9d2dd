#include "cmd/list_stats.h"

#include "base/log.h"
#include "cmd/list_match.h"
#include "cmd/output.h"
#include "cmd/reasons.h"
#include "probe/locate.h"
#include "probe/plan.h"

#include <stdio.h>

#define REASONS_SHOWN 8

/* Of one image. */
struct stats {
	uint32_t functions;
	uint32_t watched; /* whose entries and exits can carry probes */
	uint32_t cheap_entry, cheap_exits, both;
	uint32_t followed;   /* functions that end some calls in what they jump to */
	uint32_t tail_calls; /* functions that end some calls by a jump to another */
	uint64_t sites;
	struct reason_list reasons;
};

static void add_function(struct stats *s, const struct plan_request *request)
{
	struct probe_function f = { 0 };
	const char *why = NULL;

	s->functions++;
	if (plan_exits(request, &f, &why) != PLAN_DONE) {
		reasons_add(&s->reasons, why);
	} else {
		struct probe_price price = function_price(&f);
		bool entry = price.entry != INSN_STEPPED, exits = price.exit != INSN_STEPPED;

		s->watched++;
		s->cheap_entry += entry;
		s->cheap_exits += exits;
		s->both += entry && exits;
		s->followed += f.followed > 0;
		s->tail_calls += f.tails;
		s->sites += f.sites.count;
	}
	function_done(&f);
}

static double percent(uint32_t part, uint32_t of)
{
	return of ? 100.0 * part / of : 0;
}

static void write_text(const struct code_image *image, const struct stats *s)
{
	AUTO_TEXT struct text t = { 0 };
	char count[TEXT_QUANTITY];

	text_format(&t, "%s: %s function%s\n", image->name, text_count(count, s->functions),
		    s->functions == 1 ? "" : "s");
	text_format(&t, "  exits   cheap %5.1f %%   single-stepped %5.1f %%   none %5.1f %%\n",
		    percent(s->cheap_exits, s->functions),
		    percent(s->watched - s->cheap_exits, s->functions),
		    percent(s->functions - s->watched, s->functions));
	text_format(
		&t,
		"  entry   cheap %5.1f %%   single-stepped %5.1f %%   both cheap %5.1f %%\n",
		percent(s->cheap_entry, s->functions),
		percent(s->watched - s->cheap_entry, s->functions),
		percent(s->both, s->functions));
	text_format(
		&t,
		"  %.1f probes a function; %.1f %% end some calls in a function they jump to, "
		"%.1f %% by the jump\n",
		s->watched ? (double)s->sites / s->watched : 0,
		percent(s->followed, s->functions), percent(s->tail_calls, s->functions));
	for (uint32_t i = 0; i < s->reasons.count && i < REASONS_SHOWN; i++)
		text_format(&t, "  %8u  %s\n", s->reasons.at[i].count, s->reasons.at[i].text);
	output_wrapped(&t);
}

static void write_json(const struct code_image *image, const struct stats *s)
{
	AUTO_TEXT struct text path = { 0 };
	json_t *o = json_object();
	char *line;

	text_add_plain(&path, image->path);
	json_object_set_new(o, "image", json_string(text_string(&path)));
	json_object_set_new(o, "functions", json_integer(s->functions));
	json_object_set_new(o, "watched", json_integer(s->watched));
	json_object_set_new(o, "cheap_entry", json_integer(s->cheap_entry));
	json_object_set_new(o, "cheap_exits", json_integer(s->cheap_exits));
	json_object_set_new(o, "both_cheap", json_integer(s->both));
	json_object_set_new(o, "followed", json_integer(s->followed));
	json_object_set_new(o, "tail_calls", json_integer(s->tail_calls));
	json_object_set_new(o, "probes", json_integer(s->sites));
	json_object_set_new(o, "not_watched", reasons_json(&s->reasons));
	line = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
	puts(line);
	free(line);
	json_decref(o);
}

int list_stats(struct code *code, const char *pattern, bool json, struct error *err)
{
	struct match_list all = { 0 };
	struct stats *stats = mem_zeroed(code->count, sizeof(*stats));
	struct plan_request request = { .decoder = decoder_new() };
	int failed = list_match(code, pattern, &all, err);

	for (uint32_t i = 0; i < all.count && !failed; i++) {
		request.image = &code->at[all.at[i].image];
		request.symbol = all.at[i].symbol;
		if (i % 1024 == 0)
			log_progress("%u of %u functions", i, all.count);
		if (locate_is_called(request.image, request.symbol))
			add_function(&stats[all.at[i].image], &request);
	}
	log_progress_done();
	for (uint32_t i = 0; i < code->count; i++) {
		struct stats *s = &stats[i];

		reasons_sort(&s->reasons);
		if (s->functions)
			(json ? write_json : write_text)(&code->at[i], s);
		array_done(&s->reasons);
	}
	fflush(stdout);
	array_done(&all);
	decoder_free(request.decoder);
	free(stats);
	return failed;
}
