/*
 * calls - a target that knows exactly how often its functions were entered and
 * how each of these calls ended.
 *
 * A mode is one line of a table in calls.c and one function that makes the calls.
 */
#ifndef SONDE_TEST_CALLS_H
#define SONDE_TEST_CALLS_H

#include "stage.h"

#include <stdatomic.h>

/* How the calls of one function ended; entries is the sum of the others. */
struct count {
	const char *function;
	_Atomic uint64_t entries, returned, longjmp, exit, exec;
	_Atomic uint64_t child; /* returns in forked children: no entry of theirs */
};

#define NR_COUNT 3

struct run {
	const struct stage *stage;
	struct count counts[NR_COUNT];
	struct durations durations; /* of counts[0], where a mode measures them */
	uint64_t cleanups;	    /* handlers that ran when threads ended early */
	/* nanoseconds of a call that nobody watches, and of one that may be watched */
	uint64_t alone[NR_COUNT], watched[NR_COUNT];
	uint64_t quick[NR_COUNT];	 /* and of the quickest of those, one in fifty */
	uint64_t kinds[2], kind_nsec[2]; /* of a mode with quick and slow calls: how many of
					    each, and nanoseconds of one that nobody watches */
	uint64_t least_watched;		 /* of counts[0]: one in fifty took less than this */
	const char
		*cause; /* the function that makes slow calls slow, "" = none; NULL: not told */
};

/* One call of f: what it shall do and what it measured, from inside. */
struct call {
	struct run *run;
	uint64_t rounds;
	uint64_t nsec;
	void (*inside)(struct call *c); /* something to do in the middle, or NULL */
	void *context;
};

/* The functions that tests watch.  f_push begins with a push, f_mov with a mov
 * (which the kernel has to step over). */
KEPT uint64_t f_push(struct call *c);
uint64_t f_mov(struct call *c);

/* spread.c: many plain calls */
void run_steady(struct run *r);
void run_threads(struct run *r);
/* depth.c: calls in calls */
void run_recurse(struct run *r);
void run_mutual(struct run *r);
void run_nested(struct run *r);
/* leave.c: ends that are no returns */
void run_longjmp(struct run *r);
void run_exit(struct run *r);
void prepare_exit(void); /* before it: nothing has to be loaded for it any more */
void run_fork(struct run *r);
void run_exec(struct run *r);
/* alone.c: calls beside calls that nobody watches */
void run_alone(struct run *r);
/* rare.c: what a call costs more that meets cold caches */
void run_rare(struct run *r);
/* mixed.c: quick calls and slow ones */
void run_mixed(struct run *r);
/* planted.c: calls whose cause is known */
void run_planted(struct run *r);
/* altstack.c */
void run_signal(struct run *r);

/* Prints the line of truth; run_exec does it before it is gone. */
void run_print(struct run *r);

#endif
