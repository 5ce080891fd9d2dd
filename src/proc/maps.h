/*
 * maps - what a process has mapped, and how to open the very file it mapped.
 *
 * A path in /proc/PID/maps is a hint: the file may be deleted, replaced, or live
 * in another mount namespace.  map_path() therefore goes by the mapping itself
 * (map_files), or by the path below /proc/PID/root if its inode is the one that
 * is mapped.
 */
#ifndef SONDE_PROC_MAPS_H
#define SONDE_PROC_MAPS_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum map_kind {
	MAP_KIND_FILE,
	MAP_KIND_VDSO,
	MAP_KIND_STACK,	 /* the main thread's */
	MAP_KIND_JIT,	 /* executable and not of a file */
	MAP_KIND_PROBES, /* [uprobes], [uprobes-trampoline]: the kernel's pages for probes */
	MAP_KIND_OTHER,	 /* heap, anonymous, [vvar], [vsyscall], ... */
};

struct map {
	uint64_t start, end;
	uint64_t offset; /* in the file, bytes */
	uint64_t inode;
	uint32_t major, minor; /* device; on overlay and btrfs not the one stat(2) shows */
	enum map_kind kind;
	bool read, write, exec, shared;
	bool deleted;	  /* its path no longer leads to it */
	const char *path; /* of a file, without " (deleted)"; "[heap]"; "" */
};

/* Zero is valid and empty.  Ascending by start, not overlapping. */
struct maps {
	ARRAY(struct map);
	ARRAY(char *) paths; /* owned */
};

/* Parses the text of /proc/PID/maps (size bytes, any content).  -EINVAL names
 * the first line that is wrong. */
int maps_parse(const char *bytes, size_t size, struct maps *ret, struct error *err);
/* -ESRCH gone, -EACCES. */
int maps_read(uint32_t pid, struct maps *ret, struct error *err);
void maps_done(struct maps *m);

/* The mapping that contains an address, NULL if none. */
const struct map *maps_find(const struct maps *m, uint64_t address);
/* The mapping of the same file (device and inode) that shows a file offset,
 * executable, NULL if none. */
const struct map *maps_show(const struct maps *m, const struct map *file, uint64_t offset);
bool map_is_same_file(const struct map *a, const struct map *b);

/* How much code is mapped that cannot be written, in pages, but for the kernel's own for
 * probes: mm_struct.exec_vm (mm/internal.h, is_exec_mapping()). */
uint64_t maps_code_pages(const struct maps *m);
/* The same for two processes that map the same files of code. */
uint64_t maps_code_key(const struct maps *m);

/*
 * A path that opens the very file that is mapped; it holds as long as the
 * mapping does.  *ret is freed with free().  -ESTALE: the file was replaced and
 * cannot be reached by the mapping (that takes CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE); -ENOENT, -EACCES.
 */
int map_path(const struct map *map, uint32_t pid, char **ret, struct error *err);

#endif
