#include "probe/tails.h"

#include "probe/body.h"
#include "probe/callers.h"
#include "probe/locate.h"

_Static_assert(TAIL_FUNCTIONS_MAX <= 32, "struct tail_function.next has a bit for each");

struct tailing {
	const struct plan_request *request;
	struct tails *all;
	bool too_many;
};

/* The function that an instruction leaves for, NULL: none, or it is not known. */
static const struct symbol *target_of(const struct tailing *t, const struct flow_insn *at)
{
	const struct code_image *image = t->request->image;
	const struct symbol *s;
	uint64_t offset;

	if (!at->leaves || !at->insn.has_target ||
	    !image_to_offset(image->image, at->insn.target, &offset))
		return NULL;
	s = symtab_find(image->symbols, offset);
	if (!s || s->offset != offset)
		return NULL;
	return s->kind == SYMBOL_FUNC || s->kind == SYMBOL_UNNAMED ? s : NULL;
}

static void plan(const struct tailing *t, struct tail_function *f, enum exit_scope scope)
{
	exits_done(&f->plan);
	f->plan = (struct exit_plan){ 0 };
	exits_plan(&f->flow, code_cfa(t->request->image), scope, &f->plan);
}

static void try_exits(const struct tailing *t, struct tail_function *f)
{
	plan(t, f, EXITS_ONLY);
	f->usable = !f->plan.refused;
}

static struct tail_function *add(struct tailing *t, const struct symbol *s)
{
	struct tail_function *f = array_add(t->all);

	f->symbol = s;
	return f;
}

static void add_target(struct tailing *t, const struct symbol *s)
{
	const struct plan_request *r = t->request;
	struct tail_function *f = add(t, s);
	uint32_t callers = callers_count(r->image, s);

	if (!locate_is_entry(r->image, s, 0) || callers > TAIL_CALLERS_MAX)
		return;
	body_read(r->decoder, r->image, s, &f->flow);
	try_exits(t, f);
	if (f->plan.exit_price == INSN_STEPPED && callers > TAIL_CALLERS_STEPPED_MAX)
		f->usable = false;
}

static uint32_t find(const struct tailing *t, const struct symbol *s)
{
	uint32_t i = 0;

	while (i < t->all->count && t->all->at[i].symbol->offset != s->offset)
		i++;
	return i;
}

/* Index of the function that an instruction goes on in; TAIL_FUNCTIONS_MAX: none. */
static uint32_t next_of(const struct tailing *t, const struct flow_insn *at)
{
	const struct symbol *s = target_of(t, at);
	uint32_t i = s ? find(t, s) : t->all->count;

	return i < t->all->count && t->all->at[i].usable ? i : TAIL_FUNCTIONS_MAX;
}

static void add_targets(struct tailing *t, uint32_t index)
{
	for (uint32_t i = 0; i < t->all->at[index].flow.count && !t->too_many; i++) {
		const struct symbol *s = target_of(t, &t->all->at[index].flow.at[i]);

		if (!s || find(t, s) < t->all->count)
			continue;
		t->too_many = t->all->count == TAIL_FUNCTIONS_MAX;
		if (!t->too_many)
			add_target(t, s);
	}
}

static void link_all(struct tailing *t)
{
	for (uint32_t i = 0; i < t->all->count; i++)
		for (uint32_t k = 0; k < t->all->at[i].flow.count; k++) {
			uint32_t to = next_of(t, &t->all->at[i].flow.at[k]);

			if (to < TAIL_FUNCTIONS_MAX)
				t->all->at[i].next |= 1u << to;
		}
}

/* What a function leads to in any number of jumps. */
static uint32_t reach_of(const struct tails *all, uint32_t index)
{
	uint32_t reach = all->at[index].next, before;

	do {
		before = reach;
		for (uint32_t i = 0; i < all->count; i++)
			if (reach & 1u << i)
				reach |= all->at[i].next;
	} while (reach != before);
	return reach;
}

/* Marks the jumps that are followed, and keeps only those in next. */
static void follow(struct tailing *t)
{
	uint32_t reach[TAIL_FUNCTIONS_MAX] = { 0 };

	for (uint32_t i = 0; i < t->all->count; i++)
		reach[i] = reach_of(t->all, i);
	for (uint32_t i = 0; i < t->all->count; i++) {
		struct tail_function *f = &t->all->at[i];

		f->next = 0;
		for (uint32_t k = 0; k < f->flow.count; k++) {
			uint32_t to = next_of(t, &f->flow.at[k]);

			if (to == TAIL_FUNCTIONS_MAX || reach[to] & 1u << i)
				continue;
			f->flow.at[k].followed = true;
			f->next |= 1u << to;
		}
	}
}

static void function_drop(struct tail_function *f)
{
	exits_done(&f->plan);
	flow_done(&f->flow);
}

/* Keeps the function itself and what it leads to by the jumps that are followed. */
static void keep_followed(struct tails *all)
{
	uint32_t keep = 1 | reach_of(all, 0), kept = 0;

	for (uint32_t i = 0; i < all->count; i++) {
		if (keep & 1u << i)
			all->at[kept++] = all->at[i];
		else
			function_drop(&all->at[i]);
	}
	all->count = kept;
}

static void follow_none(struct tails *all)
{
	struct tail_function *f = &all->at[0];

	for (uint32_t k = 0; k < f->flow.count; k++)
		f->flow.at[k].followed = false;
	f->next = 0;
	keep_followed(all);
}

/* Number of sites. */
static uint32_t plan_all(const struct tailing *t)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->all->count; i++) {
		plan(t, &t->all->at[i], i ? EXITS_ONLY : EXITS_AND_ENTRY);
		count += t->all->at[i].plan.count;
	}
	return count;
}

void tails_plan(const struct plan_request *request, struct tails *ret)
{
	struct tailing t = { .request = request, .all = ret };

	body_read(request->decoder, request->image, request->symbol,
		  &add(&t, request->symbol)->flow);
	for (uint32_t i = 0; i < ret->count && !t.too_many; i++)
		add_targets(&t, i);
	if (!t.too_many && ret->count > 1) {
		try_exits(&t, &ret->at[0]);
		link_all(&t);
		follow(&t);
	}
	keep_followed(ret);
	if (plan_all(&t) <= EXIT_SITES_MAX || ret->count == 1)
		return;
	follow_none(ret);
	plan_all(&t);
}

void tails_done(struct tails *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		function_drop(&t->at[i]);
	array_done(t);
}
