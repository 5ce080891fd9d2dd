#include "probe/exits.h"

#define COVER_MAX 64   /* instructions before an exit that are looked at */
#define ENTRY_INSNS 64 /* of the entry block */

struct planner {
	struct flow *flow;
	const struct unwind_table *cfa;
	struct exit_plan *plan;
	bool open;	/* some jump may lead anywhere within */
	uint32_t check; /* index of the last jump that is taken where the stack is too
			   small, FLOW_NONE: none is */
};

static bool is_cheap(const struct insn *i)
{
	return i->price == INSN_EMULATED || i->price == INSN_NOP5;
}

static void refuse(struct planner *p, const char *why)
{
	if (!p->plan->refused)
		p->plan->refused = why;
}

static struct exit_site *site_at(struct exit_plan *plan, uint64_t address)
{
	for (uint32_t i = 0; i < plan->count; i++)
		if (plan->at[i].insn.address == address)
			return &plan->at[i];
	return NULL;
}

/* An exit if the condition holds; both of a pair: always. */
static bool add_exit(struct planner *p, const struct insn *insn, uint32_t cfa,
		     uint8_t condition)
{
	struct exit_site *s = site_at(p->plan, insn->address);

	if (!s && p->plan->count == EXIT_SITES_MAX)
		return false;
	if (!s) {
		s = array_add(p->plan);
		s->insn = *insn;
		s->cfa = cfa;
		s->condition = condition;
	} else if (!s->is_exit) {
		s->condition = condition;
	} else if (s->condition != condition) {
		s->condition = 0;
	}
	s->is_exit = true;
	return true;
}

/* An exit where the instruction before another one can carry it. */
static bool add_cheap(struct planner *p, uint32_t index, uint8_t condition)
{
	const struct insn *insn = &p->flow->at[index].insn;
	uint32_t cfa = unwind_find(p->cfa, insn->address);

	if (!is_cheap(insn) || !cfa_is_plain(cfa) || index == p->check)
		return false;
	/* what runs again and again would pay each time for the one that leaves */
	if (condition && flow_in_loop(p->flow, index))
		return false;
	return add_exit(p, insn, cfa, condition);
}

/* Instructions all of whose ways in have to be seen. */
struct cover {
	uint32_t at[COVER_MAX];
	uint32_t count;
};

static bool cover_add(struct cover *c, uint32_t index)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->at[i] == index)
			return true;
	if (c->count == COVER_MAX)
		return false;
	c->at[c->count++] = index;
	return true;
}

/* The way from the instruction before. */
static bool cover_before(struct planner *p, struct cover *c, uint32_t index)
{
	const struct insn *before = &p->flow->at[index - 1].insn;

	if (before->condition)
		return add_cheap(p, index - 1, INSN_OPPOSITE(before->condition));
	if (before->jumps || before->repeats)
		return false;
	return add_cheap(p, index - 1, 0) || cover_add(c, index - 1);
}

static bool cover_ways_in(struct planner *p, struct cover *c, uint32_t index)
{
	const struct flow_insn *at = &p->flow->at[index];
	uint32_t from = at->source;

	/* by a call, or in ways that are not known */
	if (!index || at->from_table || (!at->falls_in && from == FLOW_NONE))
		return false;
	if (at->falls_in && !cover_before(p, c, index))
		return false;
	for (; from != FLOW_NONE; from = p->flow->at[from].next_source)
		if (!add_cheap(p, from, p->flow->at[from].insn.condition))
			return false;
	return true;
}

/* Sees that all ways to an exit meet a cheap probe; false: one does not, and
 * nothing is added. */
static bool cover_exit(struct planner *p, uint32_t index)
{
	struct exit_plan *plan = p->plan;
	ARRAY(struct exit_site) before = { 0 };
	struct cover c = { { index }, 1 };
	bool covered = !p->open;

	for (uint32_t i = 0; i < plan->count; i++)
		array_push(&before, plan->at[i]);
	for (uint32_t i = 0; i < c.count && covered; i++)
		covered = cover_ways_in(p, &c, c.at[i]);
	/* sites are only added, and those that were there only lose their condition */
	if (!covered) {
		plan->count = before.count;
		for (uint32_t i = 0; i < before.count; i++)
			plan->at[i] = before.at[i];
	}
	array_done(&before);
	return covered;
}

/* At the exit itself the return address is at [SP], whatever the table says. */
static void plan_exit(struct planner *p, uint32_t index)
{
	const struct insn *insn = &p->flow->at[index].insn;
	uint32_t cfa = unwind_find(p->cfa, insn->address);
	bool trusted = cfa_is_same(cfa, RULE_ENTRY);

	if (!p->flow->at[index].reached && !trusted)
		return refuse(p, "it may hold something else than code");
	if (is_cheap(insn)) {
		if (!add_exit(p, insn, RULE_ENTRY, insn->condition))
			refuse(p, "it has too many exits");
		return;
	}
	if (trusted && cover_exit(p, index))
		return;
	if (insn->price == INSN_REFUSED)
		return refuse(p, "one of its exits is an instruction that carries no probe");
	if (!add_exit(p, insn, RULE_ENTRY, 0))
		return refuse(p, "it has too many exits");
	p->plan->exit_price = INSN_STEPPED;
}

