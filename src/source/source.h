/*
 * source - where events come from.
 *
 * A live kernel, a file or another machine: each hands its events, checked, to a function of
 * one type, and who gets them cannot tell which it was.  What watches a target is a struct
 * source: source/live watches this kernel, source/fake is a script for tests.
 *
 * The order is: open, add targets, watch probes, start, then poll a few times a second and
 * tick once a second, stop, close.  Closing without stopping leaves the target as it was too,
 * but says nothing about what was still open.  While it runs probes can be added and taken
 * away: source_room(), source_watch() for each file, source_count(); source_unwatch().
 */
#ifndef SONDE_SOURCE_SOURCE_H
#define SONDE_SOURCE_SOURCE_H

#include "source/attach.h"
#include "source/judged.h"
#include "source/price.h"
#include "source/tables.h"
#include "wire/event.h"

/* event_check holds for e, which is valid during the call only. */
typedef void (*source_event)(void *context, const struct event *e);

struct source_option {
	unsigned hz;		 /* samples a second, 0 = none */
	bool running;		 /* of threads that have a CPU, by its clock */
	bool waiting;		 /* of threads that have none, by looks from outside */
	bool seen;		 /* and what is seen of each thread besides */
	bool user, kernel;	 /* which halves of the stack */
	bool follow;		 /* children of a target are targets */
	bool every;		 /* every process is one */
	bool by_thread;		 /* only threads that are added */
	const char *names;	 /* and those that come to have such a name; NULL: none */
	uint32_t probes;	 /* that will be watched from the start, ids from 1 */
	uint32_t more;		 /* so many more may be while it runs */
	bool goroutines;	 /* some of the first are of programs in Go */
	bool brackets;		 /* of some of the first no probe sees the end of calls */
	enum attach_kind attach; /* how, as this kernel allows */
	struct tables *tables;	 /* to unwind by; the caller's; NULL: frame pointers */
};

struct source {
	const struct source_operations *operations;
};

/* What a source does; each is described at the function of its name below. */
struct source_operations {
	void (*close)(struct source *s);
	int (*add_process)(struct source *s, uint32_t pid, struct error *err);
	int (*add_thread)(struct source *s, uint32_t tid, struct error *err);
	void (*layouts)(struct source *s, const struct goroutine_layout *layouts,
			uint32_t count);
	int (*watch)(struct source *s, const struct attach_sites *sites, struct error *err);
	uint32_t (*room)(struct source *s);
	int (*brackets)(struct source *s, struct error *err);
	void (*count)(struct source *s, uint32_t probe);
	void (*unwatch)(struct source *s, uint32_t probe);
	void (*ended)(struct source *s, uint32_t pid);
	struct judged_maps *(*judged)(struct source *s);
	const char *(*kernel_symbol)(struct source *s, uint64_t address);
	struct price (*price)(struct source *s);
	struct price (*price_look)(struct source *s);
	int (*start)(struct source *s, struct error *err);
	int (*poll)(struct source *s);
	void (*tick)(struct source *s);
	void (*stop)(struct source *s, enum end_reason reason, int status);
};

/* Opens one that hands its events to event.  -EPERM with what is missing, -EINVAL for hz. */
typedef int (*source_open)(const struct source_option *option, source_event event,
			   void *context, struct source **ret, struct error *err);
void source_close(struct source *s); /* NULL is fine */

int source_add_process(struct source *s, uint32_t pid, struct error *err);
int source_add_thread(struct source *s, uint32_t tid, struct error *err);

/* What the cookies of sites call layouts, from 1 on; at most MAX_LAYOUTS.  With
 * option.goroutines, or option.more. */
void source_layouts(struct source *s, const struct goroutine_layout *layouts, uint32_t count);
/* Watches sites of one file and one probe, or (probe 0) of none, in all processes that were
 * added and, with option.follow, in children to come.  What they point to stays where it is
 * until EVENT_UNPROBE or source_close().  May be called again for the same probe with sites of
 * another file.  On an error some processes may have them: unwatch it. */
int source_watch(struct source *s, const struct attach_sites *sites, struct error *err);

/* The id of one more probe, for cookies; 0: so many are there that there is no room. */
uint32_t source_room(struct source *s);
/* A probe that is added has calls whose end no probe sees. */
int source_brackets(struct source *s, struct error *err);
/* All of its sites are watched: its calls count from now on. */
void source_count(struct source *s, uint32_t probe);
/* Its calls count no more.  Its sites go soon, with an EVENT_UNPROBE if it did count. */
void source_unwatch(struct source *s, uint32_t probe);
/* The process has ended: its probes go. */
void source_ended(struct source *s, uint32_t pid);

/* Where returns may be hooked is told through it. */
struct judged_maps *source_judged(struct source *s);

/* What this kernel calls one of its addresses, as ksym_read() takes it, valid until the next
 * question; NULL: it cannot be asked. */
const char *source_kernel_symbol(struct source *s, uint64_t address);

/* What watching costs here, the least that was found so far: measured at the first call
 * (about 15 ms), and again and again since. */
struct price source_price(struct source *s);
/* The same after one more look, of half a millisecond, for who needs to know it now. */
struct price source_price_look(struct source *s);

/* Starts the clock (if hz was not 0). */
int source_start(struct source *s, struct error *err);
/* Delivers what is there, and the calls that were counted since the last time if that
 * is a tenth of a second ago, with many probes more: number of records. */
int source_poll(struct source *s);
/* Delivers the same, the calls in any case, and the losses so far. */
void source_tick(struct source *s);
/* Takes all probes away, lists the open spans, delivers the rest and an
 * EVENT_END.  status as wait(2) gives it. */
void source_stop(struct source *s, enum end_reason reason, int status);

#endif
