/*
 * kernel - names of the kernel's functions, modules included.
 *
 * From /proc/kallsyms: lines "address type name [module]", read once (about
 * 60 ms for 120,000 lines).  Only code is kept (types t, T, w, W).  The file
 * has no sizes: a function reaches to the next one, at most KERNEL_SIZE_MAX.
 */
#ifndef SONDE_NAME_KERNEL_H
#define SONDE_NAME_KERNEL_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_SYMBOLS "/proc/kallsyms"
#define KERNEL_SIZE_MAX (1u << 20)

struct kernel;

/* -EPERM: the kernel shows all addresses as 0, err says what would help;
 * -ENOENT: it has no such file; -EINVAL: no code in it. */
int kernel_load(const char *path, struct kernel **ret, struct error *err);
void kernel_free(struct kernel *k); /* NULL is fine */

uint32_t kernel_count(const struct kernel *k);
/* Raw name of the function around an address; *ret_module is "" for the kernel
 * proper.  NULL: none. */
const char *kernel_find(const struct kernel *k, uint64_t address, uint64_t *ret_start,
			uint64_t *ret_length, const char **ret_module);

#endif
