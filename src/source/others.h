/*
 * others - probes that somebody else has put where ours are to stand.
 *
 * The kernel asks each link whether it wants to see a process, but hooks the return of a
 * call in every process that has the probe, if any link hooks returns there: so a hook for
 * one process reaches into another one that is watched by another sonde (or tracer) at the
 * same place, and ends it if its call is on a stack of its own or is left by an exception.
 * (uprobe_prog_run() in kernel/trace/bpf_trace.c, handler_chain() in
 * kernel/events/uprobes.c.)
 */
#ifndef SONDE_SOURCE_OTHERS_H
#define SONDE_SOURCE_OTHERS_H

#include "source/attach.h"

/* Would a return be hooked in a process because of a link in another one?  sites: about to be
 * put, or there; only: the one process that gets them, 0: several do.  0 if not, and where
 * the links of others cannot be seen (that takes CAP_SYS_ADMIN); -EBUSY, and err says who.
 * Links of ours, by their programs, are left out; so are probes that are no such links. */
int others_check(const struct attach_sites *sites, uint32_t only,
		 const struct attach_programs *ours, struct error *err);

#endif
