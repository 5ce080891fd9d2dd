/*
 * name_rule - a shell pattern on names of threads, as a table that the kernel half reads.
 *
 * The pattern is a row of elements: a byte, a choice ([a-z], ?), or a star.  Bit i of a state
 * says that the first i of them stand for what was read (Baeza-Yates and Gonnet, "A new
 * approach to text searching", 1992; with stars as Wu and Manber have them).
 */
#ifndef SONDE_WIRE_NAME_RULE_H
#define SONDE_WIRE_NAME_RULE_H

#include <linux/types.h>

#define NAME_RULE_ELEMENTS 63
#define NAME_RULE_BYTES 16 /* TASK_COMM_LEN, with its NUL */

struct name_rule {
	__u64 accepts[256]; /* of a byte: bit i, element i may stand for it; 0 of a star */
	__u64 stars;	    /* bit i: element i is one.  No two are neighbours */
	__u32 count;	    /* elements */
	__u32 pad;
};

/* Does the whole name fit?  It ends at a NUL, or with NAME_RULE_BYTES. */
static inline __attribute__((always_inline)) int
name_rule_fits(const volatile struct name_rule *rule, const char *name)
{
	__u64 state = 1;

	state |= (state & rule->stars) << 1;
	for (int i = 0; i < NAME_RULE_BYTES; i++) {
		unsigned char c = name[i];

		if (!c)
			break;
		state = (state & rule->accepts[c]) << 1 | (state & rule->stars);
		state |= (state & rule->stars) << 1;
	}
	return state >> (rule->count & 63) & 1;
}

#endif
