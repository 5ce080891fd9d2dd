#include "probe/pick.h"

#include "probe/locate.h"
#include "probe/plan.h"

#include <stdio.h>
#include <string.h>

#define NAMES_SHOWN 3
#define REASONS_SHOWN 6

/* Functions that are left out for one reason. */
struct reason {
	const char *text; /* static */
	enum plan_result result;
	uint32_t count;
	struct text names;
};

struct picking {
	struct probe *p;
	const struct pick_option *option;
	struct ways ways; /* none, once a function has refused all that were allowed */
	ARRAY(struct reason) reasons;
	uint32_t left_out, tails, followed;
};

static void add_reason(struct picking *k, const struct probe_function *f,
		       enum plan_result result, const char *why)
{
	struct reason *r = NULL;

	for (uint32_t i = 0; i < k->reasons.count && !r; i++)
		if (!strcmp(k->reasons.at[i].text, why))
			r = &k->reasons.at[i];
	if (!r) {
		r = array_add(&k->reasons);
		r->text = why;
		r->result = result;
	}
	if (r->count < NAMES_SHOWN)
		text_format(&r->names, "%s%.200s", r->count ? ", " : "", f->name);
	r->count++;
	k->left_out++;
}

/* The ends of this function cannot be seen; its entry may still be probed. */
static void refuse_end(struct picking *k, const struct probe_function *f, const char *why)
{
	struct judgement *first = &k->ways.first, *second = &k->ways.second;
	char refused[sizeof(first->reason)];

	if (first->exit == EXIT_NONE)
		return;
	snprintf(refused, sizeof(refused), "no %s on %.100s: %.150s%s%.120s",
		 ending_of(first->exit)->phrase, f->name, why,
		 second->exit == EXIT_NONE && second->reason[0] ? "; no return hook: " : "",
		 second->exit == EXIT_NONE ? second->reason : "");
	snprintf(first->reason, sizeof(first->reason), "%s", refused);
	first->exit = second->exit = EXIT_NONE;
}

/* true: the function is the probe's. */
static bool accept(struct picking *k, const struct probe_function *f, enum plan_result result,
		   const char *why)
{
	if (result == PLAN_DONE)
		return true;
	if (k->option->pattern && result == PLAN_NO_FUNCTION)
		return false;
	/* of copies, those that carry a probe are watched */
	if (k->option->pattern || result == PLAN_NO_PLACE) {
		add_reason(k, f, result, why);
		return false;
	}
	refuse_end(k, f, why);
	return true;
}

static int pick_one(struct picking *k, const struct plan_request *request, struct error *err)
{
	struct probe_function f = { 0 };
	enum plan_result result;
	const char *why = NULL;
	int stale;

	function_init(request->image, request->symbol, &f);
	result = ways_plan(&k->ways, request, &f, &why);
	stale = locate_check_memory(request->image, &f, err);
	if (stale && k->option->pattern) {
		result = PLAN_NO_PLACE;
		why = "its code in memory is not what the file holds";
		stale = 0;
	}
	if (!stale && accept(k, &f, result, why)) {
		k->tails += f.tails;
		k->followed += f.followed > 0;
		array_push(&k->p->functions, f);
		return 0;
	}
	function_done(&f);
	return stale;
}

static int pick_all(struct picking *k, struct code *code, const struct match_list *all,
		    struct error *err)
{
	struct plan_request request = { .decoder = decoder_new(), .exact = k->option->exact };
	int ret = 0;

	for (uint32_t i = 0; i < all->count && !ret; i++) {
		request.image = &code->at[all->at[i].image];
		request.symbol = all->at[i].symbol;
		if (request.symbol->kind != SYMBOL_IFUNC)
			ret = pick_one(k, &request, err);
	}
	decoder_free(request.decoder);
	return ret;
}

/* Nothing is left of it. */
static int fail_all(const struct picking *k, struct error *err)
{
	const struct reason *r = &k->reasons.at[k->reasons.count - 1];
	const char *names = text_string(&r->names);

	if (r->result == PLAN_NO_PLACE)
		return error_set(err, EADDRNOTAVAIL, "'%.200s' cannot be probed at %.200s: %s",
				 k->p->place, names, r->text);
	return error_set(err, EPERM,
			 "nothing that '%.200s' stands for can be watched by %s; %.200s: %s%s",
			 k->p->place, ending_of(k->ways.first.exit)->phrase, names, r->text,
			 r->result == PLAN_NO_END && k->ways.first.exit == EXIT_SITES
				 ? " (--exit bracket estimates when calls end)"
				 : "");
}

