/*
 * doctor - what this machine and this target allow, by experiment.
 */
#include "base/log.h"
#include "cmd/command.h"
#include "cmd/coverage.h"
#include "cmd/finding.h"
#include "cmd/output.h"
#include "elf/debugfile.h"
#include "proc/access.h"
#include "source/calibrate.h"
#include "source/live.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REASONS_SHOWN 5

struct doctor {
	struct kernel_support kernel;
	struct price price;
	struct finding_list findings;
	struct target target;
	struct code code;
	struct ways ways;
	bool has_target;
};

static int examine_target(struct doctor *d, const struct run_option *o, struct error *err)
{
	struct target_query query = target_query_of(o);
	int ret;

	if (!query.nr_pids && !query.nr_tids && !query.name && !query.all)
		return 0;
	ret = target_find(&query, &d->target, err);
	ret = ret ? ret : code_open(&d->target, NULL, &d->code, err);
	if (ret)
		return ret;
	ending_judge(&d->code, EXIT_WISH_AUTO, &d->ways);
	d->has_target = true;
	return 0;
}

static const char *debug_of(const struct code_image *image)
{
	const struct image *separate;

	if (!image->image)
		return "not readable";
	if (image_has_section(image->image, ".debug_info"))
		return "yes";
	separate = image_debug_file(image->image);
	return separate && image_has_section(separate, ".debug_info") ? "in a file of its own"
								      : "no";
}

static void add_plain_json(json_t *o, const char *key, const char *s)
{
	AUTO_TEXT struct text plain = { 0 };

	text_add_plain(&plain, s);
	json_object_set_new(o, key, json_string(text_string(&plain)));
}

/* How its calls would be seen to end: for the target's own programs. */
static void add_coverage(struct doctor *d, uint32_t image, json_t *to)
{
	json_t *ends = json_object(), *dear = json_object();
	struct coverage c;

	coverage_of(&d->code, image, &d->ways, &c);
	for (unsigned i = 0; i < NR_PROBE_EXIT; i++) {
		json_object_set_new(ends, endings[i].name, json_integer(c.ends[i]));
		json_object_set_new(dear, endings[i].name, json_integer(c.dear[i]));
	}
	json_object_set_new(to, "called", json_integer(c.functions));
	json_object_set_new(to, "ends", ends);
	json_object_set_new(to, "single_stepped", dear);
	json_object_set_new(to, "no_end", reasons_json(&c.reasons));
	coverage_done(&c);
}

static json_t *images_json(struct doctor *d)
{
	json_t *images = json_array();

	for (uint32_t i = 0; i < d->code.count; i++) {
		struct code_image *image = &d->code.at[i];
		const struct symtab *symbols = code_symbols(image);
		json_t *o = json_object();

		add_plain_json(o, "path", image->path);
		json_object_set_new(o, "main", json_boolean(image->is_main));
		json_object_set_new(o, "language",
				    json_string(code_language_names[code_language(image)]));
		json_object_set_new(o, "symbols",
				    json_string(symbols ? symtab_origin(symbols) : "none"));
		json_object_set_new(o, "functions",
				    json_integer(symbols ? symtab_count(symbols) : 0));
		json_object_set_new(o, "debug_info", json_string(debug_of(image)));
		if (image->why)
			add_plain_json(o, "error", image->why);
		if (image->is_main && symbols)
			add_coverage(d, i, o);
		json_array_append_new(images, o);
	}
	return images;
}

static json_t *target_json(struct doctor *d)
{
	json_t *o = json_object();

	add_plain_json(o, "name", d->code.name);
	json_object_set_new(o, "exit", json_string(ending_of(d->ways.first.exit)->name));
	add_plain_json(o, "reason", d->ways.first.reason);
	json_object_set_new(o, "hook", json_boolean(d->ways.second.exit == EXIT_HOOK));
	add_plain_json(o, "hook_reason", d->ways.second.reason);
	json_object_set_new(o, "images", images_json(d));
	return o;
}

