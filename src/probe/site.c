#include "probe/site.h"

#define ENTRY_INSNS 64		/* how far the entry block is followed */
#define FUNCTION_MAX (1u << 20) /* bytes that are scanned for branches */

static struct code_bytes main_part(const struct function_code *c)
{
	return (struct code_bytes){ c->bytes, c->size, c->address };
}

/* What branches of a function reach in [entry, entry + reach]. */
struct reach {
	uint64_t entry, reach;
	bool to_entry; /* a jump (not a call) to the entry itself */
	bool inside;   /* any branch to (entry, entry + reach] */
	bool indirect; /* a jump whose targets are not known */
	bool whole;    /* everything was decoded */
};

static void note_target(struct reach *r, const struct insn *i)
{
	if (!i->has_target)
		return;
	if (i->target == r->entry && !i->is_call)
		r->to_entry = true;
	if (i->target > r->entry && i->target <= r->entry + r->reach)
		r->inside = true;
}

static void scan_part(struct decoder *d, struct code_bytes at, struct reach *r)
{
	uint8_t popped = 0;
	struct insn i;

	/* pop %rcx; jmp *%rcx is how an unwinder returns */
	while (decoder_next(d, &at, &i)) {
		note_target(r, &i);
		r->indirect |= i.indirect && (!popped || i.through != popped);
		popped = i.pops;
	}
	if (at.left)
		r->whole = false;
}

static struct reach scan(struct decoder *d, const struct function_code *c, uint64_t reach)
{
	struct reach r = { .entry = c->address, .reach = reach, .whole = true };

	if (c->size > FUNCTION_MAX || c->cold_size > FUNCTION_MAX) {
		r.whole = false;
		return r;
	}
	scan_part(d, main_part(c), &r);
	if (c->cold)
		scan_part(d, (struct code_bytes){ c->cold, c->cold_size, c->cold_address }, &r);
	return r;
}

/* Walks the entry block; true when a cheap place was found, at *ret. */
static bool walk_entry(struct decoder *d, const struct function_code *c,
		       struct site_choice *first, struct site_choice *ret)
{
	struct code_bytes at = main_part(c);
	bool writes_sp;
	struct insn i;

	for (int n = 0; n < ENTRY_INSNS && at.left; n++) {
		struct site_choice here = { .offset = at.address - c->address,
					    .sp_is_entry = true };

		if (!decoder_next_sp(d, &at, &i, &writes_sp))
			return false;
		here.price = i.price;
		here.insn = i.name;
		here.length = i.length;
		here.jumps = i.jumps;
		here.moved = here.offset != 0;
		if (i.price <= INSN_NOP5) {
			*ret = here;
			return true;
		}
		/* Where it is stepped, if nothing cheap follows. */
		if (!here.offset || (first->refused && i.price == INSN_STEPPED)) {
			*first = here;
			first->refused = i.price == INSN_REFUSED ? i.name : NULL;
		}
		if (i.jumps || writes_sp)
			return false;
	}
	return false;
}

static void refuse(struct site_choice *s, const char *why)
{
	s->price = INSN_REFUSED;
	s->refused = why;
}

void site_entry(struct decoder *d, const struct function_code *c, struct site_choice *ret)
{
	struct site_choice first = { .price = INSN_REFUSED,
				     .refused = "not decodable",
				     .insn = "other" };
	struct site_choice cheap;
	bool found = walk_entry(d, c, &first, &cheap);
	const struct site_choice *best = found ? &cheap : &first;
	struct reach r = scan(d, c, best->offset);

	/* Nobody knows where an indirect jump goes: it might come back to here. */
	if (best->moved && (r.inside || r.indirect || !r.whole))
		best = &first;
	*ret = *best;
	ret->decoded = r.whole;
	if (ret->moved && (r.inside || r.indirect || !r.whole))
		refuse(ret, "no instruction that can carry a probe before the first branch");
	if (r.to_entry)
		refuse(ret, "its first instruction is also the head of a loop");
}

void site_exact(struct decoder *d, const struct function_code *c, uint64_t offset,
		struct site_choice *ret)
{
	struct site_choice s = { .offset = offset, .sp_is_entry = true, .moved = false };
	struct code_bytes at = main_part(c);
	bool writes_sp;
	struct insn i;

	while (decoder_next_sp(d, &at, &i, &writes_sp)) {
		if (i.address - c->address > offset)
			break;
		if (i.address - c->address == offset) {
			s.price = i.price;
			s.insn = i.name;
			s.length = i.length;
			s.jumps = i.jumps;
			s.decoded = true;
			if (i.price == INSN_REFUSED)
				s.refused = i.name;
			*ret = s;
			return;
		}
		/* beyond the entry block SP is not followed */
		if (i.jumps || writes_sp)
			s.sp_is_entry = false;
	}
	s.insn = "other";
	refuse(&s, "not the start of an instruction");
	*ret = s;
}
