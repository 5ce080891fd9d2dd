#include "cmd/record_file.h"

#include "base/mem.h"
#include "cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const char *path, struct error *err)
{
	return error_set(err, errno, "cannot write '%s': %s", path, strerror(errno));
}

/* A plain file, or none yet: neither a pipe or device, nor a link to what is elsewhere. */
static bool can_be_replaced(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 ? errno == ENOENT : S_ISREG(st.st_mode);
}

static int open_beside(struct record_file *f, const char *path)
{
	char *beside;
	int fd;

	if (!can_be_replaced(path))
		return -1;
	beside = mem_format("%s.XXXXXX", path);
	fd = mkostemp(beside, O_CLOEXEC); /* 0600 */
	if (fd >= 0)
		f->beside = beside;
	else
		free(beside);
	return fd;
}

int record_file_open(struct record_file *f, const char *path, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;

	*f = (struct record_file){ .path = mem_text(path), .fd = -1 };
	f->fd = standard ? dup(STDOUT_FILENO) : open_beside(f, path);
	if (f->fd < 0 && !standard) /* a folder in which nothing can be made, for one */
		f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return cannot_write(path, err);
	if (!standard)
		output_give_to_caller(f->fd);
	return stream_writer_new(f->fd, path, &f->writer, err);
}

int record_file_keep(struct record_file *f, struct error *err)
{
	if (!f->beside)
		return 0;
	if (rename(f->beside, f->path) < 0)
		return cannot_write(f->path, err);
	free(f->beside);
	f->beside = NULL;
	return 0;
}

void record_file_done(struct record_file *f)
{
	stream_writer_free(f->writer);
	if (f->beside)
		unlink(f->beside);
	if (f->fd >= 0)
		close(f->fd);
	free(f->beside);
	free(f->path);
	*f = (struct record_file){ .fd = -1 };
}

int record_file_try(const char *path, struct error *err)
{
	struct stat st;
	bool is_new = stat(path, &st) < 0;
	int fd;

	if (!is_new && !S_ISREG(st.st_mode))
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return cannot_write(path, err);
	close(fd);
	if (is_new)
		unlink(path);
	return 0;
}
