/*
 * doctor - what this machine and this target allow, by experiment.
 */
#include "base/log.h"
#include "cmd/command.h"
#include "probe/exit.h"
#include "proc/access.h"
#include "proc/target.h"
#include "source/calibrate.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One thing that was tried. */
struct finding {
	const char *key;  /* in JSON */
	const char *what; /* for people */
	bool good;
	bool vital; /* sonde does not work without it */
	char fix[400]; /* what to do; "" when nothing needs doing */
};

struct doctor {
	struct kernel_support kernel;
	struct cost cost;
	ARRAY(struct finding) findings;
	struct target target;
	struct code code;
	struct verdict verdict;
	bool has_target;
};

static void find(struct doctor *d, struct finding f)
{
	if (f.good)
		f.fix[0] = 0;
	array_push(&d->findings, f);
}



static void examine_kernel(struct doctor *d)
{
	const struct kernel_support *k = &d->kernel;
	struct finding load = { "load_bpf", "BPF programs load", k->load_bpf, true, "" };
	struct finding clock = { "cpu_clock", "CPUs can be sampled", k->cpu_clock, true, "" };

	snprintf(load.fix, sizeof(load.fix),
		 k->load_errno == EPERM ?
			 "the kernel refuses (%s): run sonde with sudo, or with CAP_BPF and "
			 "CAP_PERFMON; in a container, add them there" :
			 "the kernel refuses (%s): is bpf(2) built in, and allowed by seccomp?",
		 strerror(k->load_errno));
	snprintf(clock.fix, sizeof(clock.fix),
		 "the kernel refuses (%s): run sonde with sudo or CAP_PERFMON "
		 "(kernel.perf_event_paranoid is %d)",
		 strerror(k->cpu_clock_errno), k->perf_event_paranoid);
	find(d, load);
	find(d, (struct finding){ "btf", "kernel types (BTF)", k->btf, true,
				  "the kernel was built without CONFIG_DEBUG_INFO_BTF; install "
				  "one that has /sys/kernel/btf/vmlinux" });
	find(d, clock);
	find(d, (struct finding){ "ring_buffer", "BPF ring buffer", k->ring_buffer, true,
				  "needs Linux 5.8" });
	find(d, (struct finding){ "task_storage", "BPF task storage", k->task_storage, true,
				  "needs Linux 5.11" });
	find(d, (struct finding){ "uprobe_session", "entry and return in one link",
				  k->uprobe_session, false,
				  "needs Linux 6.13; entry and return get a link each" });
	find(d, (struct finding){ "uprobe_multi", "many functions in one link",
				  k->uprobe_multi, false,
				  "needs Linux 6.6; few functions are watched by perf events" });
	find(d, (struct finding){ "perf_uprobe", "single uprobes by perf", k->perf_uprobe,
				  !k->uprobe_multi,
				  "the kernel was built without CONFIG_UPROBE_EVENTS" });
	find(d, (struct finding){ "arena", "BPF arena", k->arena, false,
				  "needs Linux 6.9; not used yet" });
	find(d, (struct finding){ "hardware", "hardware counters", k->hardware, false,
				  "none here, as in most virtual machines; sampling goes by the "
				  "CPU clock" });
}

static void examine_rights(struct doctor *d)
{
	static const char *const keys[NR_NEED] = { "cap_bpf", "cap_perfmon", "cap_sys_ptrace",
						   "cap_dac_read_search", "cap_syslog" };
	uint64_t effective = access_effective();
	AUTO_TEXT struct text setcap = { 0 };

	access_setcap(&setcap);
	for (int i = 0; i < NR_NEED; i++) {
		struct finding f = { keys[i], access_rules[i].name, access_has(effective, i),
				     i == NEED_BPF || i == NEED_SAMPLES, "" };

		snprintf(f.fix, sizeof(f.fix), "to %s: sudo sonde, or once: sudo %s",
			 access_rules[i].what, text_string(&setcap));
		find(d, f);
	}
	find(d, (struct finding){
			"kptr_restrict", "kernel addresses are shown",
			d->kernel.kptr_restrict < 2 &&
				(d->kernel.kptr_restrict == 0 || access_has(effective, NEED_KERNEL)),
			false, "for names of kernel functions: sudo sysctl kernel.kptr_restrict=0" });
}

static int examine_target(struct doctor *d, const struct run_option *o, struct error *err)
{
	struct target_query query = {
		.pids = o->pids.at,
		.nr_pids = o->pids.count,
		.tids = o->tids.at,
		.nr_tids = o->tids.count,
		.name = o->name,
		.all = o->all_processes,
	};
	int ret;

	if (!query.nr_pids && !query.nr_tids && !query.name && !query.all)
		return 0;
	ret = target_find(&query, &d->target, err);
	ret = ret ? ret : code_open(&d->target, &d->code, err);
	if (ret)
		return ret;
	exit_judge(&d->code, &d->verdict);
	d->has_target = true;
	return 0;
}

