#include "probe/site.h"

#include "base/mem.h"

#include <capstone/capstone.h>
#include <string.h>

#define ENTRY_INSNS 64		/* how far the entry block is followed */
#define FUNCTION_MAX (1u << 20) /* bytes that are scanned for branches */

struct site_finder {
	csh plain;  /* lengths only: fast */
	csh detail; /* with the registers that are written */
	cs_insn *insn, *detailed;
};

struct site_finder *site_finder_new(void)
{
	struct site_finder *f = NEW(struct site_finder);

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &f->plain) ||
	    cs_open(CS_ARCH_X86, CS_MODE_64, &f->detail) ||
	    cs_option(f->detail, CS_OPT_DETAIL, CS_OPT_ON)) {
		site_finder_free(f);
		return NULL;
	}
	f->insn = cs_malloc(f->plain);
	f->detailed = cs_malloc(f->detail);
	return f;
}

void site_finder_free(struct site_finder *f)
{
	if (!f)
		return;
	if (f->insn)
		cs_free(f->insn, 1);
	if (f->detailed)
		cs_free(f->detailed, 1);
	if (f->plain)
		cs_close(&f->plain);
	if (f->detail)
		cs_close(&f->detail);
	free(f);
}

static bool writes_sp(const struct site_finder *f, const cs_insn *insn)
{
	cs_regs read, written;
	uint8_t nr_read = 0, nr_written = 0;

	if (cs_regs_access(f->detail, insn, read, &nr_read, written, &nr_written))
		return true;
	for (unsigned i = 0; i < nr_written; i++)
		if (written[i] == X86_REG_RSP || written[i] == X86_REG_ESP ||
		    written[i] == X86_REG_SP || written[i] == X86_REG_SPL)
			return true;
	return false;
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

static void scan_part(struct site_finder *f, const uint8_t *bytes, uint64_t size,
		      uint64_t address, struct reach *r)
{
	size_t left = size;

	while (left && cs_disasm_iter(f->plain, &bytes, &left, &address, f->insn)) {
		struct insn i = insn_judge(f->insn->bytes, f->insn->size, f->insn->address);

		note_target(r, &i);
		r->indirect |= i.indirect;
	}
	if (left)
		r->whole = false;
}

static struct reach scan(struct site_finder *f, const struct function_code *c, uint64_t reach)
{
	struct reach r = { .entry = c->address, .reach = reach, .whole = true };

	if (c->size > FUNCTION_MAX || c->cold_size > FUNCTION_MAX) {
		r.whole = false;
		return r;
	}
	scan_part(f, c->bytes, c->size, c->address, &r);
	if (c->cold)
		scan_part(f, c->cold, c->cold_size, c->cold_address, &r);
	return r;
}

/* Walks the entry block; true when a cheap place was found, at *ret. */
static bool walk_entry(struct site_finder *f, const struct function_code *c,
		       struct site_choice *first, struct site_choice *ret)
{
	const uint8_t *bytes = c->bytes;
	uint64_t address = c->address;
	size_t left = c->size;

	for (int n = 0; n < ENTRY_INSNS && left; n++) {
		struct site_choice here = { .offset = address - c->address,
					    .sp_is_entry = true };
		struct insn i;

		if (!cs_disasm_iter(f->detail, &bytes, &left, &address, f->detailed))
			return false;
		i = insn_judge(f->detailed->bytes, f->detailed->size, f->detailed->address);
		here.price = i.price;
		here.insn = i.name;
		here.length = f->detailed->size;
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
		if (i.jumps || writes_sp(f, f->detailed))
			return false;
	}
	return false;
}

static void refuse(struct site_choice *s, const char *why)
{
	s->price = INSN_REFUSED;
	s->refused = why;
}

void site_entry(struct site_finder *f, const struct function_code *c, struct site_choice *ret)
{
	struct site_choice first = { .price = INSN_REFUSED,
				     .refused = "not decodable",
				     .insn = "other" };
	struct site_choice cheap;
	bool found = walk_entry(f, c, &first, &cheap);
	const struct site_choice *best = found ? &cheap : &first;
	struct reach r = scan(f, c, best->offset);

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

void site_exact(struct site_finder *f, const struct function_code *c, uint64_t offset,
		struct site_choice *ret)
{
	struct site_choice s = { .offset = offset, .sp_is_entry = true, .moved = false };
	const uint8_t *bytes = c->bytes;
	uint64_t address = c->address;
	size_t left = c->size;

	while (left && cs_disasm_iter(f->detail, &bytes, &left, &address, f->detailed)) {
		uint64_t at = f->detailed->address - c->address;
		struct insn i =
			insn_judge(f->detailed->bytes, f->detailed->size, f->detailed->address);

		if (at > offset)
			break;
		if (at == offset) {
			s.price = i.price;
			s.insn = i.name;
			s.length = f->detailed->size;
			s.decoded = true;
			if (i.price == INSN_REFUSED)
				s.refused = i.name;
			*ret = s;
			return;
		}
		/* beyond the entry block SP is not followed */
		if (i.jumps || writes_sp(f, f->detailed))
			s.sp_is_entry = false;
	}
	s.insn = "other";
	refuse(&s, "not the start of an instruction");
	*ret = s;
}
