#include "name/perfmap.h"

#include "base/clock.h"
#include "base/intern.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRIES_MOST (2u << 20)
#define LOOK_BACK 16 /* entries that may begin later and end earlier than the right one */

struct perfmap_entry {
	uint64_t start, length;
	uint32_t order; /* line number: the later holds */
	text_id name;
};

struct perfmap {
	char *path;
	struct error problem;
	uint64_t read_at; /* when it was looked at last */
	off_t size;	  /* bytes that were read */
	ino_t inode;
	struct intern names;
	ARRAY(struct perfmap_entry) entries; /* by start, then order */
};

struct perfmap *perfmap_new(const char *path)
{
	struct perfmap *p = NEW(struct perfmap);

	p->path = mem_text(path);
	return p;
}

void perfmap_free(struct perfmap *p)
{
	if (!p)
		return;
	intern_done(&p->names);
	array_done(&p->entries);
	free(p->path);
	free(p);
}

const char *perfmap_problem(const struct perfmap *p)
{
	return p->problem.text;
}

/* The user of the process in whose root the path lies; false: it is gone. */
static bool owner_of(const char *path, uid_t *ret)
{
	char process[64];
	struct stat st;
	int pid;

	if (sscanf(path, "/proc/%d/", &pid) != 1)
		return stat("/proc/self", &st) == 0 && (*ret = st.st_uid, true);
	snprintf(process, sizeof(process), "/proc/%d", pid);
	if (stat(process, &st))
		return false;
	*ret = st.st_uid;
	return true;
}

/* In the root of a process no link leads out of it: a name that is absolute there is not one
 * of ours (openat2(2), RESOLVE_IN_ROOT). */
static int open_map(const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char root[64];
	int pid, length = 0;

	if (sscanf(path, "/proc/%d/root/%n", &pid, &length) != 1 || !length)
		return open(path, how.flags);
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	AUTO_CLOSE int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	return syscall(SYS_openat2, fd, path + length, &how, sizeof(how));
}

/* A descriptor, or -1: it is not there, or not to be trusted (see problem). */
static int open_checked(struct perfmap *p, struct stat *ret_st)
{
	int fd = open_map(p->path);
	const char *wrong = NULL;
	uid_t owner = 0;

	if (fd < 0) {
		if (errno == ELOOP)
			error_set(&p->problem, ELOOP, "'%s' is a symbolic link: not used",
				  p->path);
		else if (errno != ENOENT && errno != ESRCH)
			error_set(&p->problem, errno, "'%s' cannot be opened: %s", p->path,
				  strerror(errno));
		return -1;
	}
	if (fstat(fd, ret_st) || !S_ISREG(ret_st->st_mode))
		wrong = "is no plain file";
	else if (ret_st->st_nlink != 1)
		wrong = "has more than one name";
	else if (!owner_of(p->path, &owner) || (ret_st->st_uid != owner && ret_st->st_uid != 0))
		wrong = "belongs to another user";
	else if (ret_st->st_size > PERFMAP_MOST)
		wrong = "is larger than 64 MiB";
	if (!wrong)
		return fd;
	error_set(&p->problem, EPERM, "'%s' %s: not used", p->path, wrong);
	close(fd);
	return -1;
}

static void take_line(struct perfmap *p, char *line)
{
	unsigned long long start, length;
	struct perfmap_entry *e;
	int at = 0;

	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "%llx %llx %n", &start, &length, &at) < 2 || !at || !line[at] ||
	    !length)
		return;
	if (p->entries.count >= ENTRIES_MOST || start + length < start)
		return;
	e = array_add(&p->entries);
	*e = (struct perfmap_entry){ start, length, p->entries.count,
				     intern_text(&p->names, line + at) };
}

static int by_start(const void *va, const void *vb)
{
	const struct perfmap_entry *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Reads what was appended; a file that was replaced is read anew, and what the
 * old one named keeps its name. */
static void read_more(struct perfmap *p)
{
	char line[PERFMAP_LINE_MOST];
	struct stat st;
	int fd = open_checked(p, &st);
	FILE *f;

	if (fd < 0)
		return;
	if (st.st_ino != p->inode || st.st_size < p->size)
		p->size = 0;
	p->inode = st.st_ino;
	f = st.st_size == p->size ? NULL : fdopen(fd, "r");
	if (!f) {
		close(fd);
		return;
	}
	fseeko(f, p->size, SEEK_SET);
	while (ftello(f) < st.st_size && fgets(line, sizeof(line), f)) {
		if (!strchr(line, '\n'))
			break; /* being written just now, or too long */
		take_line(p, line);
		p->size = ftello(f);
	}
	fclose(f);
	if (p->entries.count)
		qsort(p->entries.at, p->entries.count, sizeof(*p->entries.at), by_start);
}

static const struct perfmap_entry *find_entry(const struct perfmap *p, uint64_t address)
{
	const struct perfmap_entry *best = NULL;
	uint32_t low = 0, high = p->entries.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->entries.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t i = 0; i < LOOK_BACK && i < low; i++) {
		const struct perfmap_entry *e = &p->entries.at[low - 1 - i];

		if (address - e->start < e->length && (!best || e->order > best->order))
			best = e;
	}
	return best;
}

const char *perfmap_find(struct perfmap *p, uint64_t address, uint64_t now, uint64_t *ret_start,
			 uint64_t *ret_length)
{
	const struct perfmap_entry *e = find_entry(p, address);

	if (!e && (!p->read_at || now - p->read_at >= NSEC_PER_SEC)) {
		p->read_at = now;
		read_more(p);
		e = find_entry(p, address);
	}
	if (!e)
		return NULL;
	*ret_start = e->start;
	*ret_length = e->length;
	return intern_string(&p->names, e->name);
}
