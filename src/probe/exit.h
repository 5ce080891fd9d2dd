/*
 * exit - how the end of a call may be seen without harming the target.
 *
 * A return hook replaces the return address on the stack.  Whoever walks that
 * stack to unwind it (C++ exceptions, Rust panics, Go's growing stacks, forced
 * unwinding) or runs on another one (coroutines) then meets an address that is
 * nobody's, and the target dies or computes wrongly.  So a hook is used only
 * where nothing mapped in the target can do so; the verdict says why.
 *
 * Today there is the hook or nothing: EXIT_SITES and EXIT_BRACKET are not chosen.
 */
#ifndef SONDE_PROBE_EXIT_H
#define SONDE_PROBE_EXIT_H

#include "probe/code.h"
#include "wire/event.h"

struct verdict {
	enum probe_exit exit; /* EXIT_HOOK or EXIT_NONE */
	char reason[400];     /* one sentence, for both */
};

/* What a target's code is written in, as far as it matters here. */
enum code_language { CODE_C, CODE_CXX, CODE_RUST, CODE_GO, CODE_MANAGED };
extern const char *const code_language_names[];
enum code_language code_language(const struct code_image *image);

/* Is it one of the fixed set of run-time libraries (libc, libstdc++, allocators,
 * ...) whose own use of unwinding never crosses a caller's frame? */
bool exit_is_runtime(const char *image_name);
/* Judges the target as a whole: the verdict holds for every function of it. */
void exit_judge(const struct code *code, struct verdict *ret);

#endif
