#include "probe/hook.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const code_language_names[] = { "C", "C++", "Rust", "Go", "managed code" };

/*
 * Libraries that import or define unwinding and stack switching but hand neither
 * to a caller that does not ask for it by an import of its own.  libcrypto's
 * makecontext() and libssl's use of it are ASYNC_start_job()'s, which is in the table
 * below.
 */
static const char *const runtimes[] = {
	"libc.so*",	  "libc-[0-9]*.so",  "libpthread*.so*",	 "libm.so*",
	"libm-[0-9]*.so", "libdl*.so*",	     "librt*.so*",	 "ld-linux*.so*",
	"ld-[0-9]*.so",	  "ld-musl-*.so*",   "libgcc_s.so*",	 "libgcc_s-*.so*",
	"libstdc++.so*",  "libc++.so*",	     "libc++abi.so*",	 "libunwind*.so*",
	"libatomic.so*",  "libjemalloc.so*", "libtcmalloc*.so*", "libmimalloc*.so*",
	"libgomp.so*",	  "libcrypto.so*",   "libssl.so*",	 "libresolv*.so*",
	"libnss_*.so*",	  "libthread_db*",   "libanl*.so*",	 "libutil*.so*",
};

enum marker_place { IN_SECTION, IN_IMPORT, IN_DEFINED, IN_BOTH };

struct marker {
	const char *glob;
	enum marker_place where;
};

static const struct marker go_markers[] = {
	{ ".gopclntab", IN_SECTION },
	{ ".note.go.buildid", IN_SECTION },
	{ ".go.buildinfo", IN_SECTION },
};

static const struct marker rust_markers[] = {
	{ "rust_eh_personality", IN_BOTH },
	{ "__rust_start_panic", IN_BOTH },
	{ "*rust_panic*", IN_DEFINED },
	{ "__rust_alloc", IN_DEFINED },
};

static const struct marker throw_markers[] = {
	{ "__cxa_throw", IN_BOTH },
	{ "__cxa_begin_catch", IN_BOTH },
	{ "__cxa_rethrow", IN_BOTH },
	{ "__gxx_personality_*", IN_BOTH },
	{ "__gcc_personality_v0", IN_BOTH },
	{ "__objc_personality_v0", IN_BOTH },
	{ "__gnat_personality_v0", IN_BOTH },
	{ "_Unwind_RaiseException", IN_BOTH },
	{ "_Unwind_Resume*", IN_BOTH },
	{ "_Unwind_ForcedUnwind", IN_BOTH },
	{ "_U*x86_64_resume", IN_BOTH },
	/* no name needed: a table of landing pads is there to be landed on */
	{ ".gcc_except_table", IN_SECTION },
};

static const struct marker switch_markers[] = {
	{ "swapcontext", IN_BOTH },	  { "makecontext", IN_BOTH },
	{ "setcontext", IN_BOTH },	  { "*jump_fcontext", IN_BOTH },
	{ "*make_fcontext", IN_BOTH },	  { "ontop_fcontext", IN_BOTH },
	{ "co_create", IN_BOTH },	  { "co_switch", IN_BOTH },
	{ "co_resume", IN_BOTH },	  { "coro_transfer", IN_BOTH },
	{ "coro_create", IN_BOTH },	  { "aco_resume", IN_BOTH },
	{ "qemu_coroutine_*", IN_BOTH },  { "pth_spawn", IN_BOTH },
	{ "st_thread_create", IN_BOTH },  { "boost_context*", IN_BOTH },
	{ "ASYNC_start_job", IN_IMPORT },
};

/* Heap profilers in allocators walk their callers' frames too: only who is the walker
 * itself may name it. */
static const struct marker walk_markers[] = {
	{ "backtrace", IN_IMPORT },
	{ "_Unwind_Backtrace", IN_IMPORT },
	{ "_Unwind_ForcedUnwind", IN_IMPORT },
	{ "_U*x86_64_step", IN_BOTH },
	{ "unw_step", IN_BOTH },
	{ "unw_backtrace", IN_BOTH },
	{ "_U*x86_64_init_local*", IN_BOTH },
	{ "dwfl_getthread_frames", IN_IMPORT },
};

/* A child of fork() keeps the probes, and the kernel hooks its returns without asking
 * the handler (uprobe_prog_run() in kernel/trace/bpf_trace.c lets the calls of all
 * processes but one pass, which for a session is to hook them): on whatever stack, and
 * whatever the child has loaded.  vfork(), posix_spawn() and the like are left for another
 * program at once. */
