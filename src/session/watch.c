#include "session/watch.h"

#include "base/log.h"
#include "probe/landmark.h"
#include "wire/codec.h"

#include <fcntl.h>
#include <unistd.h>

#define LOOKS_MORE 250 /* at a price over WATCH_DEAR_NSEC */
#define LOOKS_SILENT 50
#define LOOK_USEC 10000

static int add_place(struct watch *w, uint32_t id, const char *place, enum exit_wish wish,
		     struct error *err)
{
	int code = probe_set_add(&w->set, id, &w->code, place, wish, err);

	if (code)
		return code;
	return probe_has_end(&w->set.at[w->set.count - 1], err) ? 0 : -EPERM;
}

#define FIT 1 /* in watch.judged */

static bool is_hooked(const struct probe_function *f)
{
	return f->exit == EXIT_HOOK;
}

static bool has_exit(const struct probe *p, enum probe_exit exit)
{
	for (uint32_t i = 0; i < p->functions.count; i++)
		if (p->functions.at[i].exit == exit)
			return true;
	return false;
}

/* attach opens the file that is mapped, name is what the target calls it. */
static struct watch_file *file_for(struct watch *w, uint32_t probe, const char *attach,
				   const char *name, bool plain, struct error *err)
{
	struct watch_file *f;
	int fd;

	for (uint32_t i = 0; i < w->files.count; i++) {
		f = &w->files.at[i];
		if (f->probe == probe && !f->watched && f->plain == plain &&
		    strcmp(f->attach, attach) == 0)
			return f;
	}
	fd = open(attach, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		error_set(err, errno, "cannot open '%s': %s", name, strerror(errno));
		return NULL;
	}
	f = array_add(&w->files);
	f->fd = fd;
	f->probe = probe;
	f->plain = plain;
	f->attach = mem_text(attach);
	f->path = mem_format("/proc/self/fd/%d", fd);
	return f;
}

static uint64_t dear(const struct site *s)
{
	return s->price == INSN_STEPPED ? COOKIE_STEPPED : 0;
}

/* What cookies name this layout by: none does if all are zero.  False: there are too
 * many. */
static bool name_layout(struct watch *w, const struct goroutine_layout *layout,
			uint64_t *ret_cookie, struct error *err)
{
	static const struct goroutine_layout none;
	uint32_t i = 0;

	*ret_cookie = 0;
	if (!memcmp(layout, &none, sizeof(none)))
		return true;
	while (i < w->layouts.count && memcmp(layout, &w->layouts.at[i], sizeof(*layout)) != 0)
		i++;
	if (i == MAX_LAYOUTS) {
		error_set(
			err, E2BIG,
			"these are programs of more than %u versions of Go: watch some of them "
			"at a time",
			MAX_LAYOUTS);
		return false;
	}
	if (i == w->layouts.count)
		array_push(&w->layouts, *layout);
	*ret_cookie = COOKIE_OF_LAYOUT(i + 1);
	return true;
}

/* Exits before the entry: no call is opened that cannot end.  always: of each cookie. */
static void add_sites(struct watch_file *f, const struct probe_function *function,
		      uint32_t probe, uint64_t always)
{
	uint64_t entry = (function->followed ? COOKIE_FOLLOWS : 0) |
			 (function->exit == EXIT_BRACKET ? COOKIE_BRACKET : 0);

	for (uint32_t i = function->sites.count; i-- > 0;) {
		const struct site *s = &function->sites.at[i];

		array_push(&f->offsets, s->offset);
		array_push(&f->cookies, COOKIE(probe, s->role, s->condition, s->cfa) |
						COOKIE_OF_LENGTH(s->length) | dear(s) | always |
						(i ? 0 : entry));
	}
}

static int group_sites(struct watch *w, const struct probe *probe, struct error *err)
{
	w->hooks |= has_exit(probe, EXIT_HOOK);
	w->exits |= has_exit(probe, EXIT_SITES);
	w->brackets |= has_exit(probe, EXIT_BRACKET);
	for (uint32_t i = 0; i < probe->functions.count; i++) {
		const struct probe_function *function = &probe->functions.at[i];
		struct watch_file *f =
			file_for(w, probe->id, function->attach, function->image_path,
				 !is_hooked(function), err);
		uint64_t layout;

		if (!f)
			return -errno;
		if (!name_layout(w, &function->layout, &layout, err))
			return -E2BIG;
		add_sites(f, function, probe->id, layout);
	}
	return 0;
}

/* Those that are needed and not there. */
static int add_landmarks(struct watch *w, struct error *err)
{
	unsigned needed = (w->exits || w->brackets ? LANDMARKS_LEAVING : 0) |
			  (w->hooks ? LANDMARKS_MAPS : 0);
	struct landmarks found = { 0 };
	struct watch_file *f;
	uint64_t layout;
	int code = 0;

	landmarks_find(&w->code, needed & ~w->landmarks, &found);
	w->landmarks |= needed;
	for (uint32_t i = 0; i < found.count && !code; i++) {
		const struct landmark *l = &found.at[i];

		f = file_for(w, 0, l->attach, l->path, true, err);
		if (!f) {
			code = -errno;
			break;
		}
		if (!name_layout(w, &l->layout, &layout, err)) {
			code = -E2BIG;
			break;
		}
		array_push(&f->offsets, l->site.offset);
		array_push(&f->cookies, COOKIE(0, l->site.role, l->site.condition, 0) |
						dear(&l->site) | layout);
	}
	array_done(&found);
	return code;
}

