/*
 * loop - waits for what happens while a target is watched.
 *
 * A poll a few times a second, a tick once in an interval, the end of the time,
 * Ctrl-C, and the end of the processes that are looked at.  SIGINT, SIGTERM and SIGHUP end
 * the loop only from loop_hear() or loop_run() until loop_deaf(): before, and from then on,
 * they end the program at once, as they do elsewhere.
 */
#ifndef SONDE_SESSION_LOOP_H
#define SONDE_SESSION_LOOP_H

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "wire/event.h"

#include <signal.h>
#include <stdbool.h>
#include <uv.h>

struct loop;

struct loop_process {
	struct loop *loop;
	uv_poll_t handle;
	int fd; /* pidfd */
	uint32_t pid;
	int status; /* wait(2)'s, of our own child */
	bool running, is_child;
};

struct loop_file {
	struct loop *loop;
	uv_poll_t handle;
};

struct loop {
	uv_loop_t uv;
	uv_timer_t poll, tick, end;
	uv_async_t ear; /* a signal came */
	ARRAY(struct loop_process *) processes;
	ARRAY(struct loop_file *) files;
	void (*on_file)(void *context); /* one of the files is readable */
	void (*on_poll)(void *context);
	void (*on_tick)(void *context);
	void *context;
	enum end_reason reason;
	int signal;		       /* that ended it, 0: none */
	volatile sig_atomic_t signals; /* so many came */
	bool by_terminal; /* which told the whole foreground, also a command we started */
	nsec until;	  /* of CLOCK_MONOTONIC; UINT64_MAX: no end; 0: it ends */
	bool keep;	  /* go on when every process ended (a target of all processes) */
};

#define LOOP_POLL_MSEC 50

void loop_init(struct loop *l, void *context);
void loop_done(struct loop *l);

/* Ends the loop when this process and all others added have ended.  is_child:
 * it is ours, and its exit status is taken.  -ESRCH: it is gone already. */
int loop_add_process(struct loop *l, uint32_t pid, bool is_child, struct error *err);
/* Calls on_file when fd, which stays the caller's, is readable. */
void loop_add_file(struct loop *l, int fd);
/* Looks at the files no more. */
void loop_drop_files(struct loop *l);
/* Runs until duration (0: no end) is over, a signal, the last process' end, or
 * loop_stop(): why it ended. */
enum end_reason loop_run(struct loop *l, nsec duration, nsec interval);
void loop_stop(struct loop *l, enum end_reason reason);
/* A signal ends the loop from here on: at once, if it comes before the loop runs. */
void loop_hear(struct loop *l);
/* What had to be kept is kept: a signal ends the program from here on. */
void loop_deaf(struct loop *l);
/* Until the duration is over: UINT64_MAX without one, 0 when the loop ends. */
nsec loop_left(const struct loop *l);
/* Exit status of the child as wait(2) has it, 0 if there is none or it runs. */
int loop_child_status(const struct loop *l);

/* How many of the processes run. */
uint32_t loop_running(const struct loop *l);
bool loop_child_runs(const struct loop *l);

#endif
