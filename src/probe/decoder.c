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

static bool next(csh handle, cs_insn *decoded, struct code_bytes *at, struct insn *ret)
{
	if (!at->left || !cs_disasm_iter(handle, &at->bytes, &at->left, &at->address, decoded))
		return false;
	*ret = insn_judge(decoded->bytes, decoded->size, decoded->address);
	return true;
}

bool decoder_next(struct decoder *d, struct code_bytes *at, struct insn *ret)
{
	return next(d->plain, d->insn, at, ret);
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
	if (!next(d->detail, d->detailed, at, ret))
		return false;
	*ret_writes_sp = writes_sp(d);
	return true;
}