static const char *debug_of(const struct code_image *image)
{
	if (!image->image)
		return "not readable";
	return image_has_section(image->image, ".debug_info") ? "yes" : "no";
}

static void add_plain_json(json_t *o, const char *key, const char *s)
{
	AUTO_TEXT struct text plain = { 0 };

	text_add_plain(&plain, s);
	json_object_set_new(o, key, json_string(text_string(&plain)));
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
		json_array_append_new(images, o);
	}
	return images;
}

static json_t *target_json(struct doctor *d)
{
	json_t *o = json_object();

	add_plain_json(o, "name", d->code.name);
	json_object_set_new(o, "exit", json_string(d->verdict.exit == EXIT_HOOK ? "hook" : "none"));
	add_plain_json(o, "reason", d->verdict.reason);
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
	json_object_set_new(cost, "emulated_ns", json_real(d->cost.emulated));
	json_object_set_new(cost, "nop5_ns", json_real(d->cost.nop5));
	json_object_set_new(cost, "stepped_ns", json_real(d->cost.stepped));
	json_object_set_new(cost, "hook_ns", json_real(d->cost.hook));
	json_object_set_new(o, "kernel", json_string(d->kernel.release));
	json_object_set_new(o, "perf_event_paranoid",
			    json_integer(d->kernel.perf_event_paranoid));
	json_object_set_new(o, "kptr_restrict", json_integer(d->kernel.kptr_restrict));
	json_object_set_new(o, "max_sample_rate", json_integer(d->kernel.max_sample_rate));
	json_object_set_new(o, "checks", findings);
	json_object_set_new(o, "cost", cost);
	if (d->has_target)
		json_object_set_new(o, "target", target_json(d));
	text = json_dumps(o, JSON_COMPACT);
	puts(text);
	free(text);
	json_decref(o);
}

static void write_findings(const struct doctor *d, struct text *to)
{
	text_format(to, "kernel %s, perf_event_paranoid %d, kptr_restrict %d, at most %d samples a "
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

static void write_cost(const struct cost *c, struct text *to)
{
	char emulated[TEXT_QUANTITY], nop5[TEXT_QUANTITY], stepped[TEXT_QUANTITY],
		hook[TEXT_QUANTITY];

	if (!c->emulated)
		return;
	text_format(to, "costs here: entry on push %s, on a 5-byte nop %s, stepped %s; the return "
			"hook %s more\n",
		    text_duration(emulated, c->emulated), text_duration(nop5, c->nop5),
		    text_duration(stepped, c->stepped), text_duration(hook, c->hook));
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
		    exit_is_runtime(image->name) ? ", run-time library" : "");
}

static void write_target(struct doctor *d, struct text *to)
{
	bool has_debug = false;

	text_add_plain(to, d->code.name);
	text_format(to, ": %u image%s; the end of calls: %s\n  ", d->code.count,
		    d->code.count == 1 ? "" : "s",
		    d->verdict.exit == EXIT_HOOK ? "by return hook" : "cannot be seen yet");
	text_add_plain(to, d->verdict.reason);
	text_add_char(to, '\n');
	for (uint32_t i = 0; i < d->code.count; i++) {
		write_image(&d->code.at[i], to);
		has_debug |= d->code.at[i].is_main && !strcmp(debug_of(&d->code.at[i]), "yes");
	}
	if (!has_debug)
		text_add(to, "  for lines and inlined functions install its debug package (-dbgsym, "
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
	examine_kernel(&d);
	examine_rights(&d);
	cost_measure(&d.kernel, &d.cost);
	ret = examine_target(&d, o, &err);
	for (uint32_t i = 0; i < d.findings.count; i++)
		works &= d.findings.at[i].good || !d.findings.at[i].vital;
	if (ret) {
		log_error("%s", err.text);
	} else if (o->json) {
		write_json(&d);
	} else {
		write_findings(&d, &out);
		write_cost(&d.cost, &out);
		if (d.has_target)
			write_target(&d, &out);
		fputs(text_string(&out), stdout);
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
	.about = "Everything is tried, nothing is concluded from version numbers. The exit status "
		 "is 1 when something is missing that sonde cannot work without.",
	.groups = { &group_target, &group_json },
	.examples = { { "sonde doctor", "this machine" },
		      { "sonde doctor -p 4242", "and what can be watched in a process" } },
	.run = run,
};
