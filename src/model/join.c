#include "model/join.h"

#include "model/stack.h"
#include "model/wait.h"

#include <stddef.h>

/* The k-th string of a record's trailing text, "" when it is not there; *at
 * moves behind it.  Hostile records may lack the last NUL. */
static text_id join_text(struct store *st, const struct event *e, size_t *at)
{
	const char *text = (const char *)e + *at;
	size_t length = *at < e->size ? strnlen(text, e->size - *at) : 0;

	*at += length + 1;
	return intern_part(&st->text, text, length);
}

static void join_name(char *to, size_t room, const char *from, size_t size)
{
	size_t length = strnlen(from, size < room - 1 ? size : room - 1);

	memcpy(to, from, length);
	to[length] = 0;
}

static void join_target(struct store *st, const struct event *e)
{
	const struct event_target *target = (const void *)e;
	size_t at = offsetof(struct event_target, text);

	st->origin = (struct store_origin){
		.time = e->time,
		.wall = target->wall,
		.period = target->period,
		.hz = target->hz,
		.cpus = target->cpus,
	};
	st->origin.host = join_text(st, e, &at);
	st->origin.kernel = join_text(st, e, &at);
	st->origin.command = join_text(st, e, &at);
	join_sees_time(st, e->time);
}

static void join_process(struct store *st, const struct event *e)
{
	const struct event_process *process = (const void *)e;
	struct store_process *p = store_get_process(st, process->pid);

	if (!p)
		return;
	p->parent = process->parent_pid;
	p->exited = false;
	join_name(p->comm, sizeof(p->comm), process->comm,
		  e->size - offsetof(struct event_process, comm));
}

static void join_thread(struct store *st, const struct event *e)
{
	const struct event_thread *thread = (const void *)e;
	struct store_thread *t = store_get_thread(st, e->tid);

	t->pid = thread->pid;
	t->exited = false;
	join_name(t->name, sizeof(t->name), thread->name, sizeof(thread->name));
}

static void join_image(struct store *st, const struct event *e)
{
	const struct event_image *image = (const void *)e;
	size_t at = offsetof(struct event_image, path);
	struct store_image *i;

	if (!image->image || image->image >= IMAGE_ID_END || image->build_id_size > 20) {
		st->malformed++;
		return;
	}
	i = store_get_image(st, image->image);
	if (!i)
		return;
	i->kind = image->kind <= IMAGE_PROBES ? image->kind : IMAGE_FILE;
	i->build_id_size = image->build_id_size;
	memcpy(i->build_id, image->build_id, sizeof(i->build_id));
	i->path = join_text(st, e, &at);
}

static void join_map(struct store *st, const struct event *e)
{
	const struct event_map *map = (const void *)e;
	struct space_range range = {
		.start = map->start,
		.end = map->end,
		.offset = map->offset,
		.image = map->image < IMAGE_ID_END ? map->image : 0,
		.since = e->time,
	};
	struct store_image *image;

	space_map(&st->spaces, map->pid, &range);
	if (!range.image || range.start >= range.end)
		return;
	image = store_get_image(st, range.image);
	if (image && !image->first.image)
		image->first = range;
}

static void join_probe(struct store *st, const struct event *e)
{
	const struct event_probe *probe = (const void *)e;
	size_t at = offsetof(struct event_probe, text);
	struct store_probe *p;

	p = probe->probe ? store_get_probe(st, probe->probe) : NULL;
	if (!p) {
		st->malformed++;
		return;
	}
	if (!p->armed)
		p->uncubed = !cube_arm(&st->cube, p->id);
	p->sites = probe->sites;
	p->exit = probe->exit < NR_PROBE_EXIT ? probe->exit : EXIT_NONE;
	p->image = probe->image;
	p->offset = probe->offset;
	p->length = probe->length;
	p->cost = probe->cost;
	p->line = probe->line;
	if (!p->armed || p->removed) {
		p->armed = e->time;
		st->last_armed = e->time > st->last_armed ? e->time : st->last_armed;
	}
	p->removed = 0;
	p->place = join_text(st, e, &at);
	p->function = join_text(st, e, &at);
	p->file = join_text(st, e, &at);
}

