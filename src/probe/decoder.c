#include "probe/decoder.h"

#include "base/mem.h"

#include <capstone/capstone.h>

struct decoder {
	csh plain;  /* lengths only: fast */
	csh detail; /* with the registers that are written */
	cs_insn *insn, *detailed;
};

struct decoder *decoder_new(void)
{
	struct decoder *d = NEW(struct decoder);

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &d->plain) ||
	    cs_open(CS_ARCH_X86, CS_MODE_64, &d->detail) ||
	    cs_option(d->detail, CS_OPT_DETAIL, CS_OPT_ON)) {
		decoder_free(d);
		return NULL;
	}
	d->insn = cs_malloc(d->plain);
	d->detailed = cs_malloc(d->detail);
	return d;
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	if (d->insn)
		cs_free(d->insn, 1);
	if (d->detailed)
		cs_free(d->detailed, 1);
	if (d->plain)
		cs_close(&d->plain);
	if (d->detail)
		cs_close(&d->detail);
	free(d);
}

/*
 * The instructions of shadow stacks, which code that leaves frames executes (unwinders,
 * longjmp) and older disassemblers do not know: RDSSP (F3 0F 1E /1), INCSSP (F3 0F AE
 * /5), of a register, REX between (Intel SDM 2, chapter 4).  Its length, 0 = it is none.
 */
static unsigned shadow_length(const struct code_bytes *at)
{
	const uint8_t *b = at->bytes;
	unsigned rex = at->left > 1 && (b[1] & 0xf0) == 0x40, length = 4 + rex;
	uint8_t operand;

	if (at->left < length || b[0] != 0xf3 || b[1 + rex] != 0x0f)
		return 0;
	operand = b[3 + rex] & 0xf8; /* mod and reg */
	return (b[2 + rex] == 0x1e && operand == 0xc8) ||
			       (b[2 + rex] == 0xae && operand == 0xe8)
		       ? length
		       : 0;
}

static bool next_shadow(struct code_bytes *at, struct insn *ret)
{
	unsigned length = shadow_length(at);

	if (!length)
		return false;
	*ret = insn_judge(at->bytes, length, at->address);
	at->bytes += length;
	at->left -= length;
	at->address += length;
	return true;
}

static bool next(csh handle, cs_insn *decoded, struct code_bytes *at, struct insn *ret)
{
	if (!at->left || !cs_disasm_iter(handle, &at->bytes, &at->left, &at->address, decoded))
		return false;
	*ret = insn_judge(decoded->bytes, decoded->size, decoded->address);
	return true;
}

bool decoder_next(struct decoder *d, struct code_bytes *at, struct insn *ret)
{
	return next_shadow(at, ret) || next(d->plain, d->insn, at, ret);
}

static bool writes_sp(const struct decoder *d)
{
	cs_regs read, written;
	uint8_t nr_read = 0, nr_written = 0;

	if (cs_regs_access(d->detail, d->detailed, read, &nr_read, written, &nr_written))
		return true;
	for (unsigned i = 0; i < nr_written; i++)
		if (written[i] == X86_REG_RSP || written[i] == X86_REG_ESP ||
		    written[i] == X86_REG_SP || written[i] == X86_REG_SPL)
			return true;
	return false;
}

bool decoder_next_sp(struct decoder *d, struct code_bytes *at, struct insn *ret,
		     bool *ret_writes_sp)
{
	*ret_writes_sp = false;
	if (next_shadow(at, ret))
		return true;
	if (!next(d->detail, d->detailed, at, ret))
		return false;
	*ret_writes_sp = writes_sp(d);
	return true;
}
