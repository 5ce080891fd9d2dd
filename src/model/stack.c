#include "model/stack.h"

#include "model/wait.h"
#include "wire/sample_cause.h"
#include "wire/span_end.h"

#include <stddef.h>

/* Steps up the chain of parents that a sample is proof for. */
#define SEEN_STEPS 32

void join_sees_time(struct store *st, nsec time)
{
	if (!st->newest || time < st->first)
		st->first = time;
	if (time > st->newest)
		st->newest = time;
}

/* The addresses of a process at some time. */
struct stack_place {
	const struct space *space; /* NULL: nothing is known of it */
	nsec time;
};

static frame_id stack_frame(struct store *st, const struct stack_place *at, uint64_t address)
{
	const struct space_range *r =
		at->space ? space_lookup(at->space, address, at->time) : NULL;

	return r ? frame_add(&st->frames, r->image, address - r->start + r->offset)
		 : frame_add(&st->frames, 0, address);
}

/* A call is of a function, which is in an image. */
static node_id stack_call(struct store *st, const struct stack_place *at, uint64_t entry,
			  node_id node)
{
	frame_id of = stack_frame(st, at, entry), call;

	if (!frame_at(&st->frames, of).image)
		return node;
	call = frame_add(&st->frames, IMAGE_ID_CALL, of);
	return call ? tree_child(&st->tree, node, call) : node;
}

static node_id stack_user(struct store *st, const struct space *space,
			  const struct event_sample *s, node_id node)
{
	const uint64_t *user = (const uint64_t *)s->frames + s->nr_kernel;
	const struct stack_place at = { space, s->head.time };

	for (uint32_t i = s->nr_user; i-- > 0;) {
		uint64_t address = user[i] - (i && user[i] ? 1 : 0);

		node = FRAME_IS_CALL(user[i])
			       ? stack_call(st, &at, FRAME_CALL_ENTRY(user[i]), node)
			       : tree_child(&st->tree, node, stack_frame(st, &at, address));
	}
	return node;
}

static node_id stack_kernel(struct store *st, const struct event_sample *s, bool in_probe,
			    node_id node)
{
	if (in_probe)
		return tree_child(&st->tree, node, frame_add(&st->frames, IMAGE_ID_PROBE, 0));
	for (uint32_t i = s->nr_kernel; i-- > 0;) {
		uint64_t address = s->frames[i] - (i && s->frames[i] ? 1 : 0);

		node = tree_child(&st->tree, node,
				  frame_add(&st->frames, IMAGE_KERNEL_ID, address));
	}
	return node;
}

static node_id stack_walk(struct store *st, const struct space *space,
			  const struct event_sample *s, uint64_t off)
{
	node_id node = 0;

	if (s->user_end == STACK_TRUNCATED)
		node = tree_child(&st->tree, node,
				  frame_add(&st->frames, IMAGE_ID_TRUNCATED, 0));
	node = stack_user(st, space, s, node);
	if (off)
		node = tree_child(&st->tree, node, frame_add(&st->frames, IMAGE_ID_WAIT, off));
	/* of a wait the call's number lies there */
	return stack_kernel(st, s, s->in_probe && !off, node);
}

/* Everything the node depends on: the addresses, how they divide, and what the
 * process has mapped. */
static uint64_t stack_key(const struct space *space, const struct event_sample *s, uint64_t off)
{
	uint64_t key = (uint64_t)s->pid << 32 | (space ? space->version : 0);

	key = hash_u64(key) ^
	      ((uint64_t)s->nr_kernel << 32 | s->user_end << 8 | (s->in_probe && !off));
	key ^= hash_u64(off);
	return hash_bytes(s->frames, (s->nr_kernel + s->nr_user) * sizeof(s->frames[0]), key);
}

node_id stack_node(struct store *st, const struct event_sample *s, uint64_t off)
{
	const struct space *space = space_find(&st->spaces, s->pid);
	struct stack_cached *cached;
	uint64_t key;

	if (space && s->head.time < space->changed)
		return stack_walk(st, space, s, off); /* it may have seen older maps */
	key = stack_key(space, s, off);
	cached = &st->stacks[key % STACK_CACHE];
	if (cached->key != key)
		*cached = (struct stack_cached){ key, stack_walk(st, space, s, off) };
	return cached->node;
}

