/*
 * insn - what a probe on one instruction does (x86-64).
 *
 * The kernel emulates some instructions in the trap itself (cheap), executes
 * others out of line by single stepping (10 to 60 times dearer), refuses some,
 * and gets some wrong.  Rules: arch/x86/kernel/uprobes.c; the wrong ones and the
 * prices were found by trial.
 */
#ifndef SONDE_PROBE_INSN_H
#define SONDE_PROBE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_MAX 15 /* bytes, Intel SDM 2.3.11 */

enum insn_price {
	INSN_EMULATED,
	INSN_NOP5, /* emulated; from kernel 6.18 on a call without a trap */
	INSN_STEPPED,
	INSN_REFUSED, /* by the kernel, or by sonde since the kernel gets it wrong */
};

/* What a conditional jump asks of the flags, 0 = it is none: 1 + the low four bits
 * of its opcode (Intel SDM 2, appendix B.1.4.7); the opposite differs in the bit
 * below. */
#define INSN_CONDITION(opcode) (1 + ((opcode)&15))
#define INSN_OPPOSITE(condition) (1 + (((condition)-1) ^ 1))

struct insn {
	uint64_t address;
	uint8_t length;
	uint8_t condition; /* of a jcc */
	enum insn_price price;
	const char *name; /* for people: "push", "call", "lock prefix"; static */
	bool jumps;	  /* control goes elsewhere, or may: jmp, jcc, call, ret, syscall */
	bool is_call;	  /* of those, one that comes back */
	bool has_target;  /* target is known: relative jmp, jcc, call, loop */
	bool ends;	  /* what follows is not reached from here: jmp, ret, hlt, ud2 */
	bool returns;	  /* of those, a near ret */
	bool pads;	  /* nop, int3: what fills up between code */
	bool locked;	  /* has a lock prefix */
	bool repeats;	  /* a string instruction with rep: may take long */
	bool indirect;	  /* a jmp through a register or computed memory: may go anywhere */
	uint8_t pops;	  /* 1 + the register that a pop fills, 0 = it is none */
	uint8_t through;  /* 1 + the register that a jmp goes through, 0 = it does not */
	bool by_slot;	  /* jmp *slot(%rip): through one fixed place, to a function */
	bool scaled;	  /* an indirect one through an array of addresses: (,%rax,8) */
	bool notrack;	  /* an indirect one as compilers write it for a switch only */
	bool relative;	  /* reads an array of 32-bit numbers: movslq (%rdx,%rax,4) */
	bool has_address; /* names a fixed address without jumping, which is target: lea
			     table(%rip), jmp *table(,%rax,8) */
	uint64_t target;  /* address */
};

/*
 * Looks at the instruction of length bytes at address.  length must come from a
 * decoder; only the bytes are judged.
 */
struct insn insn_judge(const uint8_t *bytes, size_t length, uint64_t address);

#endif
