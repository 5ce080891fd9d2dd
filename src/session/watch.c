#include "session/watch.h"

#include "session/watch_file.h"
#include "wire/codec.h"

static int add_place(struct watch *w, uint32_t id, const char *place, enum exit_wish wish,
		     struct error *err)
{
	int code = probe_set_add(&w->set, id, &w->code, place, wish, err);

	if (code)
		return code;
	return probe_has_end(&w->set.at[w->set.count - 1], err) ? 0 : -EPERM;
}

#define FIT 1 /* in watch.judged */

/* include/linux/uprobes.h: a uprobe link finds a process by the address space of its main
 * thread (uprobe_multi_link_filter(), trace_uprobe_filter_match()). */
static int check_heads(const struct target *target, struct error *err)
{
	for (uint32_t i = 0; i < target->processes.count; i++) {
		const struct process *p = &target->processes.at[i];

		if (p->headless)
			return error_set(err, EPERM,
					 "the main thread of %s (%u) has ended (pthread_exit): "
					 "the kernel puts no probes on such a process; without "
					 "-s it is sampled",
					 p->comm, p->pid);
	}
	return 0;
}

int watch_find(struct watch *w, const struct target *target, const char *const *places,
	       uint32_t nr_places, enum exit_wish wish, struct error *err)
{
	int code;

	if (!nr_places)
		return 0;
	code = check_heads(target, err);
	if (code == 0)
		code = code_open(target, w->images, &w->code, err);
	for (uint32_t i = 0; code == 0 && i < nr_places; i++)
		code = add_place(w, i + 1, places[i], wish, err);
	for (uint32_t i = 0; code == 0 && i < w->set.count; i++)
		code = watch_group(w, &w->set.at[i], 0, err);
	return code ? code : watch_landmarks(w, &w->code, err);
}

void watch_done(struct watch *w)
{
	for (uint32_t i = 0; i < w->files.count; i++)
		watch_file_done(&w->files.at[i]);
	array_done(&w->files);
	array_done(&w->layouts);
	table_done(&w->searched);
	table_done(&w->extended);
	table_done(&w->judged);
	probe_set_done(&w->set);
	code_done(&w->code);
}

/* Would it survive that every return of a hooked probe is hooked? */
static bool fits_code(enum attach_kind kind, const struct code *code, struct error *err)
{
	for (uint32_t i = 0; i < code->count && kind != ATTACH_SESSION; i++) {
		const struct code_image *c = &code->at[i];

		if (!c->image || hook_is_runtime(c->name) ||
		    !image_imports(c->image, "sigaltstack"))
			continue;
		error_set(
			err, EPERM,
			"'%s' runs signal handlers on a stack of their own, and this kernel "
			"cannot leave calls there alone (Linux 6.13 can); sampling without a span "
			"works",
			c->name);
		return false;
	}
	return true;
}

bool watch_fits(struct watch *w, enum attach_kind kind, struct error *err)
{
	w->kind = kind;
	return !w->hooks || fits_code(kind, &w->code, err);
}

static struct attach_sites sites_of(const struct watch_file *f)
{
	return (struct attach_sites){
		.path = f->path,
		.offsets = f->offsets.at,
		.cookies = f->cookies.at,
		.count = f->offsets.count,
		.plain = f->plain,
	};
}

int watch_arm(struct watch *w, struct source *source, struct error *err)
{
	source_layouts(source, w->layouts.at, w->layouts.count);
	for (uint32_t i = 0; i < w->files.count; i++) {
		struct attach_sites sites = sites_of(&w->files.at[i]);
		int code;

		if (w->files.at[i].watched)
			continue;
		w->files.at[i].watched = true;
		code = source_watch(source, &sites, err);
		if (code)
			return code;
	}
	return 0;
}

