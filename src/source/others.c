#include "source/others.h"

#include "base/mem.h"
#include "base/table.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINK_UPROBE_MULTI 12 /* linux/bpf.h, enum bpf_link_type, of kernels that have it */
#define FLAG_RETURN 1	     /* BPF_F_UPROBE_MULTI_RETURN */
#define OURS_BY_NAME "call_session"
#define SITES_MOST (1u << 20)

/* linux/bpf.h, struct bpf_link_info with its uprobe_multi. */
struct link_info {
	__u32 type, id, prog_id, pad;
	__u64 path, offsets, ref_ctr_offsets, cookies;
	__u32 path_size, count, flags, pid;
};

static int ask(int fd, struct link_info *info)
{
	union bpf_attr attr = { .info = {
					.bpf_fd = fd,
					.info_len = sizeof(*info),
					.info = (uintptr_t)info,
				} };

	return syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) ? -errno : 0;
}

static uint32_t program_id(int fd)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &size) ? info.id : 0;
}

/* Another sonde's sessions look like plain links. */
static bool is_session(uint32_t id)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);
	AUTO_CLOSE int fd = bpf_prog_get_fd_by_id(id);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &size) &&
	       strcmp(info.name, OURS_BY_NAME) == 0;
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Does the link stand at one of these offsets? */
static bool meets(int fd, uint32_t count, const struct attach_sites *sites)
{
	AUTO_FREE __u64 *offsets = NULL;
	struct link_info info = { 0 };
	struct table mine = { 0 };
	bool met = false;

	if (!count || count > SITES_MOST)
		return false;
	offsets = mem_alloc(count * sizeof(*offsets));
	info.offsets = (uintptr_t)offsets;
	info.count = count;
	if (ask(fd, &info))
		return false;
	for (uint32_t i = 0; i < sites->count; i++)
		table_set(&mine, sites->offsets[i], 1);
	for (uint32_t i = 0; i < count && !met; i++)
		met = table_find(&mine, offsets[i]) != TABLE_NONE;
	table_done(&mine);
	return met;
}

struct question {
	const struct attach_sites *sites;
	uint32_t only;
	bool hooks;
	uint32_t ours[4]; /* ids of programs */
};

static bool is_ours(const struct question *q, uint32_t program)
{
	for (unsigned i = 0; i < sizeof(q->ours) / sizeof(q->ours[0]); i++)
		if (q->ours[i] && q->ours[i] == program)
			return true;
	return false;
}

static int check_link(const struct question *q, int fd, struct error *err)
{
	char path[PATH_MAX] = "";
	struct link_info info = { .path = (uintptr_t)path, .path_size = sizeof(path) };
	bool hooks;

	if (ask(fd, &info) || info.type != LINK_UPROBE_MULTI || is_ours(q, info.prog_id) ||
	    (info.pid && info.pid == q->only) || !is_same_file(q->sites->path, path))
		return 0;
	hooks = info.flags & FLAG_RETURN || is_session(info.prog_id);
	if ((!q->hooks && !hooks) || !meets(fd, info.count, q->sites))
		return 0;
	if (hooks)
		return error_set(
			err, EBUSY,
			"another sonde or tracer hooks returns of this function of '%s' "
			"in process %u, and with a probe here the kernel would hook them "
			"here, too, where nobody looks whether that is safe: end that "
			"one first",
			path, info.pid);
	return error_set(err, EBUSY,
			 "another sonde or tracer watches this function of '%s' in process %u, "
			 "and a return that is hooked here the kernel would hook there, too, "
			 "where nobody looks whether that is safe: use --exit ret, or end that "
			 "one first",
			 path, info.pid);
}

int others_check(const struct attach_sites *sites, uint32_t only,
		 const struct attach_programs *ours, struct error *err)
{
	struct question q = {
		.sites = sites,
		.only = only,
		.hooks = !sites->plain,
		.ours = { program_id(ours->session), program_id(ours->entry),
			  program_id(ours->ret), program_id(ours->site) },
	};
	__u32 id = 0;
	int code = 0;

	while (code == 0 && bpf_link_get_next_id(id, &id) == 0) {
		AUTO_CLOSE int fd = bpf_link_get_fd_by_id(id);

		if (fd >= 0)
			code = check_link(&q, fd, err);
	}
	return code;
}
