/*
 * ksym - what the running kernel calls one of its addresses.
 *
 * As its own messages have it (%pS, Documentation/core-api/printk-formats.rst):
 * "name+0x12/0x80 [module]", or the address where there is no function.  Few are asked for, and
 * asking for one takes microseconds; reading them all (name/kallsyms) takes a tenth of a
 * second.
 */
#ifndef SONDE_NAME_KSYM_H
#define SONDE_NAME_KSYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text, valid until the next question; NULL: the kernel cannot be asked. */
typedef const char *ksym_ask(void *context, uint64_t address);

struct ksym {
	uint64_t start, length;
	const char *name,
		*module; /* within the text, not terminated; "" for the kernel proper */
	size_t name_size, module_size;
};

/* False: no function is there, or it is no such text. */
bool ksym_read(const char *text, uint64_t address, struct ksym *ret);

#endif
