/*
 * kallsyms - names of the kernel's functions, modules included.
 *
 * From /proc/kallsyms: lines "address type name [module]", read once (about
 * 60 ms for 120,000 lines).  Only code is kept (types t, T, w, W).  The file
 * has no sizes: a function reaches to the next one, at most KALLSYMS_SIZE_MAX.
 */
#ifndef SONDE_NAME_KALLSYMS_H
#define SONDE_NAME_KALLSYMS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define KALLSYMS_PATH "/proc/kallsyms"
#define KALLSYMS_SIZE_MAX (1u << 20)

struct kallsyms;

/* -EPERM: the kernel shows all addresses as 0, err says what would help;
 * -ENOENT: it has no such file; -EINVAL: no code in it. */
int kallsyms_load(const char *path, struct kallsyms **ret, struct error *err);
void kallsyms_free(struct kallsyms *k); /* NULL is fine */

uint32_t kallsyms_count(const struct kallsyms *k);
/* Raw name of the function around an address; *ret_module is "" for the kernel
 * proper.  NULL: none. */
const char *kallsyms_find(const struct kallsyms *k, uint64_t address, uint64_t *ret_start,
			  uint64_t *ret_length, const char **ret_module);

#endif
