#include "probe/insn.h"

#include <string.h>

/* The bytes of an instruction taken apart as far as probes care. */
struct parts {
	bool lock, segment, notrack, size16, rep, vector;
	uint8_t rex;		/* 0 = there is none */
	uint8_t opcode, second; /* second only behind 0x0f */
	uint8_t modrm, sib;	/* 0 when there is none left */
	size_t at;		/* of the opcode */
};

static bool is_prefix(uint8_t b, struct parts *p)
{
	switch (b) {
	case 0xf0:
		return p->lock = true;
	case 0x3e:
		return p->segment = p->notrack = true;
	case 0x26:
	case 0x2e:
	case 0x36:
		return p->segment = true;
	case 0x66:
		return p->size16 = true;
	case 0xf2:
	case 0xf3:
		return p->rep = true;
	case 0x64:
	case 0x65:
	case 0x67:
		return true;
	}
	return false;
}

static struct parts take_apart(const uint8_t *bytes, size_t length)
{
	struct parts p = { 0 };
	size_t i = 0;

	while (i < length && is_prefix(bytes[i], &p))
		i++;
	if (i < length && (bytes[i] & 0xf0) == 0x40) {
		p.rex = bytes[i];
		i++;
	}
	p.at = i;
	if (i >= length)
		return p;
	p.opcode = bytes[i++];
	p.vector = p.opcode == 0xc4 || p.opcode == 0xc5 || p.opcode == 0x62;
	if (p.opcode == 0x0f && i < length)
		p.second = bytes[i++];
	if (i < length)
		p.modrm = bytes[i];
	if (i + 1 < length)
		p.sib = bytes[i + 1];
	/* 8f with a map above 7 is XOP (AMD), else pop */
	if (p.opcode == 0x8f && (p.modrm & 0x1f) >= 8)
		p.vector = true;
	return p;
}

/* One-byte opcodes the kernel does not take (good_insns_64[]), by name. */
static const char *refused_opcode(uint8_t opcode)
{
	switch (opcode) {
	case 0xcc:
		return "int3";
	case 0xcd:
	case 0xf1:
		return "int";
	case 0xf4:
		return "hlt";
	case 0xcf:
		return "iret";
	case 0xfa:
	case 0xfb:
		return "cli or sti";
	case 0x6c ... 0x6f:
	case 0xe4 ... 0xe7:
	case 0xec ... 0xef:
		return "port access";
	case 0xca:
	case 0xcb:
		return "far return";
	case 0x06:
	case 0x07:
	case 0x0e:
	case 0x16:
	case 0x17:
	case 0x1e:
	case 0x1f:
	case 0x27:
	case 0x2f:
	case 0x37:
	case 0x3f:
	case 0x60:
	case 0x61:
	case 0x82:
	case 0x9a:
	case 0xce:
	case 0xd4 ... 0xd6:
	case 0xea:
		return "invalid instruction";
	}
	return NULL;
}

/* Why no probe may stand here, NULL if one may. */
static const char *refusal(const struct parts *p)
{
	if (p->lock)
		return "lock prefix";
	if (p->segment)
		return "segment prefix";
	/* Those with opcode bytes of jcc, call or jmp are emulated as such: the target
	 * would compute wrong values. */
	if (p->vector)
		return "vector instruction";
	if (p->opcode == 0x0f && (p->second == 0x05 || p->second == 0x34 || p->second == 0x07))
		return "syscall"; /* steps into the kernel: the target dies */
	if (p->opcode == 0x0f && p->second == 0x0b)
		return "ud2";
	if (p->opcode == 0x0f && p->second == 0x01)
		return "system instruction";
	if (p->opcode == 0xc7 && p->modrm == 0xf8)
		return "transaction";
	/* call, jmp and jcc of 16 bits mean different things on Intel and AMD */
	if (p->size16 && (p->opcode == 0xe8 || p->opcode == 0xe9 ||
			  (p->opcode == 0x0f && (p->second & 0xf0) == 0x80)))
		return "16-bit branch";
	return refused_opcode(p->opcode);
}

static bool is_nop5(const uint8_t *b, size_t length)
{
	return length == 5 && b[0] == 0x0f && b[1] == 0x1f && b[2] == 0x44 && b[3] == 0x00;
}

static enum insn_price price_of(const struct parts *p, size_t length)
{
	uint8_t op = p->opcode;

	if ((op & 0xf8) == 0x50 && !p->size16)
		return INSN_EMULATED;
	if (op == 0xe8 || op == 0xe9 || op == 0xeb || (op & 0xf0) == 0x70)
		return INSN_EMULATED;
	if (op == 0x90 && !(p->rex))
		return INSN_EMULATED;
	if (op == 0x0f && (p->second & 0xf0) == 0x80)
		return INSN_EMULATED;
	if (op == 0x0f && p->second == 0x1f && length <= 8)
		return INSN_EMULATED;
	return INSN_STEPPED;
}

static int64_t relative(const uint8_t *end, unsigned size)
{
	int32_t wide;

	if (size == 1)
		return (int8_t)end[-1];
	memcpy(&wide, end - 4, sizeof(wide));
	return wide;
}

