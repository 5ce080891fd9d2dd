/*
 * use - what sonde itself uses of the machine.
 */
#ifndef SONDE_SERVE_USE_H
#define SONDE_SERVE_USE_H

#include "base/clock.h"

struct use {
	nsec cpu;	     /* time on all CPUs since it was started */
	uint64_t peak_bytes; /* the most memory that it has had */
};

struct use use_own(void);

#endif
