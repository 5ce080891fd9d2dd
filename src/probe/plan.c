#include "probe/plan.h"

#include "probe/body.h"
#include "probe/exits.h"
#include "probe/locate.h"

static enum plan_result fail(enum plan_result result, const char *why, const char **ret_why)
{
	*ret_why = why;
	return result;
}

static void place_entry(const struct plan_request *r, struct probe_function *ret,
			struct site_choice *choice)
{
	struct site entry = { .role = SITE_ENTRY };
	struct code_part part = { r->symbol->offset };

	locate_choose(r->decoder, r->image, r->symbol, r->exact, choice);
	if (choice->refused)
		return;
	entry.offset = r->symbol->offset + choice->offset;
	entry.price = choice->price;
	entry.insn = choice->insn;
	part.size = choice->offset + choice->length;
	array_push(&ret->sites, entry);
	array_push(&ret->parts, part);
}

enum plan_result plan_hook(const struct plan_request *r, struct probe_function *ret,
			   const char **ret_why)
{
	struct site_choice choice;

	place_entry(r, ret, &choice);
	if (choice.refused)
		return fail(PLAN_NO_PLACE, choice.refused, ret_why);
	if (!choice.sp_is_entry)
		return fail(PLAN_NO_FUNCTION, choice.no_end, ret_why);
	return choice.no_end ? fail(PLAN_NO_END, choice.no_end, ret_why) : PLAN_DONE;
}

enum plan_result plan_entry(const struct plan_request *r, struct probe_function *ret,
			    const char **ret_why)
{
	enum plan_result result = plan_hook(r, ret, ret_why);

	return result == PLAN_NO_END ? PLAN_DONE : result;
}

/* The entry's site comes first. */
static bool add_site(const struct plan_request *r, const struct exit_site *s,
		     struct probe_function *ret)
{
	struct site site = {
		.role = !s->is_exit   ? SITE_ENTRY
			: s->is_entry ? SITE_BOTH
				      : SITE_EXIT,
		.condition = s->condition,
		.cfa = s->cfa,
		.price = s->insn.price,
		.insn = s->insn.name,
	};

	if (!image_to_offset(r->image->image, s->insn.address, &site.offset) ||
	    !image_is_code(r->image->image, site.offset))
		return false;
	array_push(&ret->sites, site);
	if (s->is_entry && ret->sites.count > 1) {
		ret->sites.at[ret->sites.count - 1] = ret->sites.at[0];
		ret->sites.at[0] = site;
	}
	return true;
}

static void add_parts(const struct plan_request *r, const struct flow *flow,
		      struct probe_function *ret)
{
	for (uint32_t i = 0; i < flow->nr_parts; i++) {
		struct code_part part = { .size = flow->parts[i].size };

		image_to_offset(r->image->image, flow->parts[i].address, &part.offset);
		array_push(&ret->parts, part);
	}
}

static enum plan_result fill_exits(const struct plan_request *r, const struct flow *flow,
				   const struct exit_plan *plan, struct probe_function *ret,
				   const char **ret_why)
{
	if (plan->refused)
		return fail(PLAN_NO_END, plan->refused, ret_why);
	for (uint32_t i = 0; i < plan->count; i++)
		if (!add_site(r, &plan->at[i], ret))
			return fail(PLAN_NO_PLACE, "not in an executable part of the file",
				    ret_why);
	add_parts(r, flow, ret);
	ret->tails = plan->tail_calls > 0;
	return PLAN_DONE;
}

enum plan_result plan_exits(const struct plan_request *r, struct probe_function *ret,
			    const char **ret_why)
{
	const struct cfa_table *cfa = code_cfa(r->image);
	struct exit_plan plan = { 0 };
	struct site_choice choice;
	enum plan_result result;
	struct flow flow = { 0 };

	if (r->exact) {
		place_entry(r, ret, &choice);
		return choice.refused
			       ? fail(PLAN_NO_PLACE, choice.refused, ret_why)
			       : fail(PLAN_NO_END,
				      "a place within a function has no exits of its own",
				      ret_why);
	}
	if (!locate_is_entry(r->image, r->symbol, 0))
		return fail(PLAN_NO_FUNCTION,
			    "the stack is not that of a function's entry there", ret_why);
	body_read(r->decoder, r->image, r->symbol, &flow);
	exits_plan(&flow, cfa, &plan);
	result = fill_exits(r, &flow, &plan, ret, ret_why);
	exits_done(&plan);
	flow_done(&flow);
	return result;
}
