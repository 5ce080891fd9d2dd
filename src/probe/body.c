#include "probe/body.h"

#include "probe/match.h"

#include <string.h>

#define GROWS_STACK "runtime.morestack" /* also _noctxt, .abi0 */

struct body {
	struct decoder *decoder;
	struct code_image *image;
	struct flow *flow;
};

static size_t read_at(void *context, uint64_t address, void *to, size_t size)
{
	const struct image *image = context;
	uint64_t offset;

	return image_to_offset(image, address, &offset) ? image_read(image, offset, to, size)
							: 0;
}

static void fail(struct body *b, const char *why)
{
	if (!b->flow->broken)
		b->flow->broken = why;
}

static bool read_part(struct body *b, const struct symbol *s, struct flow *to)
{
	uint64_t size = s->size < FLOW_BYTES_MAX ? s->size : FLOW_BYTES_MAX + 1, address;
	AUTO_FREE uint8_t *bytes = mem_alloc(size ? size : 1);
	struct code_bytes code = { bytes, 0, 0 };

	if (!size || !image_to_address(b->image->image, s->offset, &address) ||
	    image_read(b->image->image, s->offset, bytes, size) != size)
		return false;
	code.left = size;
	code.address = address;
	flow_add_part(to, b->decoder, code);
	return true;
}

static void add_part(struct body *b, const struct symbol *s)
{
	if (!read_part(b, s, b->flow))
		fail(b, "its size is not known, or the file ends within it");
}

/* Does code without a name jump into the middle of this function? */
static bool comes_back(struct body *b, const struct symbol *s)
{
	struct flow other = { 0 };
	bool back = false;

	if (read_part(b, s, &other) && !other.broken)
		for (uint32_t i = 0; i < other.count && !back; i++) {
			const struct insn *insn = &other.at[i].insn;

			back = insn->has_target && !insn->is_call &&
			       insn->target != b->flow->at[0].insn.address &&
			       flow_holds(b->flow, insn->target);
		}
	flow_done(&other);
	return back;
}

/* A jump that no part holds the target of: to another part, or to another
 * function. */
static void judge_jump(struct body *b, uint32_t index)
{
	const struct insn *insn = &b->flow->at[index].insn;
	uint32_t rule = unwind_find(code_cfa(b->image), insn->address);
	const struct symbol *s = code_function_at(b->image, insn->target);
	bool part, known = RULE_TYPE(rule) != RULE_NONE;

	if (s && s->kind == SYMBOL_UNNAMED)
		part = known && !cfa_is_same(rule, RULE_ENTRY) ? true : comes_back(b, s);
	else
		part = s && match_is_cold(s->raw);
	if (part)
		add_part(b, s);
	else if (!known)
		fail(b, "it jumps out, and no unwind table says with what stack");
	else if (!cfa_is_same(rule, RULE_ENTRY))
		fail(b, "it jumps into the middle of other code");
	else
		b->flow->at[index].leaves = true;
}

static bool grows_stack(struct body *b, const struct insn *call)
{
	const struct symbol *s =
		call->has_target ? code_function_at(b->image, call->target) : NULL;

	return s && !strncmp(s->raw, GROWS_STACK, strlen(GROWS_STACK));
}

/* The jump back to the entry behind a call that has the stack grown; between the two
 * the arguments are brought back. */
static void judge_restart(struct body *b, uint32_t index)
{
	struct flow *f = b->flow;
	uint32_t i = index;

	if (f->at[index].insn.target != f->at[0].insn.address || f->at[index].insn.condition)
		return;
	while (i > 0 && !f->at[i - 1].insn.jumps)
		i--;
	f->at[index].restarts =
		i > 0 && f->at[i - 1].insn.is_call && grows_stack(b, &f->at[i - 1].insn);
}

void body_read(struct decoder *d, struct code_image *image, const struct symbol *symbol,
	       struct flow *flow)
{
	struct body b = { d, image, flow };
	const struct symbol *cold = code_cold_part(image, symbol);

	add_part(&b, symbol);
	if (cold && flow->count)
		add_part(&b, cold);
	for (uint32_t i = 0; i < flow->count && !flow->broken; i++) {
		const struct insn *insn = &flow->at[i].insn;

		if (insn->by_slot)
			flow->at[i].leaves = true;
		else if (insn->has_target && !insn->is_call && !flow_holds(flow, insn->target))
			judge_jump(&b, i);
		else if (insn->has_target && !insn->is_call)
			judge_restart(&b, i);
	}
	flow_link(flow);
	flow_add_tables(flow, read_at, image->image);
	flow_reach(flow);
}