/* Its open calls were left by us; what is told of them behind this is of no use. */
static void join_unprobe(struct store *st, const struct event *e)
{
	uint32_t id = ((const struct event_unprobe *)e)->probe;
	const struct store_probe *p = store_probe(st, id);
	uint32_t next;

	if (!p || p->removed)
		return;
	for (uint32_t i = st->spans.open.oldest; i != SPAN_NONE; i = next) {
		struct span *span = &st->spans.slots.at[i];

		next = span->newer;
		if (span->probe == id)
			span_end(&st->spans, span, e->time, END_DETACHED);
	}
	store_remove_probe(st, id, e->time);
	join_sees_time(st, e->time);
}

static void join_calls(struct store *st, const struct event *e)
{
	const struct event_calls *calls = (const void *)e;
	size_t room = (e->size - sizeof(*calls)) / sizeof(struct call_bucket);
	struct store_probe *p = calls->probe ? store_get_probe(st, calls->probe) : NULL;

	if (!p || calls->nr_buckets > room || calls->nr_buckets > NR_BUCKET ||
	    calls->since > e->time) {
		st->malformed++;
		return;
	}
	timeline_add(&p->calls, calls, calls->nr_buckets);
	store_bound_timelines(st, calls->nr_buckets);
	join_sees_time(st, e->time);
	join_sees_time(st, calls->since);
}

static void join_ends(struct store *st, const struct event *e)
{
	const struct event_ends *ends = (const void *)e;
	size_t room = (e->size - sizeof(*ends)) / sizeof(ends->ends[0]);
	struct store_probe *p = ends->probe ? store_get_probe(st, ends->probe) : NULL;

	if (!p || ends->nr_ends > room || ends->since > e->time) {
		st->malformed++;
		return;
	}
	timeline_end(&p->calls, ends, ends->nr_ends);
	store_bound_timelines(st, 0);
	join_sees_time(st, e->time);
	join_sees_time(st, ends->since);
}

static void join_sum(struct store *st, const struct event *e)
{
	static const enum call_sum sums[] = { [EVENT_UNSURE] = SUM_UNSURE,
					      [EVENT_PROBED] = SUM_PROBED,
					      [EVENT_TIMED] = SUM_TIMED,
					      [EVENT_AWAY] = SUM_AWAY,
					      [EVENT_QUEUED] = SUM_QUEUED };
	const struct event_call_sum *sum = (const void *)e;
	struct store_probe *p = sum->probe ? store_get_probe(st, sum->probe) : NULL;

	if (!p || sum->since > e->time) {
		st->malformed++;
		return;
	}
	timeline_sum(&p->calls, sums[e->kind], sum);
	store_bound_timelines(st, 0);
}

static void join_loss(struct store *st, const struct event *e)
{
	if (e->time >= st->losses.head.time)
		st->losses = *(const struct event_loss *)e;
}

static void join_armed(struct store *st, const struct event *e)
{
	const struct event_armed *armed = (const void *)e;

	if (armed->since > e->time) {
		st->malformed++;
		return;
	}
	st->children.count++;
	if (armed->since == e->time)
		st->children.unwatched++;
	if (e->time - armed->since > st->children.latest)
		st->children.latest = e->time - armed->since;
}

static void join_program(struct store *st, const struct event *e)
{
	const struct event_program *program = (const void *)e;

	if (program->since > e->time) {
		st->malformed++;
		return;
	}
	st->programs.count++;
	if (e->time - program->since > st->programs.latest)
		st->programs.latest = e->time - program->since;
}

static void join_fork(struct store *st, const struct event *e)
{
	const struct event_fork *fork = (const void *)e;
	struct store_process *p = store_get_process(st, fork->pid);
	const struct store_process *parent = store_process(st, fork->parent_pid);

	space_fork(&st->spaces, fork->parent_pid, fork->pid, e->time);
	if (!p)
		return;
	p->parent = fork->parent_pid;
	p->exited = false;
	if (parent && parent != p)
		memcpy(p->comm, parent->comm, sizeof(p->comm));
}

static void join_exec(struct store *st, const struct event *e)
{
	space_exec(&st->spaces, ((const struct event_exec *)e)->pid, e->time);
}

static void join_exit(struct store *st, const struct event *e)
{
	const struct event_exit *exit = (const void *)e;

	store_get_thread(st, e->tid)->exited = true;
	wait_ends(st, e->tid, e->time);
	if (exit->last != 1)
		return;
	space_exit(&st->spaces, exit->pid);
	if (store_process(st, exit->pid))
		store_get_process(st, exit->pid)->exited = true;
}