static void write_json(struct doctor *d)
{
	json_t *o = json_object(), *findings = json_object(), *cost = json_object();
	char *text;

	for (uint32_t i = 0; i < d->findings.count; i++) {
		const struct finding *f = &d->findings.at[i];
		json_t *one = json_object();

		json_object_set_new(one, "ok", json_boolean(f->good));
		json_object_set_new(one, "vital", json_boolean(f->vital));
		json_object_set_new(one, "fix", json_string(f->fix));
		json_object_set_new(findings, f->key, one);
	}
	json_object_set_new(cost, "emulated_ns", json_integer(d->price.plain.cheap));
	json_object_set_new(cost, "nop5_ns", json_integer(d->price.plain.nop5));
	json_object_set_new(cost, "stepped_ns", json_integer(d->price.plain.stepped));
	json_object_set_new(
		cost, "hook_ns",
		json_integer((json_int_t)d->price.hooked.cheap - d->price.plain.cheap));
	json_object_set_new(o, "kernel", json_string(d->kernel.release));
	json_object_set_new(o, "perf_event_paranoid",
			    json_integer(d->kernel.perf_event_paranoid));
	json_object_set_new(o, "kptr_restrict", json_integer(d->kernel.kptr_restrict));
	json_object_set_new(o, "max_sample_rate", json_integer(d->kernel.max_sample_rate));
	json_object_set_new(o, "checks", findings);
	json_object_set_new(o, "cost", cost);
	if (d->has_target)
		json_object_set_new(o, "target", target_json(d));
	text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
	puts(text);
	free(text);
	json_decref(o);
}

static void write_findings(const struct doctor *d, struct text *to)
{
	text_format(to,
		    "kernel %s, perf_event_paranoid %d, kptr_restrict %d, at most %d samples a "
		    "second\n",
		    d->kernel.release, d->kernel.perf_event_paranoid, d->kernel.kptr_restrict,
		    d->kernel.max_sample_rate);
	for (uint32_t i = 0; i < d->findings.count; i++) {
		const struct finding *f = &d->findings.at[i];

		text_format(to, "  %-3s  %-30s", f->good ? "yes" : "no", f->what);
		if (f->fix[0])
			text_format(to, "  %s%s", f->vital ? "needed: " : "", f->fix);
		text_add_char(to, '\n');
	}
}

/* One command gives all rights. */
static void write_rights(struct text *to)
{
	uint64_t effective = access_effective();
	bool missing = false;

	for (int i = 0; i < NR_NEED; i++)
		missing |= !access_has(effective, i);
	if (!missing)
		return;
	text_add(to, "to get the rights: run sonde with sudo, or once: sudo ");
	access_setcap(to);
	text_add_char(to, '\n');
}

static void write_price(const struct price *p, struct text *to)
{
	char hooked[TEXT_QUANTITY], sites[TEXT_QUANTITY], stepped[TEXT_QUANTITY],
		nop5[TEXT_QUANTITY];

	if (!p->hooked.cheap || !p->plain.cheap)
		return;
	text_format(
		to,
		"costs here: a watched call %s by return hook, %s by probes at its entry and "
		"exit; %s more for each that has to be single-stepped, %s less at a 5-byte "
		"nop\n",
		text_duration(hooked, p->hooked.cheap),
		text_duration(sites, 2 * p->plain.cheap),
		text_duration(stepped, (double)p->plain.stepped - p->plain.cheap),
		text_duration(nop5, (double)p->plain.cheap - p->plain.nop5));
}

static void write_image(struct code_image *image, struct text *to)
{
	const struct symtab *symbols = code_symbols(image);
	char count[TEXT_QUANTITY];

	text_add(to, "  ");
	text_add_plain(to, image->name);
	if (!image->image) {
		text_add(to, ": ");
		text_add_plain(to, image->why ? image->why : "not readable");
		text_add_char(to, '\n');
		return;
	}
	text_format(to, ": %s, %s functions (%s), debug info %s%s\n",
		    code_language_names[code_language(image)],
		    text_count(count, symbols ? symtab_count(symbols) : 0),
		    symbols ? symtab_origin(symbols) : "none", debug_of(image),
		    hook_is_runtime(image->name) ? ", run-time library" : "");
}

