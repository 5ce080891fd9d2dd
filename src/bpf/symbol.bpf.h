/*
 * symbol - what the kernel calls one of its addresses.
 *
 * Run from user space.  All names together take 0.1 s to read (/proc/kallsyms), one that is
 * asked for a few microseconds.
 */
#ifndef SONDE_BPF_SYMBOL_BPF_H
#define SONDE_BPF_SYMBOL_BPF_H

#include "bpf/maps.bpf.h"

#define SYMBOL_BYTES 640 /* a name has up to 512, a module's 56 */

__u64 symbol_at;
char symbol_said[SYMBOL_BYTES]; /* "name+0x12/0x80 [module]" */

SEC("syscall")
int symbol(void *ctx)
{
	return BPF_SNPRINTF(symbol_said, sizeof(symbol_said), "%pS", symbol_at);
}

#endif
