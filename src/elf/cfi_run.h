/*
 * cfi_run - executes the programs of call frame information (DWARF 5 section
 * 6.4.2, with the GNU additions).
 *
 * Of all registers only those are followed that lead to the caller's frame:
 * CFA, RBP and the return address.
 */
#ifndef SONDE_ELF_CFI_RUN_H
#define SONDE_ELF_CFI_RUN_H

#include "elf/dwarf_cursor.h"

enum cfi_how {
	CFI_UNSAID,	    /* no instruction spoke of it */
	CFI_UNDEFINED,	    /* cannot be known */
	CFI_SAME,	    /* not changed */
	CFI_OFFSET,	    /* saved at CFA + value */
	CFI_VAL_OFFSET,	    /* is CFA + value */
	CFI_REGISTER,	    /* is in register number value */
	CFI_EXPRESSION,	    /* saved where an expression says; value is its size */
	CFI_VAL_EXPRESSION, /* is what an expression gives; the same */
};

struct cfi_place {
	enum cfi_how how;
	int64_t value;
	const uint8_t *expression; /* value bytes in the section */
};

/* What holds at an address. */
struct cfi_row {
	uint64_t cfa_register; /* CFA is it + cfa_offset, */
	int64_t cfa_offset;
	struct cfi_place cfa; /* unless this is a CFI_VAL_EXPRESSION */
	struct cfi_place rbp, ra;
	bool injected; /* the caller called nothing: it goes on where it was interrupted */
};

#define CFI_STACK_MAX 16 /* DW_CFA_remember_state within one another */

enum cfi_end {
	CFI_DONE,
	CFI_BROKEN, /* cut off, addresses that go back, too many remembered states */
	CFI_OPCODE, /* an instruction that is not known */
	CFI_POINTER /* an address whose encoding is not known */
};

struct cfi;
struct cie;
struct fde;

/* Gets each row with the address at which it begins, in ascending order; row
 * is NULL where the program could not be followed further. */
typedef void cfi_emit(void *store, uint64_t address, const struct cfi_row *row);

/* The program of a CIE: what its functions begin with. */
enum cfi_end cfi_run_cie(struct cfi *c, const struct cie *cie, uint32_t section,
			 struct cfi_row *ret);
/* That of a function, up to (not including) the address limit. */
enum cfi_end cfi_run(struct cfi *c, const struct fde *fde, uint64_t limit, cfi_emit *emit,
		     void *store);

#endif
