/*
 * variable - what a program's data at an address is called.
 *
 * From .symtab, that of the debug file, and .dynsym (STT_OBJECT).  For few questions: each goes
 * through whole tables.
 */
#ifndef SONDE_ELF_VARIABLE_H
#define SONDE_ELF_VARIABLE_H

#include "elf/image.h"

struct variable {
	const char *raw; /* as in the file, maybe mangled, maybe with @VERSION; the image's */
	uint64_t into;	 /* bytes from where it begins to the address */
	uint64_t size;	 /* bytes */
};

/* The smallest that has the address (of the file, not of a process).  False: none has. */
bool variable_find(const struct image *image, uint64_t address, struct variable *ret);

#endif
