#include "cmd/replace.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

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

/* A file written under sudo belongs to who called it. */
static void give_to_caller(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	uint64_t u, g;

	if (geteuid() == 0 && uid && gid && text_to_u64(uid, &u) && text_to_u64(gid, &g) &&
	    fchown(fd, u, g) < 0)
		log_detail("the file stays root's: %s", strerror(errno));
}

/* As the file whose place it takes; that failing, it is the caller's own. */
static void be_like(int fd, const struct stat *old)
{
	if (fchmod(fd, old->st_mode & 0777) < 0 || fchown(fd, old->st_uid, old->st_gid) < 0)
		log_detail("the file cannot be given mode and owner of the old one: %s",
			   strerror(errno));
}

static void be_new(int fd, mode_t mode)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fd, mode & ~mask) < 0)
		log_detail("the file stays private: %s", strerror(errno));
	give_to_caller(fd);
}

static int open_unnamed(const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTO_FREE char *folder =
		mem_format("%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");

	return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

static int open_beside(struct replace *r, const struct stat *old, mode_t mode)
{
	char *beside = NULL;
	int fd = open_unnamed(r->path);

	r->unnamed = fd >= 0;
	if (fd < 0) {
		beside = mem_format("%s.XXXXXX", r->path);
		fd = mkostemp(beside, O_CLOEXEC); /* 0600 */
	}
	if (fd < 0) {
		free(beside);
		return -1;
	}
	if (old)
		be_like(fd, old);
	else
		be_new(fd, mode);
	r->beside = beside;
	return fd;
}

/* A pipe that nobody reads yet is waited for, and not in silence. */
static int open_waiting(const char *path)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 || errno != ENXIO)
		return fd;
	log_say("waiting for who reads '%s'", path);
	return open(path, O_WRONLY | O_CLOEXEC);
}

static int open_there(const char *path, mode_t mode)
{
	struct stat st;
	bool is_pipe = stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
	int fd = is_pipe ? open_waiting(path)
			 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		give_to_caller(fd);
	return fd;
}

int replace_open(struct replace *r, const char *path, mode_t mode, enum replace_whose whose,
		 struct error *err)
{
	struct stat old;
	bool is_new = lstat(path, &old) < 0, plain = is_new || S_ISREG(old.st_mode);
	bool is_private = !(mode & 077);

	*r = (struct replace){ .path = mem_text(path), .fd = -1 };
	if (whose == REPLACE_CHOSEN && !plain)
		return error_set(err, EEXIST,
				 "'%s' is there and is no plain file: say where to write "
				 "(-o FILE)",
				 path);
	if (plain)
		r->fd = open_beside(r, is_new || is_private ? NULL : &old, mode);
	if (r->fd < 0 && whose == REPLACE_NAMED)
		r->fd = open_there(path, mode);
	return r->fd < 0 ? cannot_write(path, err) : 0;
}

/* Where nothing is there it takes the place at once; else it needs a name to be renamed. */
static int give_name(struct replace *r)
{
	AUTO_FREE char *self = mem_format("/proc/self/fd/%d", r->fd);
	char *beside;
	int code = linkat(AT_FDCWD, self, AT_FDCWD, r->path, AT_SYMLINK_FOLLOW);

	r->unnamed = code < 0;
	if (code == 0 || errno != EEXIST)
		return code;
	beside = mem_format("%s.%d", r->path, (int)getpid());
	code = linkat(AT_FDCWD, self, AT_FDCWD, beside, AT_SYMLINK_FOLLOW);
	r->unnamed = code < 0;
	if (code == 0)
		r->beside = beside;
	else
		free(beside);
	return code;
}

int replace_keep(struct replace *r, struct error *err)
{
	if (r->unnamed && give_name(r) < 0)
		return cannot_write(r->path, err);
	if (!r->beside)
		return 0;
	if (rename(r->beside, r->path) < 0)
		return cannot_write(r->path, err);
	free(r->beside);
	r->beside = NULL;
	return 0;
}

void replace_done(struct replace *r)
{
	if (r->beside)
		unlink(r->beside);
	if (r->fd >= 0)
		close(r->fd);
	free(r->beside);
	free(r->path);
	*r = (struct replace){ .fd = -1 };
}

int replace_try(const char *path, struct error *err)
{
	struct replace r;
	struct stat old;
	int code;

	if (stat(path, &old) == 0 && !S_ISREG(old.st_mode))
		return S_ISDIR(old.st_mode) ? error_set(err, EISDIR, "cannot write '%s': %s",
							path, strerror(EISDIR))
					    : 0;
	/* where nothing can be made beside it, it must not be emptied for a trial */
	if (access(path, F_OK) == 0)
		return access(path, W_OK) == 0 ? 0 : cannot_write(path, err);
	code = replace_open(&r, path, 0644, REPLACE_NAMED, err);
	if (code == 0 && !r.beside && !r.unnamed)
		unlink(path);
	replace_done(&r);
	return code;
}