/* A jump through a register: out, or within to an address that was computed. */
static void judge_indirect(struct planner *p, struct flow_insn *at)
{
	uint32_t cfa = unwind_find(p->cfa, at->insn.address);

	if (at->by_table)
		return;
	if (RULE_TYPE(cfa) == RULE_NONE)
		refuse(p, "it has a jump to a computed address, and no unwind table");
	else if (at->insn.notrack || !cfa_is_same(cfa, RULE_ENTRY))
		p->open = true;
	else if (at->insn.scaled)
		refuse(p, "a jump through an array of addresses may leave it or not");
	else
		at->leaves = true;
}

static void plan_exits(struct planner *p)
{
	struct flow *f = p->flow;

	for (uint32_t i = 0; i < f->count && !p->plan->refused; i++)
		if (f->at[i].insn.indirect)
			judge_indirect(p, &f->at[i]);
	for (uint32_t i = 0; i < f->count && !p->plan->refused; i++) {
		if (!f->at[i].insn.returns && !f->at[i].leaves)
			continue;
		if (f->at[i].followed) {
			p->plan->followed++;
			continue;
		}
		if (f->at[i].leaves)
			p->plan->tail_calls++;
		else
			p->plan->returns++;
		plan_exit(p, i);
	}
	if (!p->plan->returns && !p->plan->tail_calls && !p->plan->followed)
		refuse(p, "it has no exit: its calls do not come back");
}

/* To the call that has the stack grown, and from there to the entry.  Calls that do not
 * come back (panics) may lie before it. */
static bool leads_to_restart(const struct flow *f, uint32_t index)
{
	uint32_t calls = 0;

	for (uint32_t i = index, n = 0; i < f->count && n < ENTRY_INSNS; i++, n++) {
		const struct flow_insn *at = &f->at[i];

		if (at->restarts)
			return calls == 1;
		calls += at->insn.is_call;
		if (at->insn.jumps && (!at->insn.is_call || calls > 1))
			return false;
	}
	return false;
}

/* Where the last question is asked about the stack, before the call begins. */
static uint32_t find_check(const struct flow *f)
{
	uint32_t check = FLOW_NONE;

	for (uint32_t i = 0; i < f->count && i < ENTRY_INSNS; i++) {
		const struct flow_insn *at = &f->at[i];

		if (i && (!at->falls_in || at->source != FLOW_NONE || at->from_table))
			break;
		if (at->insn.condition && leads_to_restart(f, at->target))
			check = i;
		else if (at->insn.jumps)
			break;
	}
	return check;
}

/* The instruction that every call meets once, and no earlier than needed. */
static const struct insn *find_entry(struct planner *p, uint32_t *ret_cfa)
{
	const struct flow *f = p->flow;
	const struct insn *stepped = NULL;
	uint32_t stepped_cfa = 0;

	for (uint32_t i = 0; i < f->count && i < ENTRY_INSNS; i++) {
		const struct flow_insn *at = &f->at[i];
		uint32_t cfa = i ? unwind_find(p->cfa, at->insn.address) : RULE_ENTRY;

		if (i &&
		    (!at->falls_in || at->source != FLOW_NONE || at->from_table || p->open))
			break;
		if (cfa_is_plain(cfa) && is_cheap(&at->insn)) {
			*ret_cfa = cfa;
			return &at->insn;
		}
		if (cfa_is_plain(cfa) && !stepped && at->insn.price == INSN_STEPPED) {
			stepped = &at->insn;
			stepped_cfa = cfa;
		}
		if (at->insn.jumps)
			break;
	}
	*ret_cfa = stepped_cfa;
	return stepped;
}

static void plan_entry(struct planner *p)
{
	const struct flow_insn *first = &p->flow->at[0];
	const struct insn *insn;
	struct exit_site *s;
	uint32_t cfa;

	if (cfa_is_entry(p->cfa, first->insn.address) == CFA_NO)
		return refuse(p, "the stack is not that of a function's entry there");
	if (first->source != FLOW_NONE || first->from_table)
		return refuse(p, "its first instruction is also the head of a loop");
	if (p->check != FLOW_NONE) {
		insn = &p->flow->at[p->check].insn;
		cfa = unwind_find(p->cfa, insn->address);
		if (!cfa_is_plain(cfa) || !is_cheap(insn))
			return refuse(p, "it asks for stack in a way that is not known");
	} else {
		insn = find_entry(p, &cfa);
	}
	if (!insn)
		return refuse(p, "no instruction before its first branch can carry a probe");
	p->plan->entry_price = insn->price;
	s = site_at(p->plan, insn->address);
	if (!s)
		s = array_add(p->plan);
	s->insn = *insn;
	s->cfa = cfa;
	s->is_entry = true;
	if (p->check != FLOW_NONE)
		s->condition = INSN_OPPOSITE(insn->condition);
}

static int compare(const void *a, const void *b)
{
	const struct exit_site *left = a, *right = b;

	return left->insn.address < right->insn.address ? -1 : 1;
}

void exits_plan(struct flow *flow, const struct unwind_table *cfa, enum exit_scope scope,
		struct exit_plan *ret)
{
	struct planner p = { .flow = flow, .cfa = cfa, .plan = ret };

	if (flow->broken)
		return refuse(&p, flow->broken);
	p.check = find_check(flow);
	if (scope != ENTRY_ONLY)
		plan_exits(&p);
	if (!ret->refused && scope != EXITS_ONLY)
		plan_entry(&p);
	if (ret->count)
		qsort(ret->at, ret->count, sizeof(ret->at[0]), compare);
}

void exits_done(struct exit_plan *p)
{
	array_done(p);
}
