/*
 * exits - where probes see the calls of one function begin and end, and leave
 * the stack alone.
 *
 * A function is left by ret, and by a jump to another function (a tail call).
 * The kernel has to single-step a ret; so on each way into it the nearest
 * instruction before is sought that the kernel emulates, and from which nothing
 * but the ret can be reached: a push, a nop, a jump to the shared end, or the
 * conditional jump that leads there (the probe then looks at the flags).  A call
 * or a system call is not passed over: its time belongs to the function.  Where
 * some way has none the ret itself is probed.
 *
 *	main	push %rbx		entry
 *		test %rdi,%rdi
 *		je   2f			exit, if taken
 *		...
 *		call g
 *		xor  %eax,%eax
 *	1:	sub  %fs:0x28,%rdx
 *		jne  3f			exit, if not taken
 *		pop  %rbx
 *		ret
 *	2:	pop  %rbx
 *		jmp  h			(exit, but for the je)
 *	3:	call __stack_chk_fail
 *
 * In Go the jump that leaves if the stack is too small is the entry, if not taken:
 *
 *	f	cmp  16(%r14),%rsp
 *		jbe  1f			entry, if not taken
 *		...
 *	1:	call runtime.morestack
 *		jmp  f
 */
#ifndef SONDE_PROBE_EXITS_H
#define SONDE_PROBE_EXITS_H

#include "probe/cfa.h"
#include "probe/flow.h"

#define EXIT_SITES_MAX 512 /* of one function */

/* One instruction, and what it tells. */
struct exit_site {
	struct insn insn;
	uint32_t cfa;	   /* rule that leads to the call's CFA there; plain */
	uint8_t condition; /* of the flags, as of INSN_CONDITION, 0 = always; of an exit,
			      and of an entry that is none */
	bool is_entry;	   /* the call begins; if also an exit, it begins first */
	bool is_exit;
};

struct exit_plan {
	ARRAY(struct exit_site);      /* by address, one for each */
	uint32_t returns, tail_calls; /* instructions that leave the function */
	uint32_t followed;	      /* those to functions whose exits are its own */
	enum insn_price entry_price;
	enum insn_price exit_price; /* of the dearest: INSN_EMULATED or INSN_STEPPED */
	const char *refused; /* why its calls cannot be seen so, NULL = they can; static */
};

enum exit_scope {
	EXITS_ONLY, /* of a function that another one jumps to */
	EXITS_AND_ENTRY,
	ENTRY_ONLY, /* of one that may never end */
};

/* Plans the probes of a function; flow as of body_read(). */
void exits_plan(struct flow *flow, const struct unwind_table *cfa, enum exit_scope scope,
		struct exit_plan *ret);
void exits_done(struct exit_plan *p);

#endif
