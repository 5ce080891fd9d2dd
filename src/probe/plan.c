#include "probe/plan.h"

#include "probe/goroutine.h"
#include "probe/locate.h"
#include "probe/match.h"
#include "probe/tails.h"

#define FOLLOWED_SHOWN 3

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
	entry.length = choice->jumps ? 0 : choice->length;
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

enum plan_result plan_bracket(const struct plan_request *r, struct probe_function *ret,
			      const char **ret_why)
{
	enum plan_result result = plan_entry(r, ret, ret_why);

	for (uint32_t i = 0; i < ret->sites.count; i++)
		ret->sites.at[i].cfa = RULE_ENTRY;
	return result;
}

/* Of what the thread goes on behind, or returns by. */
static uint8_t told_length(const struct exit_site *s)
{
	bool told = s->is_exit ? s->insn.returns && !s->is_entry : !s->insn.jumps;

	return told ? s->insn.length : 0;
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
		.length = told_length(s),
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

static bool add_sites(const struct plan_request *r, const struct exit_plan *plan,
		      struct probe_function *ret)
{
	for (uint32_t i = 0; i < plan->count; i++)
		if (!add_site(r, &plan->at[i], ret))
			return false;
	return true;
}

static void tell_followed(const struct tails *tails, struct probe_function *ret)
{
	struct text names = { 0 };

	ret->followed = tails->count - 1;
	for (uint32_t i = 1; i < tails->count && i <= FOLLOWED_SHOWN; i++) {
		text_add(&names, i > 1 ? ", " : "");
		match_name(tails->at[i].symbol->raw, &names);
	}
	if (ret->followed > FOLLOWED_SHOWN)
		text_format(&names, " and %u more", ret->followed - FOLLOWED_SHOWN);
	free(ret->followed_names);
	ret->followed_names = ret->followed ? mem_text(text_string(&names)) : NULL;
	text_done(&names);
}

static enum plan_result fill_exits(const struct plan_request *r, const struct tails *tails,
				   struct probe_function *ret, const char **ret_why)
{
	if (tails->at[0].plan.refused)
		return fail(PLAN_NO_END, tails->at[0].plan.refused, ret_why);
	for (uint32_t i = 0; i < tails->count; i++) {
		const struct tail_function *f = &tails->at[i];

		if (!add_sites(r, &f->plan, ret))
			return fail(PLAN_NO_PLACE, "not in an executable part of the file",
				    ret_why);
		add_parts(r, &f->flow, ret);
		ret->tails |= f->plan.tail_calls > 0;
	}
	tell_followed(tails, ret);
	return PLAN_DONE;
}

enum plan_result plan_exits(const struct plan_request *r, struct probe_function *ret,
			    const char **ret_why)
{
	struct tails tails = { 0 };
	struct site_choice choice;
	enum plan_result result;

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
	ret->layout = goroutine_layout_at(r->image, r->symbol->offset);
	tails_plan(r, &tails);
	result = fill_exits(r, &tails, ret, ret_why);
	tails_done(&tails);
	return result;
}
