#include "proc/process.h"

#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PF_KTHREAD 0x00200000u /* include/linux/sched.h; flags is field 9 of stat */
#define PROCESSES_MAX (1u << 20)

/* /proc/PID/stat, proc(5): "pid (comm) state ppid pgrp session tty tpgid flags
 * ...", num_threads is field 20 (a zombie main thread is one), starttime field 22.  comm may
 * hold spaces and parentheses, so fields are counted from the last ')'. */
int process_parse(const char *stat, struct process *ret)
{
	struct process p = { .uid = ret->uid };
	const char *open = strchr(stat, '('), *close = strrchr(stat, ')');
	unsigned flags;
	long threads;
	size_t length;

	if (!open || !close || close < open || sscanf(stat, "%u", &p.pid) != 1)
		return -EINVAL;
	length = close - open - 1;
	if (length >= sizeof(p.comm))
		length = sizeof(p.comm) - 1;
	memcpy(p.comm, open + 1, length);
	if (sscanf(close + 1,
		   " %c %u %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %lu",
		   &p.state, &p.parent, &flags, &threads, &p.started) != 5)
		return -EINVAL;
	p.kernel = flags & PF_KTHREAD;
	p.headless = p.state == 'Z' && threads > 1;
	p.ended = !p.headless && (p.state == 'Z' || p.state == 'X');
	*ret = p;
	return 0;
}

static int read_small(const char *path, char *to, size_t size)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, to, size - 1);
	if (n < 0)
		return -errno;
	to[n] = 0;
	return 0;
}

/* The number behind "Name:" in the text of /proc/PID/status. */
static bool status_number(const char *status, const char *name, uint32_t *ret)
{
	const char *at = strstr(status, name);

	return at && sscanf(at + strlen(name), " %u", ret) == 1;
}

int process_read(uint32_t tid, struct process *ret, struct error *err)
{
	struct process p = { 0 };
	char path[64], text[4096];
	uint32_t pid, uid;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	/* "\nTgid:" cannot be forged: comm comes first and its newlines are escaped. */
	if (read_small(path, text, sizeof(text)) || !status_number(text, "\nTgid:", &pid) ||
	    !status_number(text, "\nUid:", &uid))
		return error_set(err, ESRCH, "no process or thread %u", tid);
	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (read_small(path, text, sizeof(text)) || process_parse(text, &p))
		return error_set(err, ESRCH, "no process or thread %u", tid);
	p.uid = uid;
	*ret = p;
	return 0;
}

/* include/linux/proc_ns.h: PROC_PID_INIT_INO */
#define FIRST_PID_NAMESPACE 0xeffffffcu

int process_numbers_check(struct error *err)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == FIRST_PID_NAMESPACE)
		return 0;
	return error_set(err, ENOTSUP,
			 "sonde runs in a pid namespace (a container), where processes have "
			 "other numbers than the kernel's: run it on the host, or in a "
			 "container with the host's (docker run --pid=host, hostPID: true)");
}

bool process_is_alive(const struct process *p)
{
	struct process now;

	return !process_read(p->pid, &now, NULL) && now.started == p->started &&
	       now.pid == p->pid && !now.ended;
}

/* Has the thread an address space?  It may be that of a process that must not be looked at. */
static bool has_memory(const char *path)
{
	char link[1];

	return readlink(path, link, sizeof(link)) >= 0 || errno != ENOENT;
}

uint32_t process_face(uint32_t pid)
{
	char path[96];
	struct dirent *entry;
	uint32_t face = pid;
	uint64_t tid;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	if (has_memory(path))
		return pid;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && face == pid && (entry = readdir(dir))) {
		if (!text_to_u64(entry->d_name, &tid) || tid > UINT32_MAX)
			continue;
		snprintf(path, sizeof(path), "/proc/%u/task/%u/exe", pid, (uint32_t)tid);
		if (has_memory(path))
			face = tid;
	}
	if (dir)
		closedir(dir);
	return face;
}

int process_list_read(struct process_list *ret, struct error *err)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	if (!dir)
		return error_set(err, errno, "cannot read /proc: %s", strerror(errno));
	while ((entry = readdir(dir)) && ret->count < PROCESSES_MAX) {
		struct process p;
		uint64_t pid;

		if (!text_to_u64(entry->d_name, &pid) || pid > UINT32_MAX)
			continue;
		if (pid == (uint64_t)getpid() || process_read(pid, &p, NULL))
			continue;
		if (!p.kernel && !p.ended)
			array_push(ret, p);
	}
	closedir(dir);
	return 0;
}

char *process_exe_name(uint32_t pid, char *buf, size_t size)
{
	char path[64], link[PATH_MAX];
	ssize_t n;
	char *slash;

	snprintf(path, sizeof(path), "/proc/%u/exe", process_face(pid));
	n = readlink(path, link, sizeof(link) - 1);
	link[n > 0 ? n : 0] = 0;
	if (text_ends(link, " (deleted)"))
		link[n - strlen(" (deleted)")] = 0;
	slash = strrchr(link, '/');
	snprintf(buf, size, "%s", slash ? slash + 1 : link);
	return buf;
}
