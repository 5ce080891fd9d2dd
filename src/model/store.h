/*
 * store - everything the model knows: filled by join, asked by views.
 *
 * Bounded in each of its parts; what had to be forgotten is counted there.
 */
#ifndef SONDE_MODEL_STORE_H
#define SONDE_MODEL_STORE_H

#include "base/intern.h"
#include "model/cube.h"
#include "model/holder.h"
#include "model/lock.h"
#include "model/sample.h"
#include "model/space.h"
#include "model/timeline.h"
#include "wire/event.h"

#define STORE_MAX_PROBES 8192
#define STORE_MAX_REMOVED 64 /* probes that were taken away: the newest are kept */
#define STORE_MAX_IMAGES 65536
#define STORE_MAX_PROCESSES 65536
#define STORE_MAX_THREADS 65536
#define STORE_MAX_TEXT (256u << 20)	 /* bytes of names */
#define STORE_MAX_INTERVALS (512u << 10) /* of all probes' timelines (150 bytes each), */
#define STORE_MAX_BUCKETS (16u << 20)	 /* and of their buckets (16 each) */

/* Most that is kept; 0 means the default. */
struct store_limit {
	uint32_t samples; /* 1 M */
	uint32_t spans;	  /* 256 k */
	uint32_t nodes;	  /* 4 M; frames: a quarter of it */
	uint32_t cells;	  /* of the cube: 1 M */
};

/* A place that is watched (event_probe). */
struct store_probe {
	uint32_t id; /* 0: only its counts are known, or nothing */
	text_id place, function, file;
	uint32_t line, sites, image, cost;
	enum probe_exit exit;
	uint64_t offset, length;
	nsec armed;
	nsec removed; /* when it was taken away, 0: it is there */
	bool uncubed; /* which of the samples in the cube are older is not known */
	struct timeline calls;
};

struct store_image {
	uint32_t id;
	enum image_kind kind;
	uint8_t build_id[20], build_id_size;
	text_id path;
	struct space_range first; /* its first mapping, of any process; image 0 = none */
};

struct store_process {
	uint32_t pid, parent;
	bool exited;
	char comm[32];
};

struct store_thread {
	uint32_t tid, pid;
	bool exited;
	char name[17];
	nsec ran;		  /* when it got a CPU last, as it was told; 0: it was not */
	uint32_t number;	  /* in its own pid namespace; 0: it was not told */
	struct event_futex futex; /* that it waited for last, as it was told */
	struct sample wait;	  /* as it was seen last off its CPU; cause 0: never */
	bool waits;		  /* and it was not seen otherwise since */
	nsec until;		  /* so long it was seen there */
	uint32_t owner, line;	  /* who had what it waited for at first, and whose it is */
	uint64_t untold;	  /* number of that sample, while it is to be asked about */
	uint64_t unwoken; /* 1 + number of the newest of it that is to know who ended the wait;
			     0: none */
	uint32_t woken;	  /* number of who did (model/holder.h), 0: it is not known */
};

/* A sample of a wait, of which it is to be said what the one did that has what it is for. */
struct store_due {
	uint64_t sample; /* its number */
	nsec told, at;
	struct lock_hold hold;
};

/* Where the stream comes from (event_target). */
struct store_origin {
	text_id host, kernel, command;
	nsec time, wall, period; /* wall: CLOCK_REALTIME at time */
	uint32_t hz, cpus;
};

/* Processes forked while probes were watched (event_armed). */
struct store_children {
	uint64_t count;
	uint64_t unwatched; /* of these: never carried probes */
	nsec latest;	    /* most from the fork until the probes were there */
};

/* Programs that processes became, in which places were looked up (event_program). */
struct store_programs {
	uint64_t count;
	nsec latest; /* most from the exec until their functions were watched */
};

/* Stacks seen lately, by a hash of their addresses. */
#define STACK_CACHE 4096

struct stack_cached {
	uint64_t key; /* 64 well-mixed bits; two stacks with the same are never met */
	node_id node;
};

struct store {
	struct store_limit limit;
	struct intern text;
	struct frames frames;
	struct tree tree;
	struct spans spans;
	struct samples samples;
	struct spaces spaces;
	struct cube cube;

	struct store_origin origin;
	ARRAY(struct store_probe) probes; /* in the order they were told */
	uint64_t intervals, buckets;	  /* of their timelines, as last counted, or more */
	struct table probe_ids;
	ARRAY(struct store_image) images;
	struct table image_ids;
	ARRAY(struct store_process) processes;
	struct table pids;
	ARRAY(struct store_thread) threads; /* a ring once it is full */
	struct table tids;
	struct table numbers; /* pid << 32 | number, where they are told -> tid */
	struct locks locks;
	struct holders holders;
	ARRAY(struct store_due) due; /* in the order they were told, from `asked` on */
	uint32_t asked;
	uint64_t threads_seen; /* distinct, as far as they are known */

	bool timed;		  /* of some call it is known how long it had no CPU */
	uint64_t causes;	  /* of samples that are taken, bits (wire/sample_cause.h) */
	struct event_loss losses; /* the newest */
	struct store_children children;
	struct store_programs programs;
	uint64_t malformed; /* records whose parts did not fit */
	nsec first, newest; /* time of what is known; newest 0: nothing yet */
	nsec started;	    /* when samples and calls began to count, 0: not told */
	nsec last_armed;    /* newest of the probes' */
	bool has_end;
	struct event_end end;
	struct stack_cached *stacks; /* STACK_CACHE of them */
};

/* limit may be NULL. */
struct store *store_new(const struct store_limit *limit);
void store_free(struct store *st); /* NULL is fine */

/* NULL: not known. */
const struct store_probe *store_probe(const struct store *st, uint32_t id);
/* The first that is there, else the one taken away last; NULL: there is none. */
const struct store_probe *store_main_probe(const struct store *st);
/* Did it watch at that time? */
bool store_probe_watched(const struct store_probe *p, nsec time);
const struct store_image *store_image(const struct store *st, uint32_t id);
const struct store_process *store_process(const struct store *st, uint32_t pid);
const struct store_thread *store_thread(const struct store *st, uint32_t tid);
/* Of a process, by the number that it knows its thread by; NULL: not known. */
const struct store_thread *store_thread_numbered(const struct store *st, uint32_t pid,
						 uint32_t number);
/* "" when it is not known. */
const char *store_thread_name(const struct store *st, uint32_t tid);

/* The outermost call of a probe around (and including) span inner; NULL when
 * there is none.  *ret_broken: a call on the way is not known, so there may be
 * one all the same. */
const struct span *store_enclosing(const struct store *st, span_id inner, uint32_t probe,
				   bool *ret_broken);

/* For join: these make the thing when it is new; NULL when there is no room. */
struct store_probe *store_get_probe(struct store *st, uint32_t id);
/* A probe that is known was taken away; the oldest such is forgotten when there are many. */
void store_remove_probe(struct store *st, uint32_t id, nsec time);
struct store_image *store_get_image(struct store *st, uint32_t id);
struct store_process *store_get_process(struct store *st, uint32_t pid);
struct store_thread *store_get_thread(struct store *st, uint32_t tid);
void store_number_thread(struct store *st, struct store_thread *t, uint32_t number);
/* A timeline may have become longer by one event: keeps all of them within their bounds. */
void store_bound_timelines(struct store *st, uint32_t nr_bucket);
/* A span by id (not 0), another being forgotten when there are too many. */
struct span *store_get_span(struct store *st, span_id id);
/* A new newest sample, the oldest one going to the cube when there are too many. */
struct sample *store_add_sample(struct store *st);

#endif
