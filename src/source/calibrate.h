/*
 * calibrate - what this kernel lets us do, found by trying.
 *
 * Versions are never looked at: distributions move features, and a sandbox or a
 * security module takes them away.  Nothing is attached.
 */
#ifndef SONDE_SOURCE_CALIBRATE_H
#define SONDE_SOURCE_CALIBRATE_H

#include "source/attach.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_support {
	char release[65];
	bool btf; /* the kernel's types: needed to load the BPF half */
	bool load_bpf;
	int load_errno;	     /* why not */
	bool uprobe_session; /* entry and return at once */
	bool uprobe_multi;   /* many sites by one link */
	bool perf_uprobe;    /* one site an event */
	bool ring_buffer;
	bool task_storage;
	bool arena;
	bool waits;	/* threads that have no CPU can be looked at */
	bool cpu_clock; /* sampling every CPU by its clock */
	int cpu_clock_errno;
	bool hardware;		 /* counters of cycles that count */
	int perf_event_paranoid; /* as in /proc/sys/kernel; -2 when unreadable */
	int kptr_restrict;
	int max_sample_rate;
};

/* The best way to watch calls that there is: tried anew, in less than a millisecond. */
enum attach_kind kernel_attach_kind(void);

/* Always fills ret; 0, or -errno of loading the simplest program.  Some 20 ms, for reading the
 * kernel's types. */
int kernel_support_probe(struct kernel_support *ret);

#endif
