#include "proc/thread.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX (1u << 18)

/* /proc/PID/task/TID/comm: the name and a newline. */
static bool read_comm(uint32_t pid, uint32_t tid, char comm[COMM_SIZE])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, comm, COMM_SIZE);
	if (n <= 0)
		return false;
	comm[n - 1] = 0;
	return true;
}

int thread_list_read(uint32_t pid, struct thread_list *ret, struct error *err)
{
	char path[64];
	DIR *dir;
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return error_set(err, ESRCH, "process %u ended", pid);
	while ((entry = readdir(dir)) && ret->count < THREADS_MAX) {
		struct thread t = { 0 };
		uint64_t tid;

		if (!text_to_u64(entry->d_name, &tid) || tid > UINT32_MAX)
			continue;
		t.tid = tid;
		if (read_comm(pid, tid, t.comm))
			array_push(ret, t);
	}
	closedir(dir);
	return 0;
}
