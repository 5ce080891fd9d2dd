/*
 * session - one run of sonde on a live target: everything wired together.
 *
 *	session_open	finds the target (or starts the command) and the places
 *	session_arm	loads the programs, attaches the probes: nothing runs yet
 *	session_run	until the time is over, Ctrl-C, or the target ended
 *	session_close
 *
 * What was gathered is in feed.store and can be asked at any time.
 */
#ifndef SONDE_SESSION_SESSION_H
#define SONDE_SESSION_SESSION_H

#include "base/text.h"
#include "session/feed.h"
#include "session/finder.h"
#include "session/loop.h"
#include "session/watch.h"
#include "source/mapwatch.h"

struct session;

struct session_option {
	struct target_query query;
	char **program;	   /* argv of a command to start instead, NULL = none */
	unsigned hz;	   /* samples a second, 0 = none */
	uint64_t causes;   /* of which samples are taken, bits (wire/sample_cause.h) */
	bool seen;	   /* with waits: and what is seen of each thread besides */
	bool user, kernel; /* which halves of the stack */
	const char *const *places;
	uint32_t nr_places;  /* every call of these is a span */
	uint32_t more;	     /* so many more may be watched while it runs */
	enum exit_wish exit; /* how their ends are to be seen */
	bool dry_run;	     /* nothing is attached to the target */
	bool accept_dear;    /* also probes that cost much */
	nsec duration;	     /* 0 = until something ends it */
	nsec interval;	     /* between ticks */
	bool names;	     /* asked for at the end, whether it is recorded or not */
	const char *command; /* the command line, for the recording */
	source_open open;    /* NULL: this kernel (source/live.h) */
};

/* Who wants to see a session run: what commands show, and a server.  Either may be NULL. */
struct session_observer {
	void (*on_poll)(void *context, struct session *s); /* every LOOP_POLL_MSEC */
	void (*on_tick)(void *context, struct session *s); /* every option.interval */
	void *context;
};

struct session_young {
	uint32_t pid;
	nsec since;
	bool program;	 /* not the one in which places were looked up at the start */
	uint32_t looked; /* describe_changes() when they were last */
};

struct session {
	struct session_option option;
	struct target target;
	struct images *images; /* of all of these, each read once */
	struct watch watch;
	struct describe describe;
	struct feed feed;
	struct tables *tables; /* how to unwind what is mapped */
	struct mapwatch mapwatch;
	unsigned heard; /* mappings heard of since the last tick */
	struct loop loop;
	struct source *source;
	struct stream_writer *writer; /* set before session_arm to record; the caller's */
	uint32_t threads;	      /* that were asked for by name or number */
	uint32_t child;		      /* pid of the command that was started, 0 = none */
	bool held;		      /* it has not been let run yet */
	bool looped;		      /* loop is set up */
	bool described;		      /* describe and feed are */
	ARRAY(uint32_t) unjudged;     /* processes that mapped code since the last poll */
	struct error unhooked;	/* why returns are not hooked in a process, "" = they are */
	struct error unwatched; /* why a place is not watched in a new program, "" = all are */
	ARRAY(uint32_t) born;	/* processes forked since the last poll */
	ARRAY(struct session_young) young; /* still loading their libraries */
	nsec missed; /* when maps were last looked at for a sample in none of them */
	nsec opened; /* when session_open was called */
	nsec began;  /* when the clock was started */
	struct finder finder;
	ARRAY(struct session_observer) observers;
	struct error error; /* why a run ended early */
	int failed;	    /* negative errno, 0 = it did not */
};

/* Options are kept, not copied.  Errors as of target_find, launch_open and
 * watch_find; the session is closed by the caller in every case. */
int session_open(struct session *s, const struct session_option *option, struct error *err);
/* Before it runs; in the order in which they are told. */
void session_observe(struct session *s, struct session_observer observer);
int session_arm(struct session *s, struct error *err);
/* Why it ended; s->failed when something made it end early. */
enum end_reason session_run(struct session *s);
/* After session_run(): the observers are told as before until a signal comes; nothing new is
 * gathered. */
void session_linger(struct session *s);
/* While it runs: watches one more place, from when it returns 0 on.  Errors as of
 * watch_add(), watch_price() and source_watch(); what was gathered stays. */
int session_watch(struct session *s, const char *place, enum exit_wish wish, bool accept_dear,
		  uint32_t *ret_probe, struct error *err);
/* Watches it no more; what it has seen can be asked still.  -ENOENT: there is none. */
int session_unwatch(struct session *s, uint32_t probe, struct error *err);

/* What could be watched, as of finder_find(); the target is not touched. */
int session_find(struct session *s, const struct search *search, json_t **ret,
		 struct error *err);

/* Exit status for the command that was started: its own; 128 + signal.  Waits for
 * it if it still runs. */
int session_child_status(const struct session *s);
void session_close(struct session *s);

/* "shop-server (4242), 12 threads; 99 Hz, kernel and user stacks", and a line a
 * probe: "handle_request  shop.c:310  return hook  0.62 µs a call". */
void session_describe(struct session *s, struct text *to);

#endif
