/*
 * target - which processes and threads are looked at.
 */
#ifndef SONDE_PROC_TARGET_H
#define SONDE_PROC_TARGET_H

#include "base/text.h"
#include "proc/process.h"

/* What was asked for (-p, -t, -n, -a, --thread).  Exactly one of the first four
 * must be set; strings stay the caller's. */
struct target_query {
	const uint32_t *pids; /* -p */
	uint32_t nr_pids;
	const uint32_t *tids; /* -t */
	uint32_t nr_tids;
	const char *name;   /* -n: glob on the name (comm) or the executable's base name */
	bool all;	    /* -a */
	const char *thread; /* --thread: glob on thread names, NULL = every thread */
};

struct target {
	struct process_list processes; /* in the order asked for, each once */
	struct {
		ARRAY(uint32_t);
	} tids;		     /* only these threads; none: all */
	char *thread;	     /* glob on thread names, NULL = all */
	bool all;	     /* every process, also later ones */
	bool many;	     /* by name, or all: some may end before they are looked at */
	uint32_t ended;	     /* of those, that have */
	uint32_t refused;    /* of those, that may not be looked at, */
	struct error denied; /* and why one of them may not */
};

/*
 * Finds the processes and checks that each can be looked at.  Errors, each a
 * sentence: -EINVAL nothing or two things asked for, sonde itself; -ESRCH no
 * such process, a zombie, no process of that name (near names are offered);
 * -ENOTSUP a kernel thread; -EACCES another user's process, with the capability
 * that is missing.  With name and all, processes that may not be looked at are
 * left out as long as one remains.
 */
int target_find(const struct target_query *query, struct target *ret, struct error *err);
void target_done(struct target *t);

/* Takes out a process that has ended, and counts it. */
void target_drop(struct target *t, uint32_t pid);
/* Does the target take a thread of this number and name? */
bool target_takes_thread(const struct target *t, uint32_t tid, const char *comm);
/* As messages call it: "shop-server (4242)", "3 processes", "all processes".  Adds. */
void target_describe(const struct target *t, struct text *to);
/* How a command line names it: "-p 4242", "-a".  Adds. */
void target_option(const struct target *t, struct text *to);

#endif
