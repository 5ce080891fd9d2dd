/*
 * hook - may the end of calls be seen by return hooks in this target?
 *
 * A return hook replaces the return address on the stack.  Whoever walks that
 * stack to unwind it (C++ exceptions, Rust panics, Go's growing stacks, forced
 * unwinding) or runs on another one (coroutines) then meets an address that is
 * nobody's, and the target dies or computes wrongly.  So a hook is used only
 * where nothing mapped in the target can do so; the judgement says why.
 *
 * Nor is a hook for one process alone: where several have the probe, the kernel hooks the
 * returns of all of them, and in each only those that this one's program lets pass are left
 * alone.
 */
#ifndef SONDE_PROBE_HOOK_H
#define SONDE_PROBE_HOOK_H

#include "probe/code.h"
#include "wire/event.h"

struct judgement {
	enum probe_exit exit; /* EXIT_NONE: refused */
	char reason[700];     /* one sentence, for both */
};

/* What a target's code is written in, as far as it matters here. */
enum code_language { CODE_C, CODE_CXX, CODE_RUST, CODE_GO, CODE_MANAGED };
extern const char *const code_language_names[];
enum code_language code_language(const struct code_image *image);

/* Is it one of the fixed set of run-time libraries (libc, libstdc++, allocators,
 * ...) whose own use of unwinding never crosses a caller's frame? */
bool hook_is_runtime(const char *image_name);
/* Judges the target as a whole: the judgement holds for every function of it.  true:
 * EXIT_HOOK. */
bool hook_judge(const struct code *code, struct judgement *ret);
/* As hook_judge(), and nobody in the target would see a hook either: nothing asks for
 * its own return addresses by the names of stack walkers, and it has no forked children. */
bool hook_judge_unseen(const struct code *code, struct judgement *ret);

#endif
