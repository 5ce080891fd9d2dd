#include "probe/ending.h"

#include "probe/goroutine.h"
#include "probe/plan.h"

#include <stdio.h>

/* Exits are probed where they are, whoever walks or leaves the stack. */
static bool judge_exits(const struct code *code, struct judgement *ret)
{
	for (uint32_t i = 0; i < code->count; i++) {
		const struct goroutine_code *g = goroutine_code(&code->at[i]);

		if (!g || !g->refused)
			continue;
		ret->exit = EXIT_NONE;
		snprintf(ret->reason, sizeof(ret->reason),
			 "'%.100s' is Go, whose calls move from stack to stack, and %s",
			 code->at[i].name, g->refused);
		return false;
	}
	ret->exit = EXIT_SITES;
	snprintf(ret->reason, sizeof(ret->reason),
		 "the stack is left alone: each exit is a probe of its own");
	return true;
}

/* The end is estimated: nothing but the entry is probed. */
static bool judge_bracket(const struct code *code, struct judgement *ret)
{
	if (!judge_exits(code, ret))
		return false;
	for (uint32_t i = 0; i < code->count; i++) {
		if (!goroutine_code(&code->at[i]))
			continue;
		ret->exit = EXIT_NONE;
		snprintf(
			ret->reason, sizeof(ret->reason),
			"'%.100s' is Go: a goroutine that waits is on no thread's stack, where "
			"its calls could be seen to end",
			code->at[i].name);
		return false;
	}
	ret->exit = EXIT_BRACKET;
	snprintf(ret->reason, sizeof(ret->reason),
		 "only the entry is probed: the end lies between two looks at the stack");
	return true;
}

const struct ending endings[NR_PROBE_EXIT] = {
	[EXIT_HOOK] = { EXIT_WISH_HOOK, "hook", "return hook", hook_judge, plan_hook },
	[EXIT_SITES] = { EXIT_WISH_RET, "exits", "probes at its exits", judge_exits,
			 plan_exits },
	[EXIT_BRACKET] = { EXIT_WISH_BRACKET, "bracket", "ends estimated by looks at its stack",
			   judge_bracket, plan_bracket },
	[EXIT_NONE] = { EXIT_WISH_UNSET, "none", "entries only", NULL, plan_entry },
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

static void try_way(const struct code *code, enum probe_exit exit, struct judgement *ret)
{
	const struct ending *way = &endings[exit];

	if (way->judge) {
		way->judge(code, ret);
		return;
	}
	ret->exit = exit;
	snprintf(ret->reason, sizeof(ret->reason), "%s", way->phrase);
}

void ending_judge(const struct code *code, enum exit_wish wish, struct ways *ret)
{
	enum probe_exit wished = ending_wished(wish);

	*ret = (struct ways){ .first.exit = EXIT_NONE, .second.exit = EXIT_NONE };
	try_way(code, wished == EXIT_NONE ? EXIT_SITES : wished, &ret->first);
	if (wished == EXIT_NONE && ret->first.exit != EXIT_NONE)
		hook_judge_unseen(code, &ret->second);
}

bool ways_allow(const struct ways *w, enum probe_exit exit)
{
	return w->first.exit == exit || w->second.exit == exit;
}

static enum plan_result plan_by(enum probe_exit exit, const struct plan_request *request,
				struct probe_function *ret, const char **ret_why)
{
	array_clear(&ret->sites);
	array_clear(&ret->parts);
	ret->tails = false;
	ret->followed = 0;
	free(ret->followed_names);
	ret->followed_names = NULL;
	ret->exit = exit;
	return endings[exit].plan(request, ret, ret_why);
}

/* How many of a function's entry and exits are single-stepped. */
static unsigned stepped(struct probe_price price)
{
	return (price.entry == INSN_STEPPED) + (price.exit == INSN_STEPPED);
}

/* Does the hook of a function see more of its calls, or for less? */
static bool is_worth_hooking(const struct probe_function *hooked, bool tails,
			     struct probe_price price)
{
	unsigned own = stepped(function_price(hooked)), other = stepped(price);

	return own < other || (own == other && tails);
}

enum plan_result ways_plan(const struct ways *w, const struct plan_request *request,
			   struct probe_function *ret, const char **ret_why)
{
	enum plan_result first = plan_by(w->first.exit, request, ret, ret_why);
	struct probe_price price = function_price(ret);
	bool tails = ret->tails;
	const char *why;

	if (w->second.exit == EXIT_NONE || first == PLAN_NO_FUNCTION ||
	    (first == PLAN_DONE && price.exit != INSN_STEPPED && !tails))
		return first;
	if (plan_by(w->second.exit, request, ret, &why) == PLAN_DONE &&
	    (first != PLAN_DONE || is_worth_hooking(ret, tails, price)))
		return PLAN_DONE;
	return plan_by(w->first.exit, request, ret, ret_why);
}