/* What the processes map now; what was looked up before does not point into it. */
static int open_code(struct watch *w, const struct target *target, struct error *err)
{
	struct code code;
	int failed = code_open(target, w->images, &code, err);

	if (failed)
		return failed;
	code_done(&w->code);
	w->code = code;
	return 0;
}

int watch_add(struct watch *w, const struct target *target, struct source *source,
	      const char *place, enum exit_wish wish, uint32_t *ret_id, struct error *err)
{
	uint32_t id = source_room(source);
	const struct probe *p;
	int code;

	*ret_id = 0;
	if (!id)
		return error_set(err, E2BIG,
				 "%u place%s watched, and there is no room for more: take one "
				 "away first",
				 w->set.count, w->set.count == 1 ? " is" : "s are");
	code = check_heads(target, err);
	if (code == 0)
		code = open_code(w, target, err);
	if (code == 0)
		code = add_place(w, id, place, wish, err);
	p = probe_set_find(&w->set, id);
	if (!p)
		return code;
	*ret_id = id;
	if (code == 0)
		code = watch_group(w, p, 0, err);
	if (code == 0)
		code = watch_landmarks(w, &w->code, err);
	if (code == 0 && watch_has_exit(p, 0, EXIT_BRACKET))
		code = source_brackets(source, err);
	if (code == 0 && watch_has_exit(p, 0, EXIT_HOOK)) {
		table_clear(&w->judged); /* not by what this probe asks for */
		code = watch_fits(w, w->kind, err) ? 0 : -EPERM;
	}
	return code;
}

void watch_remove(struct watch *w, struct source *source, uint32_t id)
{
	probe_set_remove(&w->set, id);
	source_unwatch(source, id);
}

void watch_gone(struct watch *w, uint32_t id)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < w->files.count; i++)
		if (w->files.at[i].probe == id)
			watch_file_done(&w->files.at[i]);
		else
			w->files.at[kept++] = w->files.at[i];
	w->files.count = kept;
}

/* The stream's number of the image a site lies in, 0 = not told. */
static uint32_t image_of(const struct watch *w, const struct describe *d,
			 const struct probe_function *function)
{
	for (uint32_t i = 0; i < w->code.count; i++) {
		if (w->code.at[i].image == function->image)
			return describe_find(d, &w->code.at[i].map, w->code.at[i].pid);
	}
	return 0;
}

void watch_tell(struct watch *w, uint32_t only, struct source *source,
		struct describe *describe, struct feed *feed)
{
	AUTO_FREE struct event_room *room = NEW(struct event_room);
	struct naming naming = namer_naming(feed->namer);
	struct price price = source_price(source);

	for (uint32_t i = 0; i < w->set.count; i++) {
		const struct probe *p = &w->set.at[i];
		const struct probe_function *first = &p->functions.at[0];
		struct event_probe fixed = {
			.head.time = clock_now(),
			.probe = p->id,
			.sites = p->functions.count,
			.exit = p->judgement.exit,
			.image = image_of(w, describe, first),
			.offset = first->entry,
			.length = first->size,
			.cost = price_of_call(&price, watch_dearest(p, 0, &price)),
		};
		struct frame_name name = { .file = "" };

		if (only && p->id != only)
			continue;
		naming.find(naming.context, fixed.image, fixed.offset, &name);
		fixed.line = name.line;
		feed_event(feed,
			   event_make_probe(room, &fixed, p->place, p->function, name.file));
	}
}

/* Could hooks harm a process with this code?  true: reason says how. */
static bool would_harm(const struct watch *w, const struct code *code, struct error *err)
{
	struct ways ways;

	for (uint32_t i = 0; i < w->set.count; i++) {
		const struct probe *p = &w->set.at[i];

		if (!watch_has_exit(p, 0, EXIT_HOOK))
			continue;
		ending_judge(code, p->wish, &ways);
		if (ways_allow(&ways, EXIT_HOOK))
			continue;
		error_set(err, EPERM, "%s",
			  ways.second.reason[0] ? ways.second.reason : ways.first.reason);
		return true;
	}
	return false;
}

