/*
 * watch - the probes of a run: found in the target, put on its processes.
 */
#ifndef SONDE_SESSION_WATCH_H
#define SONDE_SESSION_WATCH_H

#include "probe/probe.h"
#include "session/describe.h"
#include "session/feed.h"
#include "source/source.h"

/* Sites of one probe in one file, ready to be attached by one link. */
struct watch_file {
	uint32_t probe;	     /* 0: landmarks, of all probes */
	bool watched;	     /* it was given to the source: complete */
	char *path;	     /* "/proc/self/fd/N": leads to it whatever happens to its name */
	struct image *image; /* its own reference; pinned */
	bool plain;	     /* each site is looked at alone, no return is hooked */
	ARRAY(uint64_t) offsets;
	ARRAY(uint64_t) cookies; /* as of COOKIE */
};

struct watch {
	struct images *images; /* as of images_open(); the caller's, set before */
	struct code code;
	struct probe_set set;
	ARRAY(struct watch_file) files;
	ARRAY(struct goroutine_layout) layouts; /* as cookies name them, from 1 on */
	bool hooks;	       /* some function's return is hooked, now or before */
	bool exits;	       /* some function's exits are probed */
	bool goroutines;       /* calls may be told by goroutine: known when it is armed */
	bool brackets;	       /* some function's end is estimated */
	struct table searched; /* as of landmarks_find() */
	struct table extended; /* maps_code_key() of code in which all places were looked up */
	enum attach_kind kind; /* as of watch_fits() */
	struct table judged;   /* maps_code_key() of code that was found fit for hooks */
};

/* Opens the target's code and finds every place, to be ended as wished.  What probe_resolve
 * says; and -EPERM when the end of the calls cannot be seen without harm. */
int watch_find(struct watch *w, const struct target *target, const char *const *places,
	       uint32_t nr_places, enum exit_wish wish, struct error *err);
void watch_done(struct watch *w);

/* Will the probes be attached so?  Without sessions the return of every call of a hooked probe
 * is hooked, also on a signal stack, which the target would not survive.  false: the target
 * sets one up; err says so. */
bool watch_fits(struct watch *w, enum attach_kind kind, struct error *err);
/* -EINVAL when a probe, or the one that is asked for, is dear: single-stepped at more than
 * WATCH_DEAR_NSEC a call here, or on more than WATCH_DEAR_SITES functions.  The sentence says
 * how to go on. */
int watch_price(struct watch *w, uint32_t only, struct source *source, struct error *err);
/* The same of the functions from that index on, without looking at the price again. */
int watch_price_more(const struct probe *p, uint32_t from, struct source *source,
		     struct error *err);
/* The function, from that index on, whose calls cost most. */
const struct probe_function *watch_dearest(const struct probe *p, uint32_t from,
					   const struct price *price);
#define WATCH_DEAR_NSEC 10000
#define WATCH_DEAR_SITES 1000

/* Gives the source all files that it does not have. */
int watch_arm(struct watch *w, struct source *source, struct error *err);
/* Tells the stream of each probe, or of the one that is asked for. */
void watch_tell(struct watch *w, uint32_t only, struct source *source,
		struct describe *describe, struct feed *feed);

/* While it runs: finds one more place in what the target's processes map now.  As
 * watch_find(), and -E2BIG: there is no room.  *ret_id: of the probe, for watch_remove() if
 * anything of it fails later. */
int watch_add(struct watch *w, const struct target *target, struct source *source,
	      const char *place, enum exit_wish wish, uint32_t *ret_id, struct error *err);
/* It is wanted no more; its files stay until it is gone (EVENT_UNPROBE). */
void watch_remove(struct watch *w, struct source *source, uint32_t id);
void watch_gone(struct watch *w, uint32_t id);
/* Looks all places up in what a process of the target maps, if that was not done for the
 * same code, and watches what they stand for there: how many functions more.  processes: of
 * the target, now.  What cannot be
 * watched (as of watch_find(), or it is dear) is left out, and *why says one of it; else it
 * stays as it is. */
uint32_t watch_extend(struct watch *w, uint32_t pid, uint32_t processes, struct source *source,
		      bool accept_dear, struct error *why);
/* May returns be hooked in the process, by all code that it maps now?  *ret_pages: how
 * much that is (maps_code_pages), 0 = the process is gone.  false: err says why not. */
bool watch_may_hook(struct watch *w, uint32_t pid, uint64_t *ret_pages, struct error *err);

#endif
