#include "session/describe.h"

#include "base/clock.h"
#include "proc/thread.h"
#include "wire/codec.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

void describe_init(struct describe *d, struct images *images, source_event event,
		   describe_image image, void *context)
{
	*d = (struct describe){
		.event = event,
		.image = image,
		.context = context,
		.images = images,
		.next_image = IMAGE_KERNEL_ID + 1,
	};
}

void describe_done(struct describe *d)
{
	table_done(&d->files);
	table_done(&d->ranges);
	table_done(&d->processes);
}

static void tell_image(struct describe *d, const struct event_image *fixed, const char *path,
		       const char *open_path)
{
	AUTO_FREE struct event_room *room = NEW(struct event_room);
	const struct event *e = event_make_image(room, fixed, path);

	d->image(d->context, (const struct event_image *)e, open_path);
	d->event(d->context, e);
}

void describe_machine(struct describe *d, unsigned hz, const char *command)
{
	AUTO_FREE struct event_room *room = NEW(struct event_room);
	struct event_target target = {
		.head.time = clock_now(),
		.wall = clock_wall(),
		.period = hz ? NSEC_PER_SEC / hz : 0,
		.hz = hz,
		.cpus = sysconf(_SC_NPROCESSORS_ONLN),
	};
	struct event_image kernel = {
		.head.time = target.head.time,
		.image = IMAGE_KERNEL_ID,
		.kind = IMAGE_KERNEL,
	};
	struct utsname uts = { 0 };

	uname(&uts);
	d->event(d->context,
		 event_make_target(room, &target, uts.nodename, uts.release, command));
	tell_image(d, &kernel, "[kernel]", NULL);
}

static enum image_kind image_kind_of(const struct map *m)
{
	switch (m->kind) {
	case MAP_KIND_FILE:
		return IMAGE_FILE;
	case MAP_KIND_VDSO:
		return IMAGE_VDSO;
	case MAP_KIND_PROBES:
		return IMAGE_PROBES;
	default:
		return IMAGE_JIT;
	}
}

/* Files are the same by device and inode; the vdso and the page of the probes
 * are the same everywhere; anonymous code belongs to its process. */
static uint64_t file_key(const struct map *m, uint32_t pid)
{
	uint64_t parts[4] = { m->kind, m->major, m->minor, m->inode };

	if (image_kind_of(m) == IMAGE_JIT)
		parts[3] = pid;
	return hash_bytes(parts, sizeof(parts), 0);
}

uint32_t describe_find(const struct describe *d, const struct map *map, uint32_t pid)
{
	uint32_t id = table_find(&d->files, file_key(map, pid));

	return id == TABLE_NONE ? 0 : id;
}

/* Where a runtime writes the names of what it makes: in its own file system and
 * by its own number (perf's convention). */
static char *perfmap_path(uint32_t pid)
{
	AUTO_FREE char *status = mem_format("/proc/%u/status", pid);
	FILE *f = fopen(status, "re");
	unsigned inner = pid, at;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		/* outermost namespace first */
		for (char *word = strtok(line + 6, " \t\n"); word;
		     word = strtok(NULL, " \t\n")) {
			if (sscanf(word, "%u", &at) == 1)
				inner = at;
		}
	}
	if (f)
		fclose(f);
	return mem_format("/proc/%u/root/tmp/perf-%u.map", pid, inner);
}

static uint32_t image_for(struct describe *d, const struct map *m, uint32_t pid)
{
	struct event_image fixed = {
		.head.time = clock_now(),
		.kind = image_kind_of(m),
	};
	uint64_t key = file_key(m, pid);
	uint32_t id = table_find(&d->files, key);
	AUTO_FREE char *open_path = NULL;
	struct image *image = NULL;

	if (id != TABLE_NONE)
		return id;
	fixed.image = d->next_image++;
	table_set(&d->files, key, fixed.image);
	if (m->kind == MAP_KIND_FILE && map_path(m, pid, &open_path, NULL) == 0 &&
	    images_open(d->images, open_path, m->path, &image, NULL) == 0) {
		const struct build_id *b = image_build_id(image);

		fixed.build_id_size = b->size;
		memcpy(fixed.build_id, b->bytes, b->size);
	}
	if (fixed.kind == IMAGE_JIT)
		open_path = perfmap_path(pid);
	tell_image(d, &fixed, m->path[0] ? m->path : "[anon]", open_path);
	image_close(image);
	return fixed.image;
}

static bool tell_map(struct describe *d, const struct map *m, uint32_t pid)
{
	struct event_map e = {
		.head = { .kind = EVENT_MAP, .size = sizeof(e), .time = clock_now() },
		.pid = pid,
		.image = image_for(d, m, pid),
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
	};
	uint64_t parts[5] = { pid, m->start, m->end, m->offset, e.image };
	uint64_t key = hash_bytes(parts, sizeof(parts), 0);

	if (m->kind == MAP_KIND_VDSO)
		e.offset = 0;
	else if (m->kind != MAP_KIND_FILE)
		e.offset = m->start;
	if (table_find(&d->ranges, key) != TABLE_NONE)
		return false;
	table_set(&d->ranges, key, 1);
	d->event(d->context, &e.head);
	return true;
}

static int tell_maps(struct describe *d, uint32_t pid, struct error *err)
{
	struct maps maps = { 0 };
	int code = maps_read(pid, &maps, err), fresh = 0;

	for (uint32_t i = 0; code == 0 && i < maps.count; i++) {
		if (maps.at[i].exec)
			fresh += tell_map(d, &maps.at[i], pid);
	}
	maps_done(&maps);
	return code < 0 ? code : fresh;
}

static void tell_threads(struct describe *d, uint32_t pid)
{
	struct thread_list threads = { 0 };

	if (thread_list_read(pid, &threads, NULL) == 0) {
		for (uint32_t i = 0; i < threads.count; i++) {
			struct event_thread e = {
				.head = { .kind = EVENT_THREAD,
					  .size = sizeof(e),
					  .tid = threads.at[i].tid,
					  .time = clock_now() },
				.pid = pid,
			};

			memcpy(e.name, threads.at[i].comm, sizeof(e.name));
			d->event(d->context, &e.head);
		}
	}
	array_done(&threads);
}

int describe_process(struct describe *d, uint32_t pid, struct error *err)
{
	AUTO_FREE struct event_room *room = NEW(struct event_room);
	struct event_process fixed = { .pid = pid,
				       .head = { .tid = pid, .time = clock_now() } };
	struct process process;
	int code = process_read(pid, &process, err);

	if (code)
		return code;
	fixed.parent_pid = process.parent;
	table_set(&d->processes, pid, 1);
	d->event(d->context, event_make_process(room, &fixed, process.comm));
	code = tell_maps(d, pid, err);
	if (code < 0)
		return code;
	tell_threads(d, pid);
	return 0;
}

int describe_maps(struct describe *d, uint32_t pid)
{
	return tell_maps(d, pid, NULL);
}

void describe_exec(struct describe *d, uint32_t pid)
{
	/* the model forgets the process' maps at EVENT_EXEC: every range counts as new */
	table_clear(&d->ranges);
	describe_process(d, pid, NULL);
}
