/*
 * cfi - the entries of a .eh_frame or .debug_frame section.
 *
 * A CIE (common information entry) is what many functions share, an FDE (frame
 * description entry) is one function: an address range and a program that
 * tells, address by address, where CFA and the registers are (cfi_run.h).
 * Layouts: DWARF 5 section 6.4.1, and for .eh_frame Linux Standard Base 5.0
 * "Exception Frames", which has its own CIE pointers and augmentations.
 */
#ifndef SONDE_ELF_CFI_H
#define SONDE_ELF_CFI_H

#include "base/table.h"
#include "elf/cfi_run.h"
#include "elf/dwarf_cursor.h"
#include "elf/unwind.h"

/* Whose entries there are, best first: where one covers code, those of worse kinds do
 * not count. */
enum cfi_kind {
	CFI_EH,	   /* .eh_frame */
	CFI_PCLN,  /* what Go programs have instead (pcln.h); without bytes */
	CFI_DEBUG, /* .debug_frame */
	NR_CFI_KIND
};

struct cfi_section {
	uint8_t *bytes;		/* owned */
	uint64_t size, address; /* size is at most SECTION_SIZE_MAX */
	enum cfi_kind kind;
	bool ends_at_zero; /* size is a bound only: the first empty entry ends it */
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	uint8_t encoding; /* of addresses: DW_EH_PE_... */
	bool sized;	  /* FDEs have augmentation content: its size comes first */
	int gap;	  /* why it cannot be used: an enum unwind_gap, or -1 */
	uint32_t program, program_size; /* at this offset of the section */
	struct cfi_row initial;		/* what the program gives */
};

struct fde {
	uint64_t start, end;		/* addresses; not empty */
	uint32_t program, program_size; /* at this offset of the section; CFI_PCLN: index */
	uint32_t cie;			/* index in cfi.cies */
	uint32_t section;		/* index in cfi.sections: the lower one counts */
};

#define CFI_SECTIONS_MAX 4

/* Zero is valid and empty. */
struct cfi {
	struct cfi_section sections[CFI_SECTIONS_MAX];
	uint32_t nr_sections;
	ARRAY(struct cie) cies;
	ARRAY(struct fde) fdes;
	struct table known; /* section and offset of a CIE: its index */
	struct unwind_counts counts;
};

void cfi_done(struct cfi *c);
/* Reads all entries of a section, which cfi owns from then on. */
void cfi_add(struct cfi *c, struct cfi_section section);
/* One entry; counted if there are too many. */
void cfi_add_fde(struct cfi *c, struct fde fde);

/* A pointer of a DW_EH_PE_... encoding.  at_address is the address of the
 * cursor, data_address that of the table (.eh_frame_hdr), 0 if there is none.
 * False: cut off, or an encoding that needs more than that. */
bool cfi_pointer(struct dwarf_cursor *c, uint8_t encoding, uint64_t at_address,
		 uint64_t data_address, uint64_t *ret);

#endif