/* The sample proves that every call around it was open at its time. */
static void stack_seen(struct store *st, struct span *span, nsec time)
{
	for (unsigned i = 0; span && i < SEEN_STEPS; i++) {
		if (span->seen < time)
			span->seen = time;
		span = span->parent ? span_find(&st->spans, span->parent) : NULL;
	}
}

uint64_t stack_put(struct store *st, const struct sample *s)
{
	*store_add_sample(st) = *s;
	if (s->span) /* looked up again: making room can have moved things */
		store_get_span(st, s->span)->last_sample =
			st->samples.dropped + st->samples.count;
	join_sees_time(st, s->time);
	return st->samples.dropped + st->samples.count - 1;
}

struct sample stack_sample(struct store *st, const struct event_sample *from,
			   enum sample_cause cause, uint32_t lock)
{
	const struct event *e = &from->head;
	struct sample s = { .cause = 0 };
	struct span *span;

	if (from->nr_kernel + from->nr_user > (e->size - sizeof(*from)) / 8) {
		st->malformed++;
		return s;
	}
	if (from->span) {
		span = store_get_span(st, from->span);
		if (!span->tid) {
			span->tid = e->tid;
			span->pid = from->pid;
		}
		stack_seen(st, span, e->time);
	}
	s = (struct sample){
		.time = e->time,
		.weight = from->weight,
		.span = from->span,
		.node = stack_node(st, from, cause == CAUSE_CPU ? 0 : wait_place(cause, lock)),
		.tid = e->tid,
		.pid = from->pid,
		.cpu = from->cpu,
		.cause = cause,
		.user_end = from->user_end,
	};
	if (table_find(&st->tids, e->tid) == TABLE_NONE)
		store_get_thread(st, e->tid)->pid = from->pid;
	return s;
}

void join_sample(struct store *st, const struct event *e)
{
	struct sample s = stack_sample(st, (const void *)e, CAUSE_CPU, 0);

	if (!s.cause)
		return;
	stack_put(st, &s);
	wait_breaks(st, s.tid, s.time);
	holder_does(&st->holders, s.tid,
		    &(struct stretch){ .from = s.time, .until = s.time, .node = s.node });
}

/* What ENTER, LEAVE and OPEN all tell. */
static struct span *join_span(struct store *st, const struct event_enter *from)
{
	struct span *span;

	if (!from->span || !from->probe) {
		st->malformed++;
		return NULL;
	}
	span = store_get_span(st, from->span);
	span->parent = from->parent == from->span ? 0 : from->parent;
	span->began = from->began;
	span->probe = from->probe;
	span->tid = from->head.tid;
	join_sees_time(st, from->head.time);
	return span;
}

void join_enter(struct store *st, const struct event *e)
{
	const struct event_enter *enter = (const void *)e;
	struct span *span = join_span(st, enter);

	if (!span)
		return;
	span->pid = enter->pid;
	if (span->seen < e->time)
		span->seen = e->time;
}

void join_open(struct store *st, const struct event *e)
{
	_Static_assert(sizeof(struct event_open) == sizeof(struct event_enter) &&
			       offsetof(struct event_open, pid) ==
				       offsetof(struct event_enter, pid),
		       "OPEN says what ENTER says, later");
	join_enter(st, e);
}

void join_times(struct store *st, const struct event *e)
{
	const struct event_times *times = (const void *)e;
	struct span *span;

	if (!times->span) {
		st->malformed++;
		return;
	}
	span = store_get_span(st, times->span);
	span->away = times->away;
	/* each is by a clock of its own */
	span->queued = times->queued < times->away ? times->queued : times->away;
	span->timed = st->timed = true;
}

void join_leave(struct store *st, const struct event *e)
{
	const struct event_leave *leave = (const void *)e;
	struct span *span;

	_Static_assert(offsetof(struct event_leave, probe) ==
			       offsetof(struct event_enter, probe),
		       "LEAVE begins as ENTER");
	span = join_span(st, (const void *)e);
	if (!span)
		return;
	span->retval = leave->retval;
	span_end(&st->spans, span, e->time, span_end_known(leave->reason));
}
