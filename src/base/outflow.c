#include "base/outflow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPE_ROOM (1 << 20) /* what anybody may ask for: pipe(7) */

/* A file that is shared (standard output is the shell's, too) must not be made non-blocking;
 * opened once more it can be. */
static int open_again(int fd, mode_t mode)
{
	char path[64];

	if (!S_ISFIFO(mode) && !S_ISCHR(mode))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

void outflow_open(struct outflow *o, int fd)
{
	struct stat st = { 0 };

	*o = (struct outflow){ .fd = fd, .own = -1 };
	o->failed = fstat(fd, &st) < 0 ? -errno : 0;
	if (o->failed)
		return;
	o->is_file = S_ISREG(st.st_mode);
	o->own = open_again(fd, st.st_mode);
	if (S_ISFIFO(st.st_mode))
		fcntl(fd, F_SETPIPE_SZ, PIPE_ROOM); /* not to come back for every 64 KiB */
	if (o->own >= 0)
		o->fd = o->own;
}

void outflow_done(struct outflow *o)
{
	if (o->own >= 0)
		close(o->own);
	text_done(&o->waiting);
	*o = (struct outflow){ .fd = -1, .own = -1 };
}

size_t outflow_waiting(const struct outflow *o)
{
	return o->waiting.size - o->at;
}

/* Would a write of a few bytes not have to wait?  POLLERR and POLLHUP: it fails at once. */
static bool takes_some(const struct outflow *o, int msec)
{
	struct pollfd room = { .fd = o->fd, .events = POLLOUT };

	return o->is_file || poll(&room, 1, msec) > 0;
}

/* Where it has to block, a pipe that takes anything takes PIPE_BUF (pipe(7)). */
static ssize_t write_some(const struct outflow *o, const void *bytes, size_t size)
{
	size_t most = o->is_file || o->own >= 0 ? size : PIPE_BUF;

	return write(o->fd, bytes, size < most ? size : most);
}

/* How many of the bytes the reader takes now. */
static size_t pass(struct outflow *o, const char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size && !o->failed && takes_some(o, 0)) {
		ssize_t n = write_some(o, bytes + done, size - done);

		if (n > 0)
			done += n;
		else if (n < 0 && errno == EAGAIN)
			break;
		else if (n == 0 || errno != EINTR)
			o->failed = n ? -errno : -EIO;
	}
	o->bytes += done;
	return done;
}

int outflow_try(struct outflow *o)
{
	o->at += pass(o, text_string(&o->waiting) + o->at, outflow_waiting(o));
	if (!outflow_waiting(o)) {
		text_clear(&o->waiting);
		o->at = 0;
	}
	return o->failed;
}

int outflow_put(struct outflow *o, const void *bytes, size_t size)
{
	size_t done = 0;

	if (outflow_try(o))
		return o->failed;
	if (!outflow_waiting(o))
		done = pass(o, bytes, size);
	if (o->failed || done == size)
		return o->failed;
	if (outflow_waiting(o) && outflow_waiting(o) + size > OUTFLOW_MOST)
		return -ENOBUFS;
	if (o->at > outflow_waiting(o)) {
		memmove(o->waiting.bytes, o->waiting.bytes + o->at, outflow_waiting(o));
		text_cut(&o->waiting, outflow_waiting(o));
		o->at = 0;
	}
	text_add_part(&o->waiting, (const char *)bytes + done, size - done);
	return 0;
}

int outflow_end(struct outflow *o)
{
	while (outflow_try(o) == 0 && outflow_waiting(o))
		takes_some(o, -1);
	return o->failed;
}
