/*
 * judged - tells the kernel half in which processes the return of a call may be
 * hooked.
 *
 * The kernel half hooks none in a process that maps more or less code than was
 * told here.  The order for each look: judged_look(), then read the maps, then
 * judged_tell(); what has changed between is noticed.
 */
#ifndef SONDE_SOURCE_JUDGED_H
#define SONDE_SOURCE_JUDGED_H

#include "wire/control.h"

#include <stdbool.h>
#include <stdint.h>

struct judged_maps {
	int map;	      /* tgid -> struct judged */
	int program;	      /* 'judge' */
	const uint32_t *asks; /* counted by the kernel half */
	uint32_t heard;
};

/* What is known of a process; from the first look on it is heard of. */
struct judged judged_look(const struct judged_maps *m, uint32_t pid);
/* pages of code were looked at and returns may be hooked there; 0: they may not.
 * False: the process has changed meanwhile, to be looked at again. */
bool judged_tell(const struct judged_maps *m, uint32_t pid, const struct judged *looked,
		 uint64_t pages);
/* The process is gone: what the last look noted goes too. */
void judged_forget(const struct judged_maps *m, uint32_t pid);
/* Does the kernel half ask to look again, since the last call? */
bool judged_asks(struct judged_maps *m);
/* Each process it asks for. */
void judged_each_asked(const struct judged_maps *m, void (*one)(void *context, uint32_t pid),
		       void *context);

#endif