static const struct marker fork_markers[] = {
	{ "fork", IN_BOTH },	{ "_Fork", IN_BOTH },  { "__fork", IN_BOTH },
	{ "forkpty", IN_BOTH }, { "daemon", IN_BOTH }, { "clone", IN_BOTH },
	{ "__clone", IN_BOTH },
};

/* Run-times that walk or patch their own stacks. */
static const char *const managed[] = { "libjvm.so*", "libcoreclr.so*", "libmono*.so*",
				       "libart.so*", "libHSrts*.so*",  "beam.smp",
				       "libnode.so*" };

static bool in_list(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (text_glob(list[i], name))
			return true;
	return false;
}

bool hook_is_runtime(const char *image_name)
{
	return in_list(runtimes, COUNT_OF(runtimes), image_name);
}

static const char *find_marker(const struct image *image, const struct marker *list,
			       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct marker *m = &list[i];

		if (m->where == IN_SECTION && image_has_section(image, m->glob))
			return m->glob;
		if ((m->where == IN_IMPORT || m->where == IN_BOTH) &&
		    image_imports(image, m->glob))
			return m->glob;
		if ((m->where == IN_DEFINED || m->where == IN_BOTH) &&
		    image_defines(image, m->glob))
			return m->glob;
	}
	return NULL;
}

#define FIND(image, list) find_marker((image), (list), COUNT_OF(list))

enum code_language code_language(const struct code_image *image)
{
	if (!image->image)
		return CODE_C;
	if (FIND(image->image, go_markers))
		return CODE_GO;
	if (FIND(image->image, rust_markers))
		return CODE_RUST;
	if (in_list(managed, COUNT_OF(managed), image->name))
		return CODE_MANAGED;
	if (image_imports(image->image, "__gxx_personality_*") ||
	    image_imports(image->image, "__cxa_throw") ||
	    image_imports(image->image, "_Zn*m*") || image_defines(image->image, "_ZN*"))
		return CODE_CXX;
	return CODE_C;
}

static void forbid(struct judgement *ret, const char *what)
{
	char sentence[sizeof(ret->reason)];

	snprintf(sentence, sizeof(sentence), "%s", what);
	ret->exit = EXIT_NONE;
	snprintf(ret->reason, sizeof(ret->reason), "%.300s; sampling without a span works",
		 sentence);
}

/* True: refused, with the reason in ret. */
static bool judge_image(const struct code_image *image, struct judgement *ret)
{
	char why[300];
	const char *name = image->name, *found;

	/* A mapped file of code that is no ELF is a JIT's, like anonymous code. */
	if (!image->image && image->failed == -EINVAL)
		return false;
	if (!image->image)
		snprintf(why, sizeof(why),
			 "'%.100s' could not be read, so nobody knows whether exceptions pass "
			 "through its frames",
			 name);
	else if (FIND(image->image, go_markers))
		snprintf(why, sizeof(why),
			 "'%.100s' is Go: its stacks move, and a return hook would end it",
			 name);
	else if (FIND(image->image, rust_markers))
		snprintf(why, sizeof(why),
			 "'%.100s' is Rust: a panic that passes a return hook aborts it", name);
	else if (in_list(managed, COUNT_OF(managed), name))
		snprintf(why, sizeof(why),
			 "'%.100s' walks its own stacks, which a return hook would break",
			 name);
	else if ((found = FIND(image->image, throw_markers)))
		snprintf(why, sizeof(why),
			 "'%.100s' can throw or catch exceptions (%s), and one that passes a "
			 "return hook ends the program",
			 name, found);
	else if ((found = FIND(image->image, switch_markers)))
		snprintf(why, sizeof(why),
			 "'%.100s' can switch stacks (%s), and a return hook would send one "
			 "coroutine into another",
			 name, found);
	else
		return false;
	forbid(ret, why);
	return true;
}

static bool is_unwinder(const char *name)
{
	static const char *const unwinders[] = { "libstdc++.so*", "libgcc_s.so*", "libc++*.so*",
						 "libunwind*.so*" };

	return in_list(unwinders, COUNT_OF(unwinders), name);
}

static const char *mapped_unwinder(const struct code *code)
{
	for (uint32_t i = 0; i < code->count; i++)
		if (is_unwinder(code->at[i].name))
			return code->at[i].name;
	return NULL;
}

