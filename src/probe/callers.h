/*
 * callers - how many places of a file's code lead to a function.
 *
 * All code is looked through once for calls and jumps that name their target (x86-64:
 * call, jmp and jcc with 32 bits of distance: Intel SDM 2, opcodes e8, e9, 0f 8x).
 * Bytes are not decoded: what only looks like one is counted too, which is rare, and
 * what calls through pointers is not seen.
 */
#ifndef SONDE_PROBE_CALLERS_H
#define SONDE_PROBE_CALLERS_H

#include "probe/code.h"

/* The image must be open and its symbols read.  UINT32_MAX: not known, since the file
 * has more than 512 MiB of code. */
uint32_t callers_count(struct code_image *image, const struct symbol *function);

#endif