static void set_target(struct insn *i, const uint8_t *bytes, size_t length, uint64_t address,
		       unsigned size)
{
	i->jumps = i->has_target = true;
	i->target = address + length + (uint64_t)relative(bytes + length, size);
}

/* [index * 2^scale + ...]: SDM 2.1.5, table 2-3. */
static bool has_scale(const struct parts *p, unsigned scale)
{
	return (p->modrm & 7) == 4 && p->modrm < 0xc0 && p->sib >> 6 == scale &&
	       (p->sib >> 3 & 7) != 4;
}

/* What it names or reads that may be a table of jumps. */
static void judge_table(struct insn *i, const struct parts *p, const uint8_t *bytes,
			size_t length, uint64_t address)
{
	int32_t wide;

	i->notrack = i->indirect && p->notrack;
	i->scaled = i->indirect && has_scale(p, 3);
	i->relative = p->opcode == 0x63 && p->rex && has_scale(p, 2);
	if (length < 6 || p->vector)
		return;
	memcpy(&wide, bytes + length - 4, sizeof(wide));
	if (p->opcode == 0x8d && (p->modrm & 0xc7) == 0x05)
		i->target = address + length + (uint64_t)(int64_t)wide;
	else if (i->scaled && (p->modrm & 0xc7) == 0x04 && (p->sib & 7) == 5)
		i->target = (uint64_t)(int64_t)wide;
	i->has_address = i->target != 0;
}

/* REX.B: Intel SDM 2.2.1.2. */
static uint8_t register_of(const struct parts *p, uint8_t low)
{
	return low + (p->rex & 1 ? 8 : 0);
}

/* jmp and call through a register or memory: group 5. */
static void judge_group5(struct insn *i, const struct parts *p)
{
	unsigned which = p->modrm >> 3 & 7;

	if (which == 2 || which == 3) {
		i->jumps = i->is_call = true;
		i->name = "call";
	} else if (which == 4 || which == 5) {
		i->jumps = i->ends = true;
		i->name = "jmp";
		i->by_slot = (p->modrm & 0xc7) == 0x05;
		i->indirect = !i->by_slot;
		if (p->modrm >= 0xc0)
			i->through = 1 + register_of(p, p->modrm & 7);
	} else if (which == 6) {
		i->name = "push";
	}
}

static void judge_flow(struct insn *i, const struct parts *p, const uint8_t *bytes,
		       size_t length, uint64_t address)
{
	uint8_t op = p->opcode;

	if (p->vector)
		return;
	if ((op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3)) {
		set_target(i, bytes, length, address, 1);
		i->name = op < 0x80 ? "jcc" : "loop";
		i->condition = op < 0x80 ? INSN_CONDITION(op) : 0;
	} else if (op == 0xeb || op == 0xe9) {
		set_target(i, bytes, length, address, op == 0xeb ? 1 : 4);
		i->ends = true;
		i->name = "jmp";
	} else if (op == 0xe8) {
		set_target(i, bytes, length, address, 4);
		i->is_call = true;
		i->name = "call";
	} else if (op == 0x0f && (p->second & 0xf0) == 0x80) {
		set_target(i, bytes, length, address, 4);
		i->name = "jcc";
		i->condition = INSN_CONDITION(p->second);
	} else if (op == 0xc3 || op == 0xc2 || op == 0xcb || op == 0xca || op == 0xcf) {
		i->jumps = i->ends = true;
		i->returns = op == 0xc3 || op == 0xc2;
		i->name = "ret";
	} else if (op == 0xff) {
		judge_group5(i, p);
	} else if (op == 0xf4 || (op == 0x0f && p->second == 0x0b)) {
		i->jumps = i->ends = true;
	} else if (op == 0x0f && (p->second == 0x05 || p->second == 0x34)) {
		i->jumps = true;
	}
}

struct insn insn_judge(const uint8_t *bytes, size_t length, uint64_t address)
{
	struct parts p = take_apart(bytes, length);
	struct insn i = { .address = address, .length = length, .name = "other" };
	const char *why = refusal(&p);

	if (!p.vector && (p.opcode & 0xf8) == 0x50)
		i.name = "push";
	else if (p.opcode == 0x90 || (p.opcode == 0x0f && p.second == 0x1f))
		i.name = "nop";
	if (!p.vector && (p.opcode & 0xf8) == 0x58)
		i.pops = 1 + register_of(&p, p.opcode & 7);
	judge_flow(&i, &p, bytes, length, address);
	if (!i.has_target)
		judge_table(&i, &p, bytes, length, address);
	i.locked = p.lock;
	i.pads = p.opcode == 0xcc || (p.opcode == 0x90 && !p.rex) ||
		 (p.opcode == 0x0f && p.second == 0x1f);
	/* movs, cmps, stos, lods, scas */
	i.repeats = p.rep && ((p.opcode >= 0xa4 && p.opcode <= 0xa7) ||
			      (p.opcode >= 0xaa && p.opcode <= 0xaf));
	i.price = price_of(&p, length);
	if (is_nop5(bytes, length)) {
		i.price = INSN_NOP5;
		i.name = "nop5";
	}
	if (why) {
		i.price = INSN_REFUSED;
		i.name = why;
	}
	return i;
}