static void write_way(const struct coverage *c, enum probe_exit way, struct text *to)
{
	char count[TEXT_QUANTITY];

	text_format(to, "    %8s  %5.1f %%  %s", text_count(count, c->ends[way]),
		    100.0 * c->ends[way] / c->functions,
		    way == EXIT_NONE ? "not at all" : endings[way].phrase);
	if (c->dear[way])
		text_format(to, ", %s with a probe that is single-stepped",
			    text_count(count, c->dear[way]));
	text_add_char(to, '\n');
}

/* How its calls would be seen to end: for the target's own programs. */
static void write_coverage(struct doctor *d, uint32_t image, struct text *to)
{
	char count[TEXT_QUANTITY];
	struct coverage c;

	coverage_of(&d->code, image, &d->ways, &c);
	text_format(to, "    of %s functions that something calls, the end would be seen:\n",
		    text_count(count, c.functions));
	for (unsigned i = 0; i < NR_PROBE_EXIT; i++)
		if (c.ends[i])
			write_way(&c, i, to);
	for (uint32_t i = 0; i < c.reasons.count && i < REASONS_SHOWN; i++)
		text_format(to, "      %8u  %s\n", c.reasons.at[i].count, c.reasons.at[i].text);
	coverage_done(&c);
}

static void write_target(struct doctor *d, struct text *to)
{
	bool has_debug = false;

	text_add_plain(to, d->code.name);
	text_format(to, ": %u image%s; the end of calls: %s\n  ", d->code.count,
		    d->code.count == 1 ? "" : "s", ending_of(d->ways.first.exit)->phrase);
	text_add_plain(to, d->ways.first.reason);
	text_add_char(to, '\n');
	if (d->ways.second.reason[0]) {
		text_format(to, "  %s where an exit would be single-stepped: ",
			    d->ways.second.exit == EXIT_HOOK ? "a return hook"
							     : "no return hook");
		text_add_plain(to, d->ways.second.reason);
		text_add_char(to, '\n');
	}
	for (uint32_t i = 0; i < d->code.count; i++) {
		write_image(&d->code.at[i], to);
		if (d->code.at[i].is_main && code_symbols(&d->code.at[i]))
			write_coverage(d, i, to);
		has_debug |=
			d->code.at[i].is_main && strcmp(debug_of(&d->code.at[i]), "no") != 0;
	}
	if (!has_debug)
		text_add(
			to,
			"  for lines and inlined functions install its debug package (-dbgsym, "
			"-debuginfo) or build it with -g\n");
}

static int run(void *options, const struct option_rest *rest)
{
	const struct run_option *o = options;
	AUTO_TEXT struct text out = { 0 };
	struct doctor d = { .has_target = false };
	struct error err = { "" };
	bool works = true;
	int ret;

	kernel_support_probe(&d.kernel);
	finding_kernel(&d.findings, &d.kernel);
	finding_rights(&d.findings, &d.kernel);
	(void)live_price_here(kernel_attach_kind(), &d.price, &err);
	ret = examine_target(&d, o, &err);
	for (uint32_t i = 0; i < d.findings.count; i++)
		works &= d.findings.at[i].good || !d.findings.at[i].vital;
	if (ret) {
		log_error("%s", err.text);
	} else if (o->json) {
		write_json(&d);
	} else {
		write_findings(&d, &out);
		write_price(&d.price, &out);
		if (d.has_target)
			write_target(&d, &out);
		output_wrapped(&out);
		text_clear(&out);
		write_rights(&out);
		output_text(&out);
	}
	target_done(&d.target);
	code_done(&d.code);
	array_done(&d.findings);
	if (ret)
		return ret == -EINVAL ? EXIT_WRONG_USE : EXIT_FAILED;
	return works ? EXIT_DONE : EXIT_FAILED;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "what this machine and this target allow, by experiment, and how to fix it",
	.usage = "[TARGET]",
	.about =
		"Everything is tried, nothing is concluded from version numbers. The exit status "
		"is 1 when something is missing that sonde cannot work without.",
	.groups = { &group_target, &group_json },
	.examples = { { "sonde doctor", "this machine" },
		      { "sonde doctor -p 4242", "and what can be watched in a process" } },
	.run = run,
};