/* Adds the images that ask for an unwinder by DT_NEEDED; unwinders need each other. */
static void add_who_needs(const struct code *code, struct text *to)
{
	for (uint32_t i = 0; i < code->count; i++) {
		const struct code_image *image = &code->at[i];
		const char *needed;

		if (!image->image || is_unwinder(image->name))
			continue;
		for (unsigned n = 0; (needed = image_needed(image->image, n)); n++) {
			if (!is_unwinder(needed))
				continue;
			text_add(to, to->size ? ", " : "");
			text_add_part(to, image->name, strcspn(image->name, "."));
			break;
		}
	}
}

bool hook_judge(const struct code *code, struct judgement *ret)
{
	AUTO_TEXT struct text who = { 0 };
	const char *unwinder = mapped_unwinder(code);

	if (code->processes > 1) {
		/* as for children, below: each would be hooked for the others' sake */
		char why[200];

		snprintf(
			why, sizeof(why),
			"%u processes are watched, and the kernel hooks a return in all of them "
			"or in none, also where it would end one (--exit ret, or one process)",
			code->processes);
		forbid(ret, why);
		return false;
	}
	for (uint32_t i = 0; i < code->count; i++)
		if (!hook_is_runtime(code->at[i].name) && judge_image(&code->at[i], ret))
			return false;
	ret->exit = EXIT_HOOK;
	if (code->count == 1 && !code->at[0].pid) {
		snprintf(
			ret->reason, sizeof(ret->reason),
			"nothing in %.100s itself can catch or switch stacks; the libraries it "
			"loads count too when it runs",
			code->name);
		return true;
	}
	if (!unwinder) {
		snprintf(ret->reason, sizeof(ret->reason),
			 "no unwinder is mapped and nothing in %.100s can switch stacks",
			 code->name);
		return true;
	}
	add_who_needs(code, &who);
	snprintf(ret->reason, sizeof(ret->reason),
		 "%.*s is mapped for %.150s only; nothing in %.100s can catch",
		 (int)strcspn(unwinder, "."), unwinder,
		 who.size ? text_string(&who) : "thread cancellation", code->name);
	return true;
}

static bool is_loader(const char *name)
{
	static const char *const loaders[] = { "ld-linux*.so*", "ld-[0-9]*.so", "ld-musl-*.so*",
					       "ld.so*" };

	return in_list(loaders, COUNT_OF(loaders), name);
}

/* A program that has just been started: only its loader is there. */
static const struct code_image *find_unloaded(const struct code *code)
{
	const struct code_image *waits = NULL;

	for (uint32_t i = 0; i < code->count; i++) {
		const struct code_image *c = &code->at[i];

		if (!c->pid || (!c->is_main && !is_loader(c->name)))
			return NULL;
		if (c->is_main && c->image && image_needed(c->image, 0))
			waits = c;
	}
	return waits;
}

/* Could it have forked children?  Fills ret then.  Of the run-time libraries none is asked:
 * they fork for who asks them. */
static bool can_fork(const struct code *code, struct judgement *ret)
{
	for (uint32_t i = 0; i < code->count; i++) {
		const struct code_image *c = &code->at[i];
		const char *found = NULL;

		if (c->image && !hook_is_runtime(c->name))
			found = FIND(c->image, fork_markers);
		if (!found)
			continue;
		ret->exit = EXIT_NONE;
		snprintf(ret->reason, sizeof(ret->reason),
			 "'%.100s' can fork (%s), and in a forked child the kernel hooks every "
			 "return, also where that ends it",
			 c->name, found);
		return true;
	}
	return false;
}

bool hook_judge_unseen(const struct code *code, struct judgement *ret)
{
	const struct code_image *unloaded = find_unloaded(code);

	if (unloaded) {
		ret->exit = EXIT_NONE;
		snprintf(
			ret->reason, sizeof(ret->reason),
			"the libraries of '%.100s' are not loaded yet, so nobody knows whether "
			"they walk or leave stacks",
			unloaded->name);
		return false;
	}
	for (uint32_t i = 0; i < code->count; i++) {
		const struct code_image *c = &code->at[i];
		const char *found;

		if (!c->image || is_unwinder(c->name))
			continue;
		found = FIND(c->image, walk_markers);
		if (!found)
			continue;
		ret->exit = EXIT_NONE;
		snprintf(ret->reason, sizeof(ret->reason),
			 "'%.100s' can walk the stack (%s), which ends at a return hook",
			 c->name, found);
		return false;
	}
	if (!hook_judge(code, ret))
		return false;
	return !can_fork(code, ret);
}
