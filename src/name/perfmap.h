/*
 * perfmap - names of code that a runtime made while it ran (JIT).
 *
 * From /tmp/perf-PID.map, which runtimes write for profilers: lines
 * "START SIZE NAME", both numbers hexadecimal, appended as code is made; a later
 * line holds over an earlier one.  The file is the target's to write and so is
 * trusted with nothing: it has to be a plain file of the target's own user (or
 * root's), with one link, of at most PERFMAP_MOST bytes.
 */
#ifndef SONDE_NAME_PERFMAP_H
#define SONDE_NAME_PERFMAP_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define PERFMAP_MOST (64u << 20)
#define PERFMAP_LINE_MOST 4096

struct perfmap;

/* path as in /proc/PID/root/tmp/perf-N.map, whether or not it is there yet. */
struct perfmap *perfmap_new(const char *path);
void perfmap_free(struct perfmap *p); /* NULL is fine */

/* The name of the code around an address, NULL if none is known; the file is
 * read again, at most once a second, when it has grown.  now: CLOCK_MONOTONIC. */
const char *perfmap_find(struct perfmap *p, uint64_t address, uint64_t now, uint64_t *ret_start,
			 uint64_t *ret_length);
/* Why the file is not used, "" if it is or is not there. */
const char *perfmap_problem(const struct perfmap *p);

#endif
