#include "elf/filepool.h"

#include "base/array.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct filepool {
	uint32_t most;

	pthread_mutex_t lock; /* of what follows, and of its files */
	uint32_t users;	      /* who made it, and its files */
	uint32_t open;
	ARRAY(struct pooled_file *)
	idle;	     /* open and not pinned, the one used last is the last */
	bool unable; /* nothing can be opened again */
};

struct pooled_file {
	struct filepool *pool;
	int fd;	    /* -1: it is held by its page */
	void *page; /* MAP_FAILED: it was always open */
	uint32_t pins;
	bool keep; /* it cannot be opened again */
};

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

struct filepool *filepool_new(uint32_t most)
{
	struct filepool *pool = NEW(struct filepool);

	pool->most = most;
	pool->users = 1;
	pthread_mutex_init(&pool->lock, NULL);
	return pool;
}

static void lock(struct filepool *pool)
{
	if (pool)
		pthread_mutex_lock(&pool->lock);
}

static void unlock(struct filepool *pool)
{
	if (pool)
		pthread_mutex_unlock(&pool->lock);
}

void filepool_free(struct filepool *pool)
{
	uint32_t left;

	if (!pool)
		return;
	lock(pool);
	left = --pool->users;
	unlock(pool);
	if (left)
		return;
	array_done(&pool->idle);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

uint32_t filepool_open(struct filepool *pool)
{
	uint32_t open;

	lock(pool);
	open = pool->open;
	unlock(pool);
	return open;
}

/* With the lock held, here and in what follows.  false: it was not among them. */
static bool take_idle(struct filepool *pool, const struct pooled_file *file)
{
	uint32_t i = 0;

	while (i < pool->idle.count && pool->idle.at[i] != file)
		i++;
	if (i == pool->idle.count)
		return false;
	pool->idle.count--;
	for (; i < pool->idle.count; i++)
		pool->idle.at[i] = pool->idle.at[i + 1];
	return true;
}

/* The file whose page that is. */
static int open_page(const void *page)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/map_files/%" PRIxPTR "-%" PRIxPTR,
		 (uintptr_t)page, (uintptr_t)page + page_size());
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static bool is_same(int one, int other)
{
	struct stat a, b;

	return !fstat(one, &a) && !fstat(other, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Holds it without its descriptor; false: it could not be opened again. */
static bool hold(struct pooled_file *file)
{
	int again;
	bool same;

	if (file->page != MAP_FAILED)
		return true;
	if (file->pool->unable)
		return false;
	file->page = mmap(NULL, page_size(), PROT_READ, MAP_PRIVATE, file->fd, 0);
	if (file->page == MAP_FAILED)
		return false;
	again = open_page(file->page);
	file->pool->unable = again == -EPERM || again == -EACCES || again == -ENOENT;
	/* without a descriptor to try it with, it is taken on trust */
	same = again >= 0 ? is_same(again, file->fd) : again == -EMFILE || again == -ENFILE;
	if (again >= 0)
		close(again);
	if (same)
		return true;
	munmap(file->page, page_size());
	file->page = MAP_FAILED;
	return false;
}

/* Makes room among the open ones. */
static void close_oldest(struct filepool *pool)
{
	while (pool->idle.count > pool->most) {
		struct pooled_file *oldest = pool->idle.at[0];

		take_idle(pool, oldest);
		oldest->keep = !hold(oldest);
		if (oldest->keep)
			continue;
		close(oldest->fd);
		oldest->fd = -1;
		pool->open--;
	}
}

static void use(struct pooled_file *file)
{
	struct filepool *pool = file->pool;

	if (!pool || file->pins || file->keep)
		return;
	take_idle(pool, file);
	array_push(&pool->idle, file);
	close_oldest(pool);
}

struct pooled_file *pooled_file_new(struct filepool *pool, int fd)
{
	struct pooled_file *file = NEW(struct pooled_file);

	*file = (struct pooled_file){ .pool = pool, .fd = fd, .page = MAP_FAILED };
	lock(pool);
	if (pool) {
		pool->users++;
		pool->open++;
	}
	use(file);
	unlock(pool);
	return file;
}

void pooled_file_close(struct pooled_file *file)
{
	if (!file)
		return;
	lock(file->pool);
	if (file->page != MAP_FAILED)
		munmap(file->page, page_size());
	if (file->pool) {
		take_idle(file->pool, file);
		file->pool->open -= file->fd >= 0;
	}
	if (file->fd >= 0)
		close(file->fd);
	unlock(file->pool);
	filepool_free(file->pool);
	free(file);
}

static int pin(struct pooled_file *file)
{
	if (file->fd < 0) {
		int fd = open_page(file->page);

		if (fd < 0)
			return fd;
		file->fd = fd;
		file->pool->open++;
	}
	file->pins++;
	take_idle(file->pool, file);
	return file->fd;
}

int pooled_file_pin(struct pooled_file *file)
{
	int fd;

	if (!file->pool)
		return file->fd;
	lock(file->pool);
	fd = pin(file);
	unlock(file->pool);
	return fd;
}

void pooled_file_unpin(struct pooled_file *file)
{
	if (!file->pool)
		return;
	lock(file->pool);
	file->pins--;
	use(file);
	unlock(file->pool);
}
