/*
 * stage - what every test target does alike: its words, the ready line, counted
 * work, and the truth it prints about itself.
 *
 * A target prints "ready PID" when a test may attach, waits for a line on
 * standard input if it was started with --wait, does a counted amount of work
 * and prints one line of JSON: what really happened.  It ends by itself; a
 * watchdog ends it with status 3 if it does not.
 */
#ifndef SONDE_TEST_STAGE_H
#define SONDE_TEST_STAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Kept as a function of its own, called as written: no clones, no inlining. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define KEPT __attribute__((noipa))
#else
#define KEPT __attribute__((noinline))
#endif

/* gcc drops the frame of a leaf that does not touch its stack, whatever it is
 * told; its caller would then be missing from stacks by frame pointers. */
#define KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

struct stage {
	const char *mode; /* the first word, "" if none */
	unsigned threads;
	unsigned rate;	  /* calls a second of each thread, 0 = no pauses */
	unsigned calls;	  /* of each thread */
	unsigned depth;	  /* for what recurses */
	unsigned work;	  /* rounds of spin() of an ordinary call */
	unsigned seconds; /* after which the watchdog ends the program */
	bool wait;
	const char *durations; /* file for all durations, one a line; NULL = none */
	const char *variant;   /* --variant WORD: what a mode makes of it */
};

/* Reads the command line over the defaults in s; wrong use ends the program
 * with status 2. */
void stage_options(struct stage *s, int argc, char **argv);
/* The ready line, the wait, the watchdog. */
void stage_open(const struct stage *s);

/* Nanoseconds of CLOCK_MONOTONIC, and of this thread's CPU time. */
uint64_t stage_now(void);
uint64_t stage_cpu(void);
/* Sleeps until *next, then puts it one period of rate a second later. */
void stage_pace(uint64_t *next, unsigned rate);

/* rounds rounds of integer work that no compiler can leave out (about 1 ns each). */
KEPT uint64_t spin(uint64_t rounds);

/* All durations of a run: exact quantiles. */
struct durations {
	uint64_t *at;
	unsigned count, room;
};

void durations_init(struct durations *d, unsigned room);
void durations_done(struct durations *d);
void durations_add(struct durations *d, uint64_t nsec);
void durations_append(struct durations *d, const struct durations *more);
/* Sorts; nearest rank (the smallest value with at least q of all at or below it). */
uint64_t durations_quantile(struct durations *d, double q);
/* "p50_ns":..,...,"max_ns":.. without braces. */
void durations_print(struct durations *d, FILE *out);
/* One a line; nothing when path is NULL. */
void durations_write(const struct durations *d, const char *path);

#endif
