/*
 * describe - tells the event stream what the target is: its processes, threads,
 * the files of code they map and where.
 *
 * Called once at the start, again when a process forks or becomes another
 * program, and now and then for libraries loaded later: only what has changed since
 * the last look is told.
 */
#ifndef SONDE_SESSION_DESCRIBE_H
#define SONDE_SESSION_DESCRIBE_H

#include "base/array.h"
#include "base/clock.h"
#include "base/table.h"
#include "elf/images.h"
#include "proc/maps.h"
#include "source/source.h"

/* A new file of code: open_path leads to it now, and may not for long.  NULL for
 * the kernel; for anonymous code where its perf map would be. */
typedef void (*describe_image)(void *context, const struct event_image *image,
			       const char *open_path);

/* What a process was told to map at the last look. */
struct described {
	uint32_t pid;		      /* 0: not used */
	uint32_t changes;	      /* maps that were told */
	ARRAY(struct event_map) maps; /* as they were told; ascending */
};

struct describe {
	source_event event;
	describe_image image;
	void *context;
	struct images *images;
	struct table files;  /* hash of device and inode -> image id */
	struct table by_pid; /* -> processes */
	ARRAY(struct described) processes;
	ARRAY(uint32_t) unused; /* of processes */
	uint32_t next_image;
};

/* images as of images_open(); the caller's. */
void describe_init(struct describe *d, struct images *images, source_event event,
		   describe_image image, void *context);
void describe_done(struct describe *d);

/* First: the machine, the clock, what it takes samples of, and the kernel image. */
void describe_machine(struct describe *d, unsigned hz, uint64_t causes, const char *command);
/* A process, its maps and threads.  -ESRCH. */
int describe_process(struct describe *d, uint32_t pid, struct error *err);
/* Was it told of, and has not ended since? */
bool describe_knows(const struct describe *d, uint32_t pid);
/* Of its maps, so far; 0: it is not known. */
uint32_t describe_changes(const struct describe *d, uint32_t pid);
/* The stream's number of the file of a map, 0 = it was not told. */
uint32_t describe_find(const struct describe *d, const struct map *map, uint32_t pid);
/* Maps that are new or other than at the last look, also one that had gone and is back: how
 * many.  -ESRCH. */
int describe_maps(struct describe *d, uint32_t pid);
/* The process has mapped code at a time: tells of that, or looks at all of its maps. */
void describe_mapped(struct describe *d, uint32_t pid, const struct map *map, nsec time);
/* The process runs another program now: its maps are told anew. */
void describe_exec(struct describe *d, uint32_t pid);
/* It has ended: its number may become another's. */
void describe_ended(struct describe *d, uint32_t pid);

#endif