static int open_one(uint32_t pid, struct images *images, struct code *ret, struct error *err)
{
	struct target one = { 0 };
	struct process process;
	int code = process_read(pid, &process, err);

	if (code)
		return code;
	array_push(&one.processes, process);
	code = code_open(&one, images, ret, err);
	array_done(&one.processes);
	return code;
}

bool watch_may_hook(struct watch *w, uint32_t pid, uint64_t *ret_pages, struct error *err)
{
	struct maps maps = { 0 };
	struct code code = { 0 };
	uint32_t known;
	bool may;

	*ret_pages = 0;
	if (maps_read(pid, &maps, err))
		return false;
	known = table_find(&w->judged, maps_code_key(&maps));
	*ret_pages = maps_code_pages(&maps);
	maps_done(&maps);
	if (known == FIT)
		return true;
	if (open_one(pid, w->images, &code, err)) {
		*ret_pages = 0;
		return false;
	}
	*ret_pages = code.pages;
	may = !would_harm(w, &code, err);
	if (may)
		table_set(&w->judged, code.key, FIT);
	code_done(&code);
	return may;
}

static bool has_goroutines(const struct probe *p, uint32_t from)
{
	static const struct goroutine_layout none;

	for (uint32_t i = from; i < p->functions.count; i++)
		if (memcmp(&p->functions.at[i].layout, &none, sizeof(none)) != 0)
			return true;
	return false;
}

/* What the probe's place means in other code: how many functions more. */
static int extend_probe(struct watch *w, struct probe *p, struct code *code,
			struct source *source, bool accept_dear, struct error *err)
{
	uint32_t before = p->functions.count;
	int added = probe_set_extend(&w->set, p->id, code, err), failed = 0;

	if (added <= 0)
		return added;
	if (!accept_dear)
		failed = watch_price_more(p, before, source, err);
	if (!failed && watch_has_exit(p, before, EXIT_HOOK) && !fits_code(w->kind, code, err))
		failed = -EPERM;
	if (!failed && watch_has_exit(p, before, EXIT_BRACKET))
		failed = source_brackets(source, err);
	if (!failed && !w->goroutines && has_goroutines(p, before))
		failed = error_set(err, ENOTSUP,
				   "'%s' is Go there, which sonde has to know from the start: "
				   "watch that process by itself (-p)",
				   p->place);
	if (!failed)
		failed = watch_group(w, p, before, err);
	if (!failed)
		return added;
	probe_set_shrink(&w->set, p->id, before);
	return failed;
}

static bool is_extended(struct watch *w, uint32_t pid)
{
	struct maps maps = { 0 };
	uint64_t key;

	if (maps_read(pid, &maps, NULL))
		return true;
	key = maps_code_key(&maps);
	maps_done(&maps);
	if (table_find(&w->extended, key) != TABLE_NONE)
		return true;
	table_set(&w->extended, key, 1);
	return false;
}

uint32_t watch_extend(struct watch *w, uint32_t pid, uint32_t processes, struct source *source,
		      bool accept_dear, struct error *why)
{
	struct code code = { 0 };
	struct error err;
	uint32_t all = 0;
	int failed;

	if (!w->set.count || is_extended(w, pid) || open_one(pid, w->images, &code, NULL))
		return 0;
	code.processes = processes;
	for (uint32_t i = 0; i < w->set.count; i++) {
		int added = extend_probe(w, &w->set.at[i], &code, source, accept_dear, &err);

		if (added < 0 && added != -ENOENT)
			*why = err;
		if (added > 0)
			all += added;
	}
	failed = watch_landmarks(w, &code, &err);
	code_done(&code);
	if (all)
		table_clear(&w->judged); /* not by what these ask for */
	if (!failed)
		failed = watch_arm(w, source, &err);
	if (failed && failed != -ESRCH) /* it may end at any time */
		*why = err;
	return all;
}
