#include "source/tables.h"

#include "base/array.h"
#include "base/mem.h"
#include "base/table.h"
#include "elf/unwind.h"
#include "source/rows.h"
#include "wire/textmap.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <sys/auxv.h>

#define SPARE_SPACES 64
#define PROCESSES_MOST 16384
#define VDSO_MOST (64 << 10)

/* Where an image's rows are; nr_pages 0: it has none. */
struct table_image {
	uint32_t id;
	struct image *image; /* for file offset -> address; NULL = no file */
	struct rows_place place;
};

struct table_process {
	uint32_t pid;
	bool changed, gone;
	uint32_t slot;		      /* the first in the kernel's map, UINT32_MAX = none yet */
	uint32_t parts;		      /* slots, going round */
	ARRAY(struct space_map) maps; /* ascending */
};

struct tables {
	struct images *files; /* the caller's */
	ARRAY(struct table_image) images;
	struct table image_ids;
	ARRAY(struct table_process) processes;
	ARRAY(uint32_t) unused; /* of processes */
	struct table pids;
	struct rows rows;
	struct tables_maps kernel;
	bool loaded;
	uint32_t *owners; /* of each slot: 1 + the index of a process, 0 = free */
	uint32_t next_slot;
	uint32_t generation;
};

struct tables *tables_new(struct images *images)
{
	struct tables *t = NEW(struct tables);

	t->files = images;
	return t;
}

void tables_free(struct tables *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->images.count; i++)
		image_close(t->images.at[i].image);
	for (uint32_t i = 0; i < t->processes.count; i++)
		array_done(&t->processes.at[i].maps);
	array_done(&t->images);
	array_done(&t->processes);
	array_done(&t->unused);
	free(t->owners);
	table_done(&t->image_ids);
	table_done(&t->pids);
	rows_done(&t->rows);
	free(t);
}

/* The kernel gives every process the same vdso: ours serves. */
static struct image *open_vdso(void)
{
	const void *at = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct image *image = NULL;
	size_t size = at ? rows_mapped_size(at, VDSO_MOST) : 0;

	if (size)
		image_open_memory(at, size, "[vdso]", &image, NULL);
	return image;
}

void tables_image(struct tables *t, const struct event_image *image, const char *open_path)
{
	struct table_image *i;

	if (table_find(&t->image_ids, image->image) != TABLE_NONE)
		return;
	table_set(&t->image_ids, image->image, t->images.count);
	i = array_add(&t->images);
	i->id = image->image;
	if (image->kind == IMAGE_VDSO)
		i->image = open_vdso();
	else if (image->kind == IMAGE_FILE && open_path &&
		 images_open(t->files, open_path, image->path, &i->image, NULL))
		i->image = NULL;
	if (!i->image)
		return;
	rows_add(&t->rows, image_unwind(i->image), &i->place);
	image_forget_unwind(i->image);
}

static struct table_process *process_for(struct tables *t, uint32_t pid)
{
	uint32_t at = table_find(&t->pids, pid);
	struct table_process *p;

	if (at == TABLE_NONE && t->unused.count) {
		at = t->unused.at[--t->unused.count];
	} else if (at == TABLE_NONE) {
		if (t->processes.count >= PROCESSES_MOST)
			return NULL;
		at = t->processes.count;
		(void)array_add(&t->processes);
		t->processes.at[at].slot = UINT32_MAX;
	}
	table_set(&t->pids, pid, at);
	p = &t->processes.at[at];
	p->pid = pid;
	p->gone = false;
	return p;
}

/* It has ended, and the kernel half knows nothing of it any more. */
static void forget_process(struct tables *t, struct table_process *p)
{
	table_remove(&t->pids, p->pid);
	array_push(&t->unused, (uint32_t)(p - t->processes.at));
}

/* Puts a map in its place; what it covers of others is theirs no more. */
static void place_map(struct table_process *p, const struct space_map *m)
{
	uint32_t kept = 0, at;

	for (uint32_t i = 0; i < p->maps.count; i++) {
		const struct space_map *old = &p->maps.at[i];

		if (old->end <= m->start || old->start >= m->end)
			p->maps.at[kept++] = *old;
	}
	p->maps.count = kept;
	array_add(&p->maps);
	for (at = kept; at > 0 && p->maps.at[at - 1].start > m->start; at--)
		p->maps.at[at] = p->maps.at[at - 1];
	p->maps.at[at] = *m;
	p->changed = true;
}

static void take_map(struct tables *t, const struct event_map *e)
{
	struct table_process *p = process_for(t, e->pid);
	uint32_t at = table_find(&t->image_ids, e->image);
	struct space_map m = { .start = e->start, .end = e->end };
	const struct table_image *i;
	uint64_t address;

	if (!p)
		return;
	i = at == TABLE_NONE ? NULL : &t->images.at[at];
	if (i && i->image && i->place.nr_pages &&
	    image_to_address(i->image, e->offset, &address)) {
		m.bias = e->start - address;
		m.directory = i->place.directory;
		m.first_page = i->place.first_page;
		m.nr_pages = i->place.nr_pages;
		m.first_exc = i->place.first_exc;
	}
	place_map(p, &m);
}

static void take_fork(struct tables *t, const struct event_fork *e)
{
	uint32_t from = table_find(&t->pids, e->parent_pid);
	struct table_process *p;

	if (from == TABLE_NONE || !process_for(t, e->pid))
		return;
	p = process_for(t, e->pid);
	array_clear(&p->maps);
	for (uint32_t i = 0; i < t->processes.at[from].maps.count; i++) {
		struct space_map m = t->processes.at[from].maps.at[i];

		array_push(&p->maps, m);
	}
	p->changed = true;
}

