/*
 * decoder - where each instruction ends, and what it does to SP.
 *
 *	struct code_bytes at = { bytes, size, address };
 *	struct insn i;
 *
 *	while (decoder_next(decoder, &at, &i))
 *		... i.address, i.length, i.price ...
 *	if (at.left)
 *		... at.bytes is no instruction
 */
#ifndef SONDE_PROBE_DECODER_H
#define SONDE_PROBE_DECODER_H

#include "probe/insn.h"

/* A run of code; a decoder takes its first instruction off. */
struct code_bytes {
	const uint8_t *bytes;
	size_t left;
	uint64_t address; /* of bytes[0], in the numbers branches use */
};

/* Reused over many functions. */
struct decoder;
struct decoder *decoder_new(void);
void decoder_free(struct decoder *d); /* NULL is fine */

/* False: nothing is left, or what is there is no instruction. */
bool decoder_next(struct decoder *d, struct code_bytes *at, struct insn *ret);
/* The same, slower: does it write SP? */
bool decoder_next_sp(struct decoder *d, struct code_bytes *at, struct insn *ret,
		     bool *ret_writes_sp);

#endif