int watch_find(struct watch *w, const struct target *target, const char *const *places,
	       uint32_t nr_places, enum exit_wish wish, struct error *err)
{
	int code;

	if (!nr_places)
		return 0;
	code = code_open(target, w->images, &w->code, err);
	for (uint32_t i = 0; code == 0 && i < nr_places; i++)
		code = add_place(w, i + 1, places[i], wish, err);
	for (uint32_t i = 0; code == 0 && i < w->set.count; i++)
		code = group_sites(w, &w->set.at[i], err);
	return code ? code : add_landmarks(w, err);
}

static void file_done(struct watch_file *f)
{
	close(f->fd);
	free(f->path);
	free(f->attach);
	array_done(&f->offsets);
	array_done(&f->cookies);
}

void watch_done(struct watch *w)
{
	for (uint32_t i = 0; i < w->files.count; i++)
		file_done(&w->files.at[i]);
	array_done(&w->files);
	array_done(&w->layouts);
	table_done(&w->judged);
	probe_set_done(&w->set);
	code_done(&w->code);
}

bool watch_fits(struct watch *w, enum attach_kind kind, struct error *err)
{
	w->kind = kind;
	if (kind == ATTACH_SESSION || !w->hooks)
		return true;
	for (uint32_t i = 0; i < w->code.count; i++) {
		const struct code_image *c = &w->code.at[i];

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

/* The function whose calls cost most. */
static const struct probe_function *find_dearest(const struct probe *p,
						 const struct price *price)
{
	const struct probe_function *dearest = &p->functions.at[0];

	for (uint32_t i = 1; i < p->functions.count; i++) {
		const struct probe_function *f = &p->functions.at[i];

		if (price_of_call(price, f) > price_of_call(price, dearest))
			dearest = f;
	}
	return dearest;
}

/* What of the function has to be single-stepped, NULL: nothing. */
static const char *what_is_stepped(const struct probe_function *f)
{
	struct probe_price dearest = function_price(f);

	if (dearest.entry == INSN_STEPPED)
		return dearest.exit == INSN_STEPPED
			       ? "its first instruction and one of its exits have"
			       : "its first instruction has";
	return dearest.exit == INSN_STEPPED ? "one of its exits has" : NULL;
}

/* A machine is slow for a while and then fast again: one price of 9.8 us was 29 us in one of
 * twenty runs.  What seems dear is looked at for up to three seconds, so that it hardly
 * depends on when it was asked. */
static uint32_t settled_cost(const char *place, const struct probe_function *f,
			     struct source *source)
{
	struct price price = source_price(source);

	for (unsigned i = 0; i < LOOKS_MORE && price_of_call(&price, f) > WATCH_DEAR_NSEC;
	     i++) {
		if (i == LOOKS_SILENT)
			log_progress("'%s' seems to cost %.1f us a call: looking again", place,
				     price_of_call(&price, f) / 1e3);
		usleep(LOOK_USEC);
		price = source_price_look(source);
	}
	log_progress_done();
	return price_of_call(&price, f);
}

int watch_price(struct watch *w, uint32_t only, struct source *source, struct error *err)
{
	struct price price = source_price(source);

	for (uint32_t i = 0; i < w->set.count; i++) {
		const struct probe *p = &w->set.at[i];
		const struct probe_function *dearest = find_dearest(p, &price);
		bool stepped = what_is_stepped(dearest) && (!only || p->id == only);
		uint32_t cost = stepped ? settled_cost(p->place, dearest, source) : 0;
		const char *or_guess = function_price(dearest).exit == INSN_STEPPED
					       ? ", --exit bracket to estimate its ends"
					       : "";

		if (p->functions.count > WATCH_DEAR_SITES && (!only || p->id == only))
			return error_set(
				err, EINVAL,
				"'%s' stands for %u functions: each call of any of them would "
				"be paid for (--yes to do it, --dry-run to see the price)",
				p->place, p->functions.count);
		if (stepped && cost > WATCH_DEAR_NSEC)
			return error_set(err, EINVAL,
					 "'%s' would cost %.1f us a call here, since %s to be "
					 "single-stepped (--yes to accept that%s)",
					 p->place, cost / 1e3, what_is_stepped(dearest),
					 or_guess);
	}
	return 0;
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
	code = open_code(w, target, err);
	if (code == 0)
		code = add_place(w, id, place, wish, err);
	p = probe_set_find(&w->set, id);
	if (!p)
		return code;
	*ret_id = id;
	if (code == 0)
		code = group_sites(w, p, err);
	if (code == 0)
		code = add_landmarks(w, err);
	if (code == 0 && has_exit(p, EXIT_BRACKET))
		code = source_brackets(source, err);
	if (code == 0 && has_exit(p, EXIT_HOOK)) {
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
			file_done(&w->files.at[i]);
		else
			w->files.at[kept++] = w->files.at[i];
	w->files.count = kept;
}

/* The stream's number of the image a site lies in, 0 = not told. */
static uint32_t image_of(const struct watch *w, const struct describe *d,
			 const struct probe_function *function)
{
	for (uint32_t i = 0; i < w->code.count; i++) {
		const char *attach = w->code.at[i].attach;

		if (attach && strcmp(attach, function->attach) == 0)
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
			.cost = price_of_call(&price, find_dearest(p, &price)),
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

		if (!has_exit(p, EXIT_HOOK))
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
