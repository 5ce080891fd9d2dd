/*
 * live - the source that watches this kernel.
 *
 * The order is: open, watch probes in children, add targets, watch probes, start, then poll a
 * few times a second and tick once a second, stop, close.  Closing without stopping leaves the
 * target as it was too, but says nothing about what was still open.
 */
#ifndef SONDE_SOURCE_LIVE_H
#define SONDE_SOURCE_LIVE_H

#include "source/attach.h"
#include "source/judged.h"
#include "source/price.h"
#include "source/source.h"
#include "source/tables.h"

struct live;

struct live_option {
	unsigned hz;		 /* samples a second, 0 = none */
	bool user, kernel;	 /* which halves of the stack */
	bool follow;		 /* children of a target are targets */
	bool every;		 /* every process is one */
	bool by_thread;		 /* only threads given to live_add_thread */
	uint32_t probes;	 /* at most so many will be watched */
	bool brackets;		 /* of some of them no probe sees the end of calls */
	enum attach_kind attach; /* how, as this kernel allows */
	struct tables *tables;	 /* to unwind by; the caller's; NULL: frame pointers */
};

/* Loads the programs.  -EPERM with what is missing, -EINVAL for hz. */
int live_open(const struct live_option *option, source_event event, void *context,
	      struct live **ret, struct error *err);
void live_close(struct live *l); /* NULL is fine */

int live_add_process(struct live *l, uint32_t pid, struct error *err);
int live_add_thread(struct live *l, uint32_t tid, struct error *err);

/* What the cookies of sites call layouts, from 1 on; at most MAX_LAYOUTS. */
void live_layouts(struct live *l, const struct goroutine_layout *layouts, uint32_t count);
/* Watches the sites of one file, in one process or all, by one link; their
 * cookies name probes from 1 to option.probes, or none.  May be called again for the same
 * probes with sites of another file or process. */
int live_watch(struct live *l, const struct attach_sites *sites, struct error *err);
/* Watches them in all children to come, too, with option.follow; what they point to stays
 * where it is until live_close(). */
void live_inherit(struct live *l, const struct attach_sites *sites);
/* The process has ended: its probes go. */
void live_ended(struct live *l, uint32_t pid);

/* Where returns may be hooked is told through it. */
struct judged_maps *live_judged(struct live *l);

/* What watching costs here, the least that was found so far: measured at the first call
 * (about 15 ms), and again and again since. */
struct price live_price(struct live *l);
/* The same after one more look, of half a millisecond, for who needs to know it now. */
struct price live_price_look(struct live *l);
/* The same for who watches nothing: loads the programs for it, a few tenths of a second. */
int live_price_here(enum attach_kind attach, struct price *ret, struct error *err);

/* Starts the clock (if hz was not 0). */
int live_start(struct live *l, struct error *err);
/* Delivers what is in the ring, and the calls that were counted since the last time if that
 * is a tenth of a second ago, with many probes more: number of records of the ring. */
int live_poll(struct live *l);
/* Delivers the same, the calls in any case, and the losses so far. */
void live_tick(struct live *l);
/* Takes all probes away, lists the open spans, delivers the rest and an
 * EVENT_END.  status as wait(2) gives it. */
void live_stop(struct live *l, enum end_reason reason, int status);

#endif
