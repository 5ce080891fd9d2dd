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
	for (uint32_t i = 0; i < d->processes.count; i++)
		array_done(&d->processes.at[i].maps);
	array_done(&d->processes);
	array_done(&d->unused);
	table_done(&d->files);
	table_done(&d->by_pid);
}

/* NULL: it is not known. */
static struct described *find_described(const struct describe *d, uint32_t pid)
{
	uint32_t at = table_find(&d->by_pid, pid);

	return at == TABLE_NONE ? NULL : &d->processes.at[at];
}

static struct described *get_described(struct describe *d, uint32_t pid)
{
	struct described *p = find_described(d, pid);
	uint32_t at;

	if (p)
		return p;
	at = d->unused.count ? d->unused.at[--d->unused.count] : d->processes.count;
	if (at == d->processes.count)
		array_add(&d->processes);
	table_set(&d->by_pid, pid, at);
	d->processes.at[at].pid = pid;
	return &d->processes.at[at];
}

bool describe_knows(const struct describe *d, uint32_t pid)
{
	return find_described(d, pid);
}

uint32_t describe_changes(const struct describe *d, uint32_t pid)
{
	const struct described *p = find_described(d, pid);

	return p ? p->changes : 0;
}

void describe_ended(struct describe *d, uint32_t pid)
{
	struct described *p = find_described(d, pid);

	if (!p)
		return;
	array_push(&d->unused, p - d->processes.at);
	table_remove(&d->by_pid, pid);
	array_done(&p->maps);
	*p = (struct described){ 0 };
}

static void tell_image(struct describe *d, const struct event_image *fixed, const char *path,
		       const char *open_path)
{
	AUTO_FREE struct event_room *room = NEW(struct event_room);
	const struct event *e = event_make_image(room, fixed, path);

	d->image(d->context, (const struct event_image *)e, open_path);
	d->event(d->context, e);
}

void describe_machine(struct describe *d, unsigned hz, uint64_t causes, const char *command)
{
	AUTO_FREE struct event_room *room = NEW(struct event_room);
	struct event_target target = {
		.head.time = clock_now(),
		.wall = clock_wall(),
		.period = hz ? NSEC_PER_SEC / hz : 0,
		.hz = hz,
		.cpus = sysconf(_SC_NPROCESSORS_ONLN),
	};
	struct event_causes sampled = {
		.head = { EVENT_CAUSES, sizeof(sampled), 0, target.head.time },
		.causes = causes,
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
	d->event(d->context, &sampled.head);
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
	return mem_format("/proc/%u/root/tmp/perf-%u.map", process_face(pid), inner);
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

static struct event_map map_event(const struct map *m, uint32_t pid, uint32_t image, nsec time)
{
	struct event_map e = {
		.head = { .kind = EVENT_MAP, .size = sizeof(e), .time = time },
		.pid = pid,
		.image = image,
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
	};

	if (m->kind == MAP_KIND_VDSO)
		e.offset = 0;
	else if (m->kind != MAP_KIND_FILE)
		e.offset = m->start;
	return e;
}

static bool is_told(const struct event_map *told, const struct event_map *e)
{
	return told->start == e->start && told->end == e->end && told->offset == e->offset &&
	       told->image == e->image;
}

/* What has changed since the last look holds from time on. */
static int tell_maps(struct describe *d, uint32_t pid, nsec time, struct error *err)
{
	struct described *p, before;
	struct maps maps = { 0 };
	int code = maps_read(pid, &maps, err), fresh = 0;
	uint32_t k = 0;

	if (code)
		return code;
	p = get_described(d, pid);
	before = *p;
	*p = (struct described){ .pid = pid, .changes = before.changes };
	for (uint32_t i = 0; i < maps.count; i++) {
		struct event_map e;

		if (!maps.at[i].exec)
			continue;
		e = map_event(&maps.at[i], pid, image_for(d, &maps.at[i], pid), time);
		array_push(&p->maps, e);
		while (k < before.maps.count && before.maps.at[k].start < e.start)
			k++;
		if (k < before.maps.count && is_told(&before.maps.at[k], &e))
			continue;
		d->event(d->context, &e.head);
		fresh++;
	}
	p->changes += fresh;
	array_done(&before.maps);
	maps_done(&maps);
	return fresh;
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
	d->event(d->context, event_make_process(room, &fixed, process.comm));
	if (process.ended)
		return 0;
	code = tell_maps(d, pid, clock_now(), err);
	if (code < 0)
		return code;
	tell_threads(d, pid);
	return 0;
}

int describe_maps(struct describe *d, uint32_t pid)
{
	return tell_maps(d, pid, clock_now(), NULL);
}

/* False: it was there. */
static bool note_map(struct described *p, const struct event_map *e)
{
	uint32_t from = 0, to, behind;

	while (from < p->maps.count && p->maps.at[from].end <= e->start)
		from++;
	for (to = from; to < p->maps.count && p->maps.at[to].start < e->end; to++)
		if (is_told(&p->maps.at[to], e))
			return false;
	behind = p->maps.count - to;
	(void)array_add(&p->maps);
	memmove(&p->maps.at[from + 1], &p->maps.at[to], behind * sizeof(*e));
	p->maps.at[from] = *e;
	p->maps.count = from + 1 + behind;
	p->changes++;
	return true;
}

void describe_mapped(struct describe *d, uint32_t pid, const struct map *map, nsec time)
{
	struct described *p = find_described(d, pid);
	uint32_t image = describe_find(d, map, pid);
	struct event_map e = map_event(map, pid, image, time);

	if (!p || !image || map->kind != MAP_KIND_FILE)
		tell_maps(d, pid, time, NULL);
	else if (note_map(p, &e))
		d->event(d->context, &e.head);
}

void describe_exec(struct describe *d, uint32_t pid)
{
	struct described *p = find_described(d, pid);

	/* the model forgets the process' maps at EVENT_EXEC: every range counts as new */
	if (p)
		array_clear(&p->maps);
	describe_process(d, pid, NULL);
}
