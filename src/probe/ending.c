#include "probe/ending.h"

#include "probe/hook.h"
#include "probe/plan.h"

#include <stdio.h>

/* Exits are probed where they are, whoever walks or leaves the stack. */
static bool judge_exits(const struct code *code, struct verdict *ret)
{
	for (uint32_t i = 0; i < code->count; i++) {
		if (!code->at[i].image || code_language(&code->at[i]) != CODE_GO)
			continue;
		ret->exit = EXIT_NONE;
		snprintf(
			ret->reason, sizeof(ret->reason),
			"'%.100s' is Go: its stacks move while calls are open, which this version "
			"cannot follow",
			code->at[i].name);
		return false;
	}
	ret->exit = EXIT_SITES;
	snprintf(ret->reason, sizeof(ret->reason),
		 "the stack is left alone: each exit is a probe of its own");
	return true;
}

const struct ending endings[NR_PROBE_EXIT] = {
	[EXIT_HOOK] = { EXIT_WISH_HOOK, "hook", "return hook", NULL, hook_judge, plan_hook },
	[EXIT_SITES] = { EXIT_WISH_RET, "exits", "probes at its exits", NULL, judge_exits,
			 plan_exits },
	[EXIT_BRACKET] = { EXIT_WISH_BRACKET, "bracket", "bracket",
			   "ends by brackets are not in this version yet" },
	[EXIT_NONE] = { EXIT_WISH_UNSET, "none", "entries only", NULL, NULL, plan_entry },
};

const struct ending *ending_of(unsigned exit)
{
	return &endings[exit < NR_PROBE_EXIT ? exit : EXIT_NONE];
}

enum probe_exit ending_wished(enum exit_wish wish)
{
	for (unsigned i = 0; i < NR_PROBE_EXIT; i++)
		if (endings[i].wish && endings[i].wish == wish)
			return i;
	return EXIT_NONE;
}

/* What auto tries, in this order. */
static const enum probe_exit preferred[] = { EXIT_HOOK };

static bool try_way(const struct code *code, enum probe_exit exit, struct verdict *ret)
{
	const struct ending *way = &endings[exit];

	if (way->judge)
		return way->judge(code, ret);
	ret->exit = way->yet ? EXIT_NONE : exit;
	snprintf(ret->reason, sizeof(ret->reason), "%s", way->yet ? way->yet : way->phrase);
	return !way->yet;
}

void ending_judge(const struct code *code, enum exit_wish wish, struct verdict *ret)
{
	enum probe_exit wished = ending_wished(wish);

	if (wished != EXIT_NONE) {
		try_way(code, wished, ret);
		return;
	}
	for (unsigned i = 0; i < COUNT_OF(preferred); i++)
		if (try_way(code, preferred[i], ret))
			return;
}
