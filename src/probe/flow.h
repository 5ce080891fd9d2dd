/*
 * flow - the control flow of one function, instruction by instruction.
 *
 *	struct flow flow = { 0 };
 *
 *	flow_add_part(&flow, decoder, (struct code_bytes){ bytes, size, address });
 *	flow_add_part(&flow, decoder, ...);	the part that was moved away (.cold)
 *	flow_link(&flow);
 *	flow_add_tables(&flow, read, context);
 *	if (flow.broken)
 *		... not understood, and says why
 *	for each branch b to flow.at[i]: b = flow.at[i].source; b = flow.at[b].next_source
 *
 * The code is decoded from each part's start to its end without a gap, and every
 * branch has to land on an instruction: so what is found there are instructions.
 */
#ifndef SONDE_PROBE_FLOW_H
#define SONDE_PROBE_FLOW_H

#include "base/array.h"
#include "probe/decoder.h"

#define FLOW_NONE UINT32_MAX
#define FLOW_PARTS_MAX 8
#define FLOW_BYTES_MAX (1u << 20) /* of one function */

struct flow_insn {
	struct insn insn;
	uint32_t target;      /* index of where it jumps to, FLOW_NONE: not within */
	uint32_t source;      /* index of a branch that leads here, FLOW_NONE: none does */
	uint32_t next_source; /* of this branch's target: another one */
	bool falls_in;	      /* the instruction before runs on into it */
	bool from_table;      /* a jump through a table may lead here */
	bool by_table;	      /* it is a jump, and all it leads to is from_table */
	bool leaves;	      /* it jumps out of the function: a tail call */
	bool followed;	      /* of those, one whose end is seen in what it jumps to */
	bool restarts;	      /* it is a jump back to the entry, before the call began:
				 followed by none here */
	bool reached;	      /* from the entry, by what is known here */
};

struct flow_part {
	uint64_t address, size;
	uint32_t first, count; /* of the instructions */
};

/* Zero is valid and empty.  at[0] is the entry. */
struct flow {
	ARRAY(struct flow_insn);
	struct flow_part parts[FLOW_PARTS_MAX];
	uint32_t nr_parts;
	const char *broken;   /* why it is not understood, NULL = it is; static */
	ARRAY(uint32_t) walk; /* scratch */
	ARRAY(uint32_t) seen; /* scratch: by instruction, number of the walk */
	uint32_t walks;
};

/* Reads at an address of the file: number of bytes. */
typedef size_t (*flow_read)(void *context, uint64_t address, void *to, size_t size);

/* The first is the one that begins with the entry. */
void flow_add_part(struct flow *f, struct decoder *d, struct code_bytes code);
/* Call once, behind the last part. */
void flow_link(struct flow *f);
/* Finds where the switches go: compilers write tables of distances from the table
 * itself, named by a lea, or of addresses.  A table's end is not known: it is read
 * on until an entry leads nowhere, so more may be marked than is true, not less. */
void flow_add_tables(struct flow *f, flow_read read, void *context);
/* Marks what is reached.  Landing pads of exceptions are not, nor where jumps
 * through tables that were not found lead. */
void flow_reach(struct flow *f);
void flow_done(struct flow *f);

/* Index of the instruction at an address; FLOW_NONE: no part begins one there. */
uint32_t flow_find(const struct flow *f, uint64_t address);
bool flow_holds(const struct flow *f, uint64_t address);
/* May it run again before the function ends? */
bool flow_in_loop(struct flow *f, uint32_t index);

#endif
