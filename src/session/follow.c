#include "session/follow.h"

#include "name/wait_kind.h"
#include "name/wake_kind.h"
#include "session/permit.h"

#define YOUNG_NSEC (2 * NSEC_PER_SEC)

void follow_command(struct session *s)
{
	struct session_young y = { .pid = s->child, .since = clock_now() };

	array_push(&s->young, y);
}

void follow_described(void *context, const struct event *e)
{
	struct session *s = context;

	if (e->kind == EVENT_MAP)
		permit_note(s, ((const struct event_map *)e)->pid);
	tables_event(s->tables, e);
	feed_event(&s->feed, e);
}

#define MISS_NSEC (20 * NSEC_PER_MSEC) /* between two looks at maps that lack something */

/* A sample of a process that is not known yet, or in code that it has mapped
 * since the last look: its maps are told before the sample is joined. */
static void look_before(struct session *s, const struct event_sample *e)
{
	bool known = describe_knows(&s->describe, e->pid);
	nsec now = clock_now();

	if (!known) {
		describe_process(&s->describe, e->pid, NULL);
	} else if (e->user_end == STACK_NO_MAP && now - s->missed > MISS_NSEC) {
		s->missed = now;
		describe_maps(&s->describe, e->pid);
	} else {
		return;
	}
	tables_publish(s->tables);
}

static void follow_program(struct session *s, const struct event_exec *e)
{
	struct session_young y = { .pid = e->pid, .since = e->head.time, .program = true };

	describe_exec(&s->describe, e->pid);
	array_push(&s->young, y);
}

/* Its maps are looked at as those of a sample are; and what it waits for is found now, when
 * the kernel's names are at hand. */
static void follow_wait(struct session *s, const struct event *e)
{
	struct naming naming = namer_naming(s->feed.namer);
	AUTO_FREE struct event_wait *wait = mem_copy(e, e->size);

	look_before(s, (const struct event_sample *)e);
	wait->cause = wait_kind(&naming, wait);
	follow_described(s, &wait->head);
}

/* What ended a wait is found now, as above.  Of the one that did only where it is in its own
 * code is kept, and nothing of whom an interrupt met. */
static void follow_wake(struct session *s, const struct event *e)
{
	struct naming naming = namer_naming(s->feed.namer);
	AUTO_FREE struct event_wake *wake = mem_copy(e, e->size);
	size_t user;

	wake->by = wake_kind(&naming, wake);
	if (wake->by != WAKE_THREAD)
		wake->nr_user = 0;
	else if (wake->nr_user)
		look_before(s, (const struct event_sample *)e);
	user = wake->nr_user * sizeof(wake->frames[0]);
	memmove(wake->frames, wake->frames + wake->nr_kernel, user);
	wake->nr_kernel = 0;
	wake->head.size = sizeof(*wake) + user;
	follow_described(s, &wake->head);
}

/* Notes what has to be done once the ring is not being read any more. */
void follow_event(void *context, const struct event *e)
{
	struct session *s = context;

	if (e->kind == EVENT_WAIT) {
		follow_wait(s, e);
		return;
	}
	if (e->kind == EVENT_WAKE) {
		follow_wake(s, e);
		return;
	}
	if (e->kind == EVENT_SAMPLE)
		look_before(s, (const struct event_sample *)e);
	follow_described(s, e);
	if (e->kind == EVENT_FORK) {
		array_push(&s->born, ((const struct event_fork *)e)->pid);
	} else if (e->kind == EVENT_EXEC) {
		follow_program(s, (const struct event_exec *)e);
	} else if (e->kind == EVENT_UNPROBE) {
		watch_gone(&s->watch, ((const struct event_unprobe *)e)->probe);
	} else if (e->kind == EVENT_EXIT && ((const struct event_exit *)e)->last) {
		source_ended(s->source, ((const struct event_exit *)e)->pid);
		describe_ended(&s->describe, ((const struct event_exit *)e)->pid);
	}
}

/* It may have functions of the names that are watched. */
static void look_for_places(struct session *s, struct session_young *y)
{
	struct event_program e = {
		.head = { .kind = EVENT_PROGRAM, .size = sizeof(e) },
		.since = y->since,
		.pid = y->pid,
	};
	uint32_t changes = describe_changes(&s->describe, y->pid);

	if (!y->program || y->looked == changes)
		return;
	y->looked = changes;
	if (!watch_extend(&s->watch, y->pid, loop_running(&s->loop), s->source,
			  s->option.accept_dear, &s->unwatched))
		return;
	e.head.time = clock_now();
	feed_event(&s->feed, &e.head);
	watch_tell(&s->watch, 0, s->source, &s->describe, &s->feed);
	permit_note(s, y->pid);
}

void follow_born(struct session *s)
{
	for (uint32_t i = 0; i < s->young.count; i++)
		look_for_places(s, &s->young.at[i]);
	for (uint32_t i = 0; i < s->born.count; i++) {
		uint32_t pid = s->born.at[i];

		if (!describe_knows(&s->describe, pid))
			describe_process(&s->describe, pid, NULL);
		loop_add_process(&s->loop, pid, false, NULL);
	}
	array_clear(&s->born);
	tables_publish(s->tables);
}

/* A program that has just begun is still loading its libraries: look at its maps
 * before its samples are joined. */
static void look_at_young(struct session *s)
{
	nsec now = clock_now();
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->young.count; i++) {
		struct session_young y = s->young.at[i];

		if (describe_maps(&s->describe, y.pid) < 0 || now - y.since >= YOUNG_NSEC)
			continue;
		look_for_places(s, &y);
		s->young.at[kept++] = y;
	}
	s->young.count = kept;
	tables_publish(s->tables);
}

#define HEARD_MOST 5000 /* mappings of all processes between two ticks */

static void on_mapping(void *context, const struct mapwatch_mapping *m)
{
	struct session *s = context;

	if (describe_knows(&s->describe, m->pid))
		describe_mapped(&s->describe, m->pid, &m->map, m->time);
}

/* Someone has mapped code, perhaps the target.  On a machine that starts
 * programs all the time it is cheaper to look when sonde wakes up anyway. */
static void on_file(void *context)
{
	struct session *s = context;

	s->heard += mapwatch_read(&s->mapwatch, on_mapping, s);
	if (s->heard > HEARD_MOST)
		loop_drop_files(&s->loop);
	tables_publish(s->tables);
}

void follow_maps(struct session *s)
{
	if (mapwatch_open(&s->mapwatch, NULL))
		return;
	s->loop.on_file = on_file;
	for (uint32_t i = 0; i < s->mapwatch.cpus.count; i++)
		loop_add_file(&s->loop, s->mapwatch.cpus.at[i].fd);
}

void follow_image(void *context, const struct event_image *image, const char *open_path)
{
	struct session *s = context;

	namer_image(s->feed.namer, image, open_path, NULL);
	if (s->option.hz && s->option.user)
		tables_image(s->tables, image, open_path);
}

void follow_new_code(struct session *s)
{
	mapwatch_read(&s->mapwatch, on_mapping, s);
	look_at_young(s);
}

void follow_unheard(struct session *s)
{
	for (uint32_t i = 0; i < s->target.processes.count && !s->mapwatch.cpus.count; i++)
		describe_maps(&s->describe, s->target.processes.at[i].pid);
}
