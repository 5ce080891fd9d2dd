/*
 * cputime - how much CPU time the target took, beside what the samples say.
 *
 * Where they differ by more than chance, ticks were held back: by the kernel's
 * throttle, or because a virtual machine did not run.
 */
#ifndef SONDE_SOURCE_CPUTIME_H
#define SONDE_SOURCE_CPUTIME_H

#include "base/array.h"
#include "base/clock.h"

#include <stdbool.h>

struct cputime_process {
	uint32_t pid;
	nsec first, last; /* of all its threads, also ended ones */
};

struct cputime {
	ARRAY(struct cputime_process) processes;
};

/* Counts a process from now on. */
void cputime_add(struct cputime *c, uint32_t pid);
/* CPU time of all of them since they were added; one that has ended counts until
 * it was last looked at. */
nsec cputime_used(struct cputime *c);
void cputime_done(struct cputime *c);
/* How many of the samples that used / period gives are missing, beyond three
 * standard deviations of their number and a tenth; 0 = none. */
uint64_t cputime_missing(nsec used, nsec period, uint64_t samples);

#endif
