/*
 * ledger - what the demo server measured of itself: every request's times.
 */
#ifndef SONDE_DEMO_LEDGER_H
#define SONDE_DEMO_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* At most this many requests are kept of each worker. */
#define LEDGER_ROOM 65536

/* Nanoseconds; *_cpu of the thread's CPU clock. */
struct entry {
	uint64_t began, duration, cpu, expand_cpu;
	bool planted;
};

struct ledger {
	struct entry *entries;
	unsigned count;
};

void ledger_init(struct ledger *l);
void ledger_done(struct ledger *l);
void ledger_add(struct ledger *l, const struct entry *e);

/* One line of JSON over all ledgers: calls, exact quantiles, and CPU time in
 * the planted calls and in those above the exact p95. */
void ledger_print(const struct ledger *ledgers, unsigned nr, FILE *out);
/* All requests, one a line: "began duration cpu expand_cpu planted". */
int ledger_write(const struct ledger *ledgers, unsigned nr, const char *path);

#endif
