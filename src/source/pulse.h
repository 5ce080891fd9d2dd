/*
 * pulse - which of a busy loop's gaps are a steady clock's, and how long these are.
 *
 * A thread that does nothing but read the clock sees whatever interrupts it as a gap.
 * Those of a clock are told from all others by where they lie: one period apart.
 */
#ifndef SONDE_SOURCE_PULSE_H
#define SONDE_SOURCE_PULSE_H

#include "base/clock.h"

struct gap {
	nsec at;     /* when it began */
	nsec length; /* > 0 */
};

/* The usual length (the lower median) of those of the clock that ticks once a period;
 * 0: no 'least' of them keep its step.  n > 0 costs n * n steps. */
nsec pulse_usual(const struct gap *gaps, unsigned n, nsec period, unsigned least);

#endif
