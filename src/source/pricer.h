/*
 * pricer - tells the programs what probes cost, as it changes.
 *
 * A machine is slow for a while, and then fast again, and all that is watched with it: on
 * one of them a single step took 12 µs in a fifth of all looks, and 19 µs in most others.
 * So a call's own share is what it was of late, most of the time: it is looked at again
 * and again in the background.  What other calls' probes took inside of a call may be many
 * times as long as the call: it counts as the least that was ever found.
 */
#ifndef SONDE_SOURCE_PRICER_H
#define SONDE_SOURCE_PRICER_H

#include "source/price.h"

#include <pthread.h>
#include <stdbool.h>

struct pricer {
	pthread_mutex_t lock;
	/* under the lock */
	struct price price; /* the least of all looks */
	struct price_trial trial;
	struct probe_prices *taken; /* the programs', kept up to date */
	/* the thread's, once it runs */
	struct attach_links links;
	pthread_t thread;
	bool running;
	int enough; /* an eventfd: tells it to end */
};

/* Measures (about 15 ms).  sum: where the programs add up what calls of probe 0 took. */
void pricer_begin(struct pricer *p, enum attach_kind kind,
		  const struct attach_programs *programs, const volatile __u64 *sum,
		  struct probe_prices *taken);
struct price pricer_price(struct pricer *p);
/* The same after one more look, of half a millisecond. */
struct price pricer_look(struct pricer *p);
/* Lets it end; it takes a moment.  These two also of one that never began: all is 0. */
void pricer_enough(struct pricer *p);
void pricer_end(struct pricer *p);

#endif