static void join_seen(struct store *st, const struct event *e)
{
	const struct event_seen *seen = (const void *)e;
	struct store_thread *t = store_get_thread(st, e->tid);

	t->pid = seen->pid;
	t->ran = seen->ran;
	store_number_thread(st, t, seen->number);
}

static void join_futex(struct store *st, const struct event *e)
{
	const struct event_futex *futex = (const void *)e;

	if (futex->nr_words > FUTEX_WORDS)
		st->malformed++;
	else
		store_get_thread(st, e->tid)->futex = *futex;
}

static void join_causes(struct store *st, const struct event *e)
{
	st->causes = ((const struct event_causes *)e)->causes;
}

static void join_start(struct store *st, const struct event *e)
{
	if (!st->started)
		st->started = e->time;
	join_sees_time(st, e->time);
}

static void join_end(struct store *st, const struct event *e)
{
	st->has_end = true;
	st->end = *(const struct event_end *)e;
	wait_close(st, e->time);
	join_sees_time(st, e->time);
}

/* What is done with a kind, and the least size of its record. */
static const struct {
	void (*join)(struct store *st, const struct event *e);
	size_t least;
} joins[] = {
	[EVENT_SAMPLE] = { join_sample, sizeof(struct event_sample) },
	[EVENT_WAIT] = { join_wait, sizeof(struct event_wait) },
	[EVENT_STILL] = { join_still, sizeof(struct event_still) },
	[EVENT_WAKE] = { join_wake, sizeof(struct event_wake) },
	[EVENT_SEEN] = { join_seen, sizeof(struct event_seen) },
	[EVENT_FUTEX] = { join_futex, sizeof(struct event_futex) },
	[EVENT_OWNER] = { join_owner, sizeof(struct event_owner) },
	[EVENT_ENTER] = { join_enter, sizeof(struct event_enter) },
	[EVENT_LEAVE] = { join_leave, sizeof(struct event_leave) },
	[EVENT_FORK] = { join_fork, sizeof(struct event_fork) },
	[EVENT_EXEC] = { join_exec, sizeof(struct event_exec) },
	[EVENT_EXIT] = { join_exit, sizeof(struct event_exit) },
	[EVENT_THREAD] = { join_thread, sizeof(struct event_thread) },
	[EVENT_TIMES] = { join_times, sizeof(struct event_times) },
	[EVENT_OPEN] = { join_open, sizeof(struct event_open) },
	[EVENT_TARGET] = { join_target, sizeof(struct event_target) },
	[EVENT_PROCESS] = { join_process, sizeof(struct event_process) },
	[EVENT_IMAGE] = { join_image, sizeof(struct event_image) },
	[EVENT_MAP] = { join_map, sizeof(struct event_map) },
	[EVENT_PROBE] = { join_probe, sizeof(struct event_probe) },
	[EVENT_CALLS] = { join_calls, sizeof(struct event_calls) },
	[EVENT_ENDS] = { join_ends, sizeof(struct event_ends) },
	[EVENT_UNSURE] = { join_sum, sizeof(struct event_call_sum) },
	[EVENT_PROBED] = { join_sum, sizeof(struct event_call_sum) },
	[EVENT_TIMED] = { join_sum, sizeof(struct event_call_sum) },
	[EVENT_AWAY] = { join_sum, sizeof(struct event_call_sum) },
	[EVENT_QUEUED] = { join_sum, sizeof(struct event_call_sum) },
	[EVENT_ARMED] = { join_armed, sizeof(struct event_armed) },
	[EVENT_PROGRAM] = { join_program, sizeof(struct event_program) },
	[EVENT_UNPROBE] = { join_unprobe, sizeof(struct event_unprobe) },
	[EVENT_LOSS] = { join_loss, sizeof(struct event_loss) },
	[EVENT_END] = { join_end, sizeof(struct event_end) },
	[EVENT_CAUSES] = { join_causes, sizeof(struct event_causes) },
	[EVENT_START] = { join_start, sizeof(struct event_start) },
};

void join_event(struct store *st, const struct event *e)
{
	if (e->kind >= COUNT_OF(joins) || !joins[e->kind].join)
		return;
	if (e->size < joins[e->kind].least) {
		st->malformed++;
		return;
	}
	joins[e->kind].join(st, e);
}