static void clear_process(struct tables *t, uint32_t pid, bool gone)
{
	uint32_t at = table_find(&t->pids, pid);

	if (at == TABLE_NONE)
		return;
	array_clear(&t->processes.at[at].maps);
	t->processes.at[at].changed = true;
	t->processes.at[at].gone = gone;
}

void tables_event(struct tables *t, const struct event *e)
{
	if (e->kind == EVENT_MAP)
		take_map(t, (const struct event_map *)e);
	else if (e->kind == EVENT_FORK)
		take_fork(t, (const struct event_fork *)e);
	else if (e->kind == EVENT_EXEC)
		clear_process(t, ((const struct event_exec *)e)->pid, false);
	else if (e->kind == EVENT_EXIT && ((const struct event_exit *)e)->last)
		clear_process(t, ((const struct event_exit *)e)->pid, true);
}

static uint32_t parts_of(const struct table_process *p)
{
	uint32_t parts = (p->maps.count + SPACE_MAPS - 1) / SPACE_MAPS;

	return parts < SPACE_PARTS ? parts : SPACE_PARTS;
}

struct tables_need tables_need(const struct tables *t)
{
	struct tables_need need = {
		.chunks = rows_chunks(&t->rows) + ROWS_SPARE_CHUNKS,
		.excs = t->rows.excs.count + ROWS_SPARE_EXCS,
		.spaces = SPARE_SPACES,
	};

	for (uint32_t i = 0; i < t->processes.count; i++)
		need.spaces += parts_of(&t->processes.at[i]);
	return need;
}

/* Its slots are free. */
static void leave_slots(struct tables *t, struct table_process *p)
{
	for (uint32_t i = 0; p->slot != UINT32_MAX && i < p->parts; i++)
		t->owners[(p->slot + i) % t->kernel.size.spaces] = 0;
	p->slot = UINT32_MAX;
}

/* So many slots from one on, going round, of which none is taken but by the process itself? */
static bool is_free(const struct tables *t, uint32_t first, uint32_t count, uint32_t process)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t owner = t->owners[(first + i) % t->kernel.size.spaces];

		if (owner && owner != 1 + process)
			return false;
	}
	return true;
}

/* The next slots that are free; where there are none, those that were taken longest ago, whose
 * processes go back to frame pointers. */
static uint32_t take_slots(struct tables *t, uint32_t process, uint32_t count)
{
	uint32_t spaces = t->kernel.size.spaces, first = t->next_slot, passed = 0;

	while (passed < spaces && !is_free(t, (first + passed) % spaces, count, process))
		passed++;
	first = (first + passed % spaces) % spaces;
	leave_slots(t, &t->processes.at[process]);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *owner = &t->owners[(first + i) % spaces];

		if (*owner) {
			struct table_process *p = &t->processes.at[*owner - 1];

			bpf_map_delete_elem(t->kernel.space_of, &p->pid);
			leave_slots(t, p);
		}
		*owner = 1 + process;
	}
	t->next_slot = (first + count) % spaces;
	return first;
}

/* One part of a process' maps; next: the slot of the part behind it. */
static int write_part(struct tables *t, const struct table_process *p, uint32_t part,
		      uint32_t slot, uint32_t next)
{
	AUTO_FREE struct space_maps *s = NEW(struct space_maps);
	uint32_t from = part * SPACE_MAPS, left = p->maps.count - from;

	s->count = left < SPACE_MAPS ? left : SPACE_MAPS;
	s->generation = t->generation;
	if (left > SPACE_MAPS && part + 1 < SPACE_PARTS) {
		s->next_start = p->maps.at[from + SPACE_MAPS].start;
		s->next = next + 1;
	}
	memcpy(s->maps, p->maps.at + from, s->count * sizeof(*s->maps));
	return bpf_map_update_elem(t->kernel.spaces, &slot, s, BPF_ANY);
}

/* Writes a process' maps into fresh slots and points the process to the first, so
 * that a walk under way never sees half of a change.  Slots go round: those
 * that are taken were left long ago, if their process has not ended. */
static void publish(struct tables *t, struct table_process *p)
{
	uint32_t spaces = t->kernel.size.spaces, parts = parts_of(p), slot;

	p->changed = false;
	if (!parts) {
		bpf_map_delete_elem(t->kernel.space_of, &p->pid);
		leave_slots(t, p);
		if (p->gone)
			forget_process(t, p);
		return;
	}
	slot = take_slots(t, (uint32_t)(p - t->processes.at), parts);
	p->slot = slot;
	p->parts = parts;
	t->generation = t->generation % 65535 + 1;
	for (uint32_t i = 0; i < parts; i++)
		if (write_part(t, p, i, (slot + i) % spaces, (slot + i + 1) % spaces))
			return;
	bpf_map_update_elem(t->kernel.space_of, &p->pid, &slot, BPF_ANY);
}

void tables_publish(struct tables *t)
{
	if (!t->loaded)
		return;
	rows_write(&t->rows, t->kernel.excs);
	for (uint32_t i = 0; i < t->processes.count; i++) {
		if (t->processes.at[i].changed)
			publish(t, &t->processes.at[i]);
	}
}

int tables_load(struct tables *t, const struct tables_maps *maps, struct error *err)
{
	int code = rows_map(&t->rows, maps->rows, maps->size.chunks, maps->size.excs, err);

	if (code)
		return code;
	t->kernel = *maps;
	t->owners = mem_zeroed(maps->size.spaces, sizeof(*t->owners));
	t->loaded = true;
	for (uint32_t i = 0; i < t->processes.count; i++)
		t->processes.at[i].changed = true;
	tables_publish(t);
	return 0;
}

uint64_t tables_left_out(const struct tables *t)
{
	return t->rows.left_out;
}
