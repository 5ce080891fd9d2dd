/*
 * attach - puts programs on addresses, by our own bpf(2) calls.
 *
 * A link watches any number of addresses of one file in one process (or in all
 * of them).  Closing the link's descriptor takes every probe of it away; the
 * kernel does that too when the process that holds it dies in any way.
 * libbpf before 1.3 knows neither uprobe_multi nor sessions, hence by hand
 * (linux/bpf.h, BPF_LINK_CREATE, union bpf_attr.link_create.uprobe_multi).
 */
#ifndef SONDE_SOURCE_ATTACH_H
#define SONDE_SOURCE_ATTACH_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum attach_kind {
	ATTACH_SESSION, /* entry and return at once; kernel 6.13 */
	ATTACH_MULTI,	/* two links, the return first; kernel 6.6 */
	ATTACH_PERF,	/* two perf events a site: slow to take away, for a few sites */
};

/* Sites of one file in one process. */
struct attach_sites {
	const char *path; /* as this process can open it */
	uint32_t pid;	  /* 0 = every process */
	const uint64_t *offsets;
	const uint64_t *cookies; /* what the program reads by bpf_get_attach_cookie() */
	uint32_t count;
	bool plain; /* the program looks at each site alone: no return is hooked */
};

struct attach_programs {
	int session, entry, ret; /* descriptors; those of the kinds not used are -1 */
	int site;		 /* of plain sites */
};

struct attach_links {
	ARRAY(int); /* descriptors, closed together */
};

/* expected_attach_type that a program of this kind is loaded with (linux/bpf.h,
 * enum bpf_attach_type of kernels that have it); of plain sites. */
unsigned attach_program_type(enum attach_kind kind);
unsigned attach_plain_type(enum attach_kind kind);

/* Attaches all sites or none.  -ESRCH (the process is gone), -EPERM, -EINVAL,
 * -EOPNOTSUPP (an instruction that cannot be probed). */
int attach_add(struct attach_links *links, enum attach_kind kind,
	       const struct attach_programs *programs, const struct attach_sites *sites,
	       struct error *err);
/* Takes everything away; returns when no program can run any more. */
void attach_done(struct attach_links *links);

#endif
