/*
 * pricer - tells the programs what probes cost, at once and then better.
 *
 * A machine may be slow for a while, and all that is watched with it.  So what is taken
 * off durations is the least that was found: it is looked for again in the background
 * for the first seconds.
 */
#ifndef SONDE_SOURCE_PRICER_H
#define SONDE_SOURCE_PRICER_H

#include "source/price.h"

#include <pthread.h>
#include <stdbool.h>

struct pricer {
	struct price price; /* as first measured */
	/* the thread's, once it runs */
	struct attach_links links;
	struct price_trial trial;
	struct probe_prices *taken; /* the programs', kept up to date */
	pthread_t thread;
	bool running;
	int enough; /* an eventfd: tells it to end */
};

/* Measures (about 15 ms).  sum: where the programs add up what calls of probe 0 took. */
void pricer_begin(struct pricer *p, enum attach_kind kind,
		  const struct attach_programs *programs, const volatile __u64 *sum,
		  struct probe_prices *taken);
/* Also of one that never began; then all of it is 0. */
void pricer_end(struct pricer *p);

#endif
