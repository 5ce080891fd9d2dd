/*
 * rule - how to go from a frame to its caller, in 20 bits: what user space
 * writes into the unwind tables and the kernel half walks by.
 *
 * A row is a rule and where it begins: the offset in its 4 KiB page of text,
 * by the ELF file's addresses.  It holds until the next row of the page.
 *
 *	31        20 19   17 16          4 3      0
 *	| pc offset |  type | value       | slot   |	SP, FP, SPECIAL
 *	| pc offset |  type | index                |	EXC
 *
 * CFA is DWARF's canonical frame address: SP before the call, so that the
 * return address is at CFA - 8.
 */
#ifndef SONDE_WIRE_RULE_H
#define SONDE_WIRE_RULE_H

#include <linux/types.h>

#define ROW_PAGE_SHIFT 12 /* of a page of text */
#define ROW_PAGE_SIZE (1u << ROW_PAGE_SHIFT)
#define ROW_OFFSET_SHIFT 20
#define RULE_MASK ((1u << ROW_OFFSET_SHIFT) - 1)

/* A page of text has at most this many rows, whatever its CFI says. */
#define UNWIND_PAGE_ROWS 1000

enum rule_type {
	RULE_NONE = 0,	  /* nothing is known here */
	RULE_SP = 1,	  /* CFA = SP + 8 * value */
	RULE_FP = 2,	  /* CFA = RBP + 8 * value */
	RULE_SPECIAL = 3, /* value is an enum rule_special */
	RULE_EXC = 4,	  /* index of a struct rule_exc: of the image, or of all once loaded */
};

enum rule_special {
	RULE_END = 1,	/* the outermost frame: there is no return address */
	RULE_PLT11 = 2, /* lazy PLT stub: CFA = SP + 8 + ((pc & 15) >= 11 ? 8 : 0) */
	RULE_PLT10 = 3, /* the same from 10 on */
	/* signal trampoline of x86-64: RBP, RSP and RIP are the RULE_SIGNAL_* below */
	RULE_SIGNAL = 4,
	/* the frame is on another stack than the one it called: CFA = RBP + 16, RBP at
	 * CFA - 16, wherever that is */
	RULE_SWITCH = 5,
};

/* Where the kernel's struct rt_sigframe keeps them, in bytes from SP: its
 * ucontext's gregs begin at 40 with R8, REG_RBP is 10, REG_RSP 15, REG_RIP 16. */
#define RULE_SIGNAL_R8 40
#define RULE_SIGNAL_RBP (40 + 10 * 8)
#define RULE_SIGNAL_RSP (40 + 15 * 8)
#define RULE_SIGNAL_RIP (40 + 16 * 8)

#define RULE_TYPE_SHIFT 17
#define RULE_VALUE_SHIFT 4
#define RULE_VALUE_MAX 0x1fffu
#define RULE_SLOT_MAX 15u
#define RULE_INDEX_MAX 0x1ffffu

/* slot 0: RBP is the caller's; k: RBP was saved at CFA - 8 * (k + 1). */
#define RULE(type, value, slot) \
	(((__u32)(type) << RULE_TYPE_SHIFT) | ((__u32)(value) << RULE_VALUE_SHIFT) | (slot))
#define RULE_SPECIAL_OF(special) RULE(RULE_SPECIAL, special, 0)
#define RULE_EXC_OF(index) (((__u32)RULE_EXC << RULE_TYPE_SHIFT) | (index))

/* Of a function's first instruction, and of its ret: the return address is at [SP]. */
#define RULE_ENTRY RULE(RULE_SP, 1, 0)

#define RULE_TYPE(rule) (((rule) >> RULE_TYPE_SHIFT) & 7)
#define RULE_VALUE(rule) (((rule) >> RULE_VALUE_SHIFT) & RULE_VALUE_MAX)
#define RULE_SLOT(rule) ((rule)&RULE_SLOT_MAX)
#define RULE_INDEX(rule) ((rule)&RULE_INDEX_MAX)

#define ROW(offset, rule) (((__u32)(offset) << ROW_OFFSET_SHIFT) | (rule))
#define ROW_OFFSET(row) ((row) >> ROW_OFFSET_SHIFT)
#define ROW_RULE(row) ((row)&RULE_MASK)

/* DWARF's numbers of x86-64 registers (System V ABI, figure 3.36). */
#define RULE_REG_RBP 6
#define RULE_REG_RSP 7
#define RULE_REG_R10 10

enum rule_rbp {
	RULE_RBP_SAME = 0,	/* is the caller's */
	RULE_RBP_AT_CFA = 1,	/* was saved at CFA + rbp_off */
	RULE_RBP_AT_RBP = 2,	/* was saved at RBP + rbp_off (realigned stacks) */
	RULE_RBP_UNDEFINED = 3, /* is lost */
};

/*
 * What does not fit into a rule:
 * CFA = cfa_deref ? *(cfa_reg + cfa_off) + cfa_off2 : cfa_reg + cfa_off.
 */
struct rule_exc {
	__s8 cfa_reg;	/* RULE_REG_..., or any other of 0..15 */
	__s8 cfa_deref; /* 0 or 1 */
	__s8 rbp_kind;	/* enum rule_rbp */
	__s8 injected;	/* 1: the caller called nothing, it was interrupted there */
	__s32 cfa_off, cfa_off2;
	__s32 rbp_off;
	__s32 ra_off; /* the return address is at CFA + ra_off */
};
_Static_assert(sizeof(struct rule_exc) == 20, "the kernel half reads struct rule_exc");

/* The rows of one page of text: [first, first + count) of the table's rows.
 * count is 0 where there is no code, else the first row's offset is 0. */
struct unwind_page {
	__u32 first;
	__u32 count;
};
_Static_assert(sizeof(struct unwind_page) == 8, "the kernel half reads struct unwind_page");

#endif