static int by_count(const void *a, const void *b)
{
	const struct reason *left = a, *right = b;

	return (left->count < right->count) - (left->count > right->count);
}

static char *tell_left_out(struct picking *k)
{
	struct text to = { 0 };
	uint32_t shown = k->reasons.count < REASONS_SHOWN ? k->reasons.count : REASONS_SHOWN;
	uint32_t rest = k->left_out;

	if (!k->left_out)
		return NULL;
	qsort(k->reasons.at, k->reasons.count, sizeof(k->reasons.at[0]), by_count);
	text_format(&to, "%u left out: ", k->left_out);
	for (uint32_t i = 0; i < shown; i++) {
		const struct reason *r = &k->reasons.at[i];

		text_format(&to, "%s%s", i ? "; " : "", text_string(&r->names));
		if (r->count > NAMES_SHOWN)
			text_format(&to, " and %u more", r->count - NAMES_SHOWN);
		text_format(&to, " (%s)", r->text);
		rest -= r->count;
	}
	if (rest)
		text_format(&to, "; %u for other reasons", rest);
	return to.bytes;
}

static void add_copies(const struct probe *p, struct text *to)
{
	bool part = false;

	text_format(to, "%u copies of one function", p->functions.count);
	for (uint32_t i = 0; i < p->functions.count; i++) {
		if (i < 4)
			text_format(to, "%s%s", i ? ", " : ": ", p->functions.at[i].symbol);
		part |= strstr(p->functions.at[i].symbol, ".part.") != NULL;
	}
	if (part)
		text_add(to, "; a call that goes on into the .part counts as two, one within "
			     "the other");
}

/* By the way that most would take, if any takes it. */
static void conclude(struct picking *k)
{
	const struct probe *p = k->p;

	k->p->judgement = k->ways.first;
	for (uint32_t i = 0; i < p->functions.count; i++)
		if (p->functions.at[i].exit == k->ways.first.exit)
			return;
	if (k->ways.second.exit != EXIT_NONE)
		k->p->judgement = k->ways.second;
}

static uint32_t count_others(const struct probe *p)
{
	uint32_t others = 0;

	for (uint32_t i = 0; i < p->functions.count; i++)
		others += p->functions.at[i].exit != p->judgement.exit;
	return others;
}

/* Where calls go on in, or end by a jump to, another function. */
static void tell_tails(const struct picking *k, struct text *to)
{
	bool one = k->p->functions.count == 1;

	if (k->followed)
		text_add(to, to->size ? "; " : "");
	if (k->followed && one)
		text_format(to,
			    "it may go on in what it jumps to: %.300s (exits are probed "
			    "there, at each of their calls)",
			    k->p->functions.at[0].followed_names);
	else if (k->followed)
		text_format(to,
			    "%u of them may go on in what they jump to (exits are probed "
			    "there, at each of their calls)",
			    k->followed);
	if (k->tails)
		text_add(to, to->size ? "; " : "");
	if (k->tails && one)
		text_add(to, "it may end by a jump to another function, whose time is not in "
			     "its calls");
	else if (k->tails)
		text_format(to,
			    "%u of them may end by a jump to another function, whose time "
			    "is not in their calls",
			    k->tails);
}

static char *tell(const struct picking *k)
{
	struct text to = { 0 };
	uint32_t count = k->p->functions.count, others = count_others(k->p);

	if (count > 1 && k->option->pattern)
		text_format(&to, "%u functions", count);
	else if (count > 1)
		add_copies(k->p, &to);
	if (others && k->ways.second.exit != EXIT_NONE)
		text_format(&to, "%s%u by %s", to.size ? "; " : "", others,
			    ending_of(k->ways.second.exit)->phrase);
	tell_tails(k, &to);
	return to.bytes;
}

int pick_functions(struct code *code, const struct match_list *all,
		   const struct pick_option *option, struct probe *p, struct error *err)
{
	struct picking k = { .p = p, .option = option, .ways = option->ways };
	int ret = pick_all(&k, code, all, err);

	if (!ret && !p->functions.count && k.left_out)
		ret = fail_all(&k, err);
	conclude(&k);
	if (!ret) {
		p->note = tell(&k);
		p->left_out = tell_left_out(&k);
	}
	for (uint32_t i = 0; i < k.reasons.count; i++)
		text_done(&k.reasons.at[i].names);
	array_done(&k.reasons);
	return ret;
}
