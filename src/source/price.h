/*
 * price - what a watched call costs on this machine, measured.
 *
 * The programs are put on two functions of sonde's own, one whose first
 * instruction the kernel emulates and one it has to single-step, and these are
 * called a few hundred times.  The links stay until the caller closes them:
 * taking them away is what would take time.
 */
#ifndef SONDE_SOURCE_PRICE_H
#define SONDE_SOURCE_PRICE_H

#include "source/attach.h"

/* Nanoseconds a call takes more than unwatched; 0 = could not be measured. */
struct price {
	uint32_t cheap;	  /* entry on an emulated instruction */
	uint32_t stepped; /* entry on any other */
};

void price_measure(struct attach_links *links, enum attach_kind kind,
		   const struct attach_programs *programs, struct price *ret);

#endif
