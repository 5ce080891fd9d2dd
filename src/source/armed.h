/*
 * armed - the processes that carry probes: those that were asked for, and their children.
 *
 * A child inherits the breakpoints of its parent but not the links: its calls are seen once
 * it has its own.  A thread waits for births and does nothing else, so that this takes as
 * little time as it can; how long it took is told of every child.
 *
 * Each hit goes through the links of all processes, also of those that have ended, so these
 * are taken away (and not made for more children at a time than can be kept up with), as are
 * those of a probe that is not wanted any more; as that means to wait
 * for the kernel (45 ms a link were measured), threads of their own do it, many at once.
 */
#ifndef SONDE_SOURCE_ARMED_H
#define SONDE_SOURCE_ARMED_H

#include "base/clock.h"
#include "source/attach.h"

struct armed;

struct armed_child {
	uint32_t pid;
	nsec born; /* when it was forked */
	nsec at;   /* since when it carries all probes; 0: it could not, or was gone before */
};

/* programs as attach_add() takes them. */
struct armed *armed_new(enum attach_kind kind, const struct attach_programs *programs);
/* This process is to carry probes. */
void armed_process(struct armed *a, uint32_t pid);
/* The one process that carries probes, 0: none or several do. */
uint32_t armed_only(struct armed *a);
/* Puts probes on every process that there is, and on children to come, if they are followed.
 * All sites are of one probe; all they point to stays where it is until the probe is gone.
 * A process that has ended does not matter, unless no other is left: -ESRCH.  As attach_add();
 * on an error the caller removes the probe. */
int armed_watch(struct armed *a, const struct attach_sites *sites, struct error *err);
/* Takes all links of a probe away, soon. */
void armed_remove(struct armed *a, uint32_t probe);
/* One that was removed and that no program is run for any more; 0: there is none. */
uint32_t armed_gone(struct armed *a);
/* Waits for children that the ring map births tells of (struct birth); they are in the map
 * living (pid -> enum target_state) until they end: young until they carry all probes, for
 * good where some were refused.  One is added to *grown for each that was told of and is young
 * no more, or has ended before.  -errno: no child will be followed. */
int armed_follow(struct armed *a, int births, int living, uint32_t *grown);
/* The process has ended; its probes go soon. */
void armed_ended(struct armed *a, uint32_t pid);
/* The next child that was not told of yet; false: there is none. */
bool armed_told(struct armed *a, struct armed_child *child);
/* Follows no child any more and takes all probes away: when it returns, no program can run
 * any more. */
void armed_clear(struct armed *a);
void armed_free(struct armed *a); /* NULL is fine */

#endif
