/*
 * fallen - which open spans a tick fell into, told of at their first one.
 *
 * On the thread's own stack those are all its open spans.  On another one they are
 * those whose frames the walk has passed; they are nested in the thread's own spans
 * only if the walk then came to its own stack (from a handler on a signal stack): a
 * coroutine's calls are not part of the call that happens to resume it.
 */
#ifndef SONDE_BPF_FALLEN_BPF_H
#define SONDE_BPF_FALLEN_BPF_H

#include "bpf/stack.bpf.h"
#include "bpf/unwind.bpf.h"

/* Tells of an open span of a thread (process and thread, as bpf_get_current_pid_tgid()) that
 * is sampled for the first time.  A function that is not static, to be verified once and not
 * for every depth. */
__noinline int announce_one(struct open_span *s, __u64 now, __u64 parent, __u64 pid_tid)
{
	struct event_enter e = { .parent = parent, .pid = pid_tid >> 32 };

	if (!s)
		return 0;
	e.span = s->id;
	e.began = s->began;
	e.probe = s->probe;
	s->flags |= SPAN_SAMPLED;
	event_fill(&e.head, EVENT_ENTER, sizeof(e), (__u32)pid_tid, now);
	send(&e, sizeof(e), &loss.spans);
	return 0;
}

/* Tells of each open span that was not sampled before: the id of the innermost, that of
 * what they are nested in if there is none. */
__noinline __u64 announce(struct thread_state *t, __u64 now, __u64 parent, __u64 pid_tid)
{
	if (!t)
		return parent;
	if (t->depth)
		t->outer = parent;
	for (__u32 i = 0; i < MAX_OPEN; i++) {
		struct open_span *s = &t->spans[i];

		if (i >= t->depth)
			break;
		if (is_stale(s->probe))
			continue;
		if (!(s->flags & SPAN_SAMPLED))
			announce_one(s, now, parent, pid_tid);
		parent = s->id;
	}
	return parent;
}

static __always_inline __u32 depth_of(const struct thread_state *t)
{
	return t->depth > MAX_OPEN ? MAX_OPEN : t->depth;
}

/* Where the innermost calls return to. */
__noinline int take_calls(struct walk *w, const struct thread_state *t)
{
	__u32 n = 0, depth;

	if (!w || !t)
		return 0;
	depth = depth_of(t);
	w->call_slot = ~0ull;
	for (__u32 i = 0; i < CALL_NEST; i++) {
		const struct open_span *s = &t->spans[(depth - 1 - i) & (MAX_OPEN - 1)];

		if (i >= depth)
			break;
		w->calls[i].slot = s->slot + t->base;
		w->calls[i].frame = FRAME_CALL | s->entry;
		if (w->calls[i].slot < w->call_slot)
			w->call_slot = w->calls[i].slot;
		n = i + 1;
	}
	w->nr_call = n;
	return 0;
}

/* What the thread's spans tell of the stack. */
static __always_inline void take_spans(struct walk *w, const struct thread_state *t,
				       __u32 depth)
{
	const struct open_span *s = &t->spans[(depth - 1) & (MAX_OPEN - 1)];
	const struct open_span *ended = &t->spans[depth & (MAX_OPEN - 1)];

	w->site_pc = t->site_pc;
	w->site_sp = t->site_sp;
	take_calls(w, t);
	if (depth) {
		w->newest_slot = s->flags & SPAN_HOOKED ? s->slot : 0;
		w->newest_ra = s->ra;
	}
	if (depth < MAX_OPEN) {
		w->ended_slot = ended->flags & SPAN_HOOKED ? ended->slot : 0;
		w->ended_ra = ended->ra;
	}
}

/* Shall the walk look for calls on a foreign stack? */
static __always_inline void seek_foreign(struct walk *w, struct task_struct *task,
					 const struct thread_state *t)
{
	/* not looked up here: a tick must not wait */
	w->pid = foreign_open && !(t && stack_holds(t, w->sp)) ? task->tgid : 0;
}

/* Tells of the calls at the slot: the id of the innermost. */
__noinline __u64 fallen_at(struct foreign_key *key, __u64 parent, __u64 now, __u32 tid)
{
	if (!key)
		return parent;
	for (__u32 i = 0; i < MAX_JUMPS; i++) {
		struct event_enter e = { .parent = parent, .pid = key->pid };
		struct foreign_call *c;
		__u32 flags;

		key->jumps = i;
		c = bpf_map_lookup_elem(&foreign_calls, key);
		if (!c || is_stale(c->span.probe))
			continue;
		flags = __sync_fetch_and_or(&c->span.flags, SPAN_SAMPLED);
		if (flags & SPAN_ENDED)
			continue;
		c->parent = parent;
		parent = c->span.id;
		if (flags & SPAN_SAMPLED)
			continue;
		e.span = parent;
		e.began = c->span.began;
		e.probe = c->span.probe;
		event_fill(&e.head, EVENT_ENTER, sizeof(e), tid, now);
		send(&e, sizeof(e), &loss.spans);
	}
	return parent;
}

/* After the walk. */
__noinline int take_foreign(struct walk *w, const struct thread_state *t, __u64 now)
{
	struct foreign_key key = { 0 };
	__u64 innermost;

	if (!w)
		return 0;
	key.pid = w->pid;
	innermost = t && stack_holds(t, w->sp) ? w->sample.span : 0;
	for (__u32 i = FOREIGN_NEST; i-- > 0;) {
		if (i >= w->nr_foreign)
			continue;
		key.slot = w->foreign[i];
		innermost = fallen_at(&key, innermost, now, w->sample.head.tid);
	}
	w->sample.span = innermost;
	return 0;
}

/* What the tick took is none of the time of the calls that it fell into. */
__noinline int charge_foreign(const struct walk *w, __u64 took)
{
	struct foreign_key key = { 0 };

	if (!w)
		return 0;
	key.pid = w->pid;
	for (__u32 i = 0; i < FOREIGN_NEST * MAX_JUMPS; i++) {
		struct foreign_call *c;

		if (i / MAX_JUMPS >= w->nr_foreign)
			break;
		key.slot = w->foreign[i / MAX_JUMPS];
		key.jumps = i % MAX_JUMPS;
		c = bpf_map_lookup_elem(&foreign_calls, &key);
		if (c)
			c->span.ticked += took;
	}
	return 0;
}

#endif
