#include "source/attach.h"

#include "base/apart.h"
#include "base/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/bpf.h of the kernels that have them */
#define TRACE_UPROBE_MULTI 48
#define TRACE_UPROBE_SESSION 57
#define UPROBE_MULTI_RETURN 1
/* not an errno value for user space, but what the kernel returns */
#define KERNEL_ENOTSUPP 524
#define MAX_PERF_SITES 64
/* Each close() waits for the kernel, 45 to 80 ms were measured: so many at once. */
#define CLOSERS 16

/* The part of union bpf_attr for BPF_LINK_CREATE of a uprobe_multi link. */
struct uprobe_multi_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t count, multi_flags, pid;
} __attribute__((packed));
_Static_assert(sizeof(struct uprobe_multi_attr) == 60, "as the kernel has it");

unsigned attach_program_type(enum attach_kind kind)
{
	return kind == ATTACH_SESSION ? TRACE_UPROBE_SESSION
	       : kind == ATTACH_MULTI ? TRACE_UPROBE_MULTI
				      : 0;
}

unsigned attach_plain_type(enum attach_kind kind)
{
	return attach_program_type(kind == ATTACH_SESSION ? ATTACH_MULTI : kind);
}

static int attach_error(int code, const struct attach_sites *s, struct error *err)
{
	switch (code) {
	case ESRCH:
		return error_set(err, code, "process %u ended while it was being probed",
				 s->pid);
	case EPERM:
	case EACCES:
		return error_set(
			err, EPERM,
			"not allowed to probe '%s': run as root, or with CAP_BPF, CAP_PERFMON "
			"and CAP_SYS_PTRACE (see sonde doctor)",
			s->path);
	case KERNEL_ENOTSUPP:
	case EOPNOTSUPP:
		return error_set(err, EOPNOTSUPP,
				 "the kernel cannot put a probe on an instruction in '%s'",
				 s->path);
	default:
		return error_set(err, code, "the kernel refused %u probe%s in '%s': %s",
				 s->count, s->count == 1 ? "" : "s", s->path, strerror(code));
	}
}

/* Apart: what puts probes on code must not be killed amid. */
static int create_link(const void *attr, size_t size)
{
	return apart_syscall(SYS_bpf, (const long[5]){ BPF_LINK_CREATE, (long)attr, size });
}

static int link_multi(int program, unsigned type, bool is_return, const struct attach_sites *s)
{
	struct uprobe_multi_attr attr = {
		.prog_fd = program,
		.attach_type = type,
		.path = (uintptr_t)s->path,
		.offsets = (uintptr_t)s->offsets,
		.cookies = (uintptr_t)s->cookies,
		.count = s->count,
		.multi_flags = is_return ? UPROBE_MULTI_RETURN : 0,
		.pid = s->pid,
	};

	return create_link(&attr, sizeof(attr));
}

/* Some file systems complain when a probe is put on a page that was never
 * read: read each first. */
static int touch_pages(const struct attach_sites *s, struct error *err)
{
	AUTO_CLOSE int fd = open(s->path, O_RDONLY | O_CLOEXEC);
	uint64_t page = UINT64_MAX;
	char byte;

	if (fd < 0)
		return error_set(err, errno, "cannot open '%s': %s", s->path, strerror(errno));
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->offsets[i] / 4096 == page)
			continue;
		page = s->offsets[i] / 4096;
		if (pread(fd, &byte, 1, s->offsets[i]) != 1)
			return error_set(err, EINVAL, "'%s' has no byte at offset 0x%llx",
					 s->path, (unsigned long long)s->offsets[i]);
	}
	return 0;
}

static unsigned perf_type_uprobe(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	unsigned type = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%u", &type) != 1)
		type = 0;
	fclose(f);
	return type;
}

/* One site by a perf event (kernel 4.17; the cookie needs 5.15). */
static int link_perf(int program, const struct attach_sites *s, uint32_t site, bool is_return)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = perf_type_uprobe(),
		.config = is_return, /* bit 0: retprobe, see .../uprobe/format/retprobe */
		.config1 = (uintptr_t)s->path,
		.config2 = s->offsets[site],
	};
	const long args[5] = { (long)&attr, s->pid ? (int)s->pid : -1, s->pid ? -1 : 0, -1,
			       PERF_FLAG_FD_CLOEXEC };
	union bpf_attr link = { 0 };
	int event = apart_syscall(SYS_perf_event_open, args), fd;

	if (event < 0)
		return event;
	link.link_create.prog_fd = program;
	link.link_create.target_fd = event;
	link.link_create.attach_type = BPF_PERF_EVENT;
	link.link_create.perf_event.bpf_cookie = s->cookies[site];
	fd = create_link(&link, sizeof(link));
	apart_close(event); /* the link holds it, if there is one */
	return fd;
}

static int add_perf(struct attach_links *links, const struct attach_programs *programs,
		    const struct attach_sites *s)
{
	if (s->count > MAX_PERF_SITES)
		return -E2BIG;
	for (uint32_t i = 0; i < s->count; i++) {
		for (int is_return = !s->plain; is_return >= 0; is_return--) {
			int program = s->plain	  ? programs->site
				      : is_return ? programs->ret
						  : programs->entry;
			int fd = link_perf(program, s, i, is_return);

			if (fd < 0)
				return fd;
			array_push(links, fd);
		}
	}
	return 0;
}

static int add_one(struct attach_links *links, int program, unsigned type,
		   const struct attach_sites *s)
{
	int fd = link_multi(program, type, false, s);

	if (fd >= 0)
		array_push(links, fd);
	return fd;
}

static int add_multi(struct attach_links *links, const struct attach_programs *programs,
		     const struct attach_sites *s)
{
	int fd = link_multi(programs->ret, TRACE_UPROBE_MULTI, true, s);

	if (fd < 0)
		return fd;
	array_push(links, fd);
	fd = link_multi(programs->entry, TRACE_UPROBE_MULTI, false, s);
	if (fd < 0)
		return fd;
	array_push(links, fd);
	return 0;
}

static void close_from(struct attach_links *links, uint32_t first)
{
	/* entries before returns: the newest first */
	while (links->count > first)
		apart_close(links->at[--links->count]);
}

int attach_add(struct attach_links *links, enum attach_kind kind,
	       const struct attach_programs *programs, const struct attach_sites *sites,
	       struct error *err)
{
	uint32_t before = links->count;
	int code = touch_pages(sites, err);

	if (code < 0)
		return code;
	if (kind == ATTACH_PERF)
		code = add_perf(links, programs, sites);
	else if (sites->plain)
		code = add_one(links, programs->site, TRACE_UPROBE_MULTI, sites);
	else if (kind == ATTACH_SESSION)
		code = add_one(links, programs->session, TRACE_UPROBE_SESSION, sites);
	else
		code = add_multi(links, programs, sites);
	if (code >= 0)
		return 0;
	close_from(links, before);
	if (code == -E2BIG && kind == ATTACH_PERF)
		return error_set(
			err, E2BIG,
			"%u probes are too many for this kernel's probes (at most %d without "
			"uprobe_multi, which Linux 6.6 has)",
			sites->count, MAX_PERF_SITES);
	return attach_error(-code, sites, err);
}

static void close_link(void *fd)
{
	apart_close((int)(intptr_t)fd);
}

void attach_done(struct attach_links *links)
{
	if (links->count > 1) {
		struct crew *crew = crew_new(CLOSERS, CLOSERS);

		while (links->count)
			crew_do(crew, close_link, (void *)(intptr_t)links->at[--links->count]);
		crew_free(crew);
	}
	close_from(links, 0);
	array_done(links);
}
