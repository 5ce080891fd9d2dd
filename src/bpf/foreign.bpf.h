/*
 * foreign - calls on stacks that are not the thread's own: of coroutines, of handlers
 * on signal stacks.
 *
 * Nobody says where such a stack begins or ends, many may lie side by side in one
 * mapping, and what began on one thread may go on on another.  So these calls have no
 * order: each is known by its process and the slot of its return address, which no
 * other living call has.  A tick finds those it fell into on its walk up the stack.
 * One that was left without an exit is closed when another call takes its slot, or its
 * process ends.  What the probes of other calls took meanwhile is not taken off its
 * duration: they may have run on other threads than it, or while it waited.
 */
#ifndef SONDE_BPF_FOREIGN_BPF_H
#define SONDE_BPF_FOREIGN_BPF_H

#include "bpf/call.bpf.h"

#define FLIGHT_REACH (256 << 10)  /* bytes of stack that an exception may leave */
#define CLEANING_REACH (16 << 10) /* by so much may what cleans up lie below the throw */

/* Is the thread on a stack that is not its own, and could a call be open there? */
static __always_inline bool is_foreign(struct task_struct *task, struct thread_state *t,
				       __u64 sp)
{
	return foreign_open && (!t || stack_seems_foreign(task, t, sp));
}

/* trap: by which its end was seen; NR_TRAP: by none. */
__noinline int foreign_close(const struct foreign_key *key, __u32 reason, __u64 now, __u32 trap)
{
	struct foreign_call *c, copy;
	__u64 duration, probed;

	if (!key)
		return 0;
	c = bpf_map_lookup_elem(&foreign_calls, key);
	/* a tick from here on leaves it alone */
	if (!c || __sync_fetch_and_or(&c->span.flags, SPAN_ENDED) & SPAN_ENDED)
		return 0;
	copy = *c;
	bpf_map_delete_elem(&foreign_calls, key);
	__sync_fetch_and_add(&foreign_open, -1);
	duration = now - copy.span.began;
	take_off(&duration, copy.span.ticked);
	probed = take_off(&duration, own_price(copy.span.flags, trap));
	if (reason == END_RETURN)
		count_duration(&copy.span, duration, probed);
	else
		count_end(copy.span.probe, reason);
	if (copy.span.flags & SPAN_SAMPLED)
		send_leave(&copy.span, copy.parent, reason, copy.span.began + duration, 0);
	return 0;
}

/* Is an exception in flight on the stack that this lies on? */
static __always_inline bool in_flight(const struct thread_state *t, __u64 sp)
{
	return t->thrown_at && sp - (t->thrown_at - CLEANING_REACH) < FLIGHT_REACH;
}

/* A call begins at the slot: how many of those made there are alive?  The others are
 * closed. */
__noinline int foreign_alive(struct thread_state *t, struct foreign_key *key, __u64 now)
{
	__u32 reason = END_LONGJMP, alive = MAX_JUMPS;

	if (!t || !key)
		return 0;
	if (phase == PHASE_CLOSING)
		reason = END_DETACHED;
	else if (in_flight(t, key->slot))
		reason = END_THROW;
	for (__u32 i = 0; i < MAX_JUMPS; i++) {
		const struct foreign_call *c;

		key->jumps = i;
		c = bpf_map_lookup_elem(&foreign_calls, key);
		if (!c && alive == MAX_JUMPS)
			return i;
		if (c && i < alive && is_dead_at(&c->span, key->slot, t->site_pc, 0))
			alive = i;
		if (c && i >= alive)
			foreign_close(key, reason, now, NR_TRAP);
	}
	return alive;
}

__noinline int foreign_enter(struct thread_state *t, __u32 probe, __u64 slot, __u32 flags)
{
	struct foreign_key key = { slot, bpf_get_current_pid_tgid() >> 32, 0 };
	struct foreign_call c = {
		.span = { .slot = slot, .probe = probe, .flags = flags },
		.tid = bpf_get_current_pid_tgid(),
	}, *kept;

	if (!t)
		return 0;
	if (!each_works())
		return refuse(t, probe, END_FOREIGN);
	c.span.began = bpf_ktime_get_ns();
	key.jumps = foreign_alive(t, &key, c.span.began);
	if (key.jumps == MAX_JUMPS)
		return refuse(t, probe, END_TOO_DEEP);
	if (t->trap == TRAP_STEPPED)
		c.span.flags |= SPAN_STEPPED;
	c.span.id = new_span_id(t);
	c.span.entry = t->site_pc;
	bpf_probe_read_user(&c.span.ra, sizeof(c.span.ra), (void *)slot);
	if (bpf_map_update_elem(&foreign_calls, &key, &c, BPF_NOEXIST))
		return refuse(t, probe, END_FOREIGN);
	__sync_fetch_and_add(&foreign_open, 1);
	t->recent[t->nr_recent++ % NR_RECENT] = slot;
	charge_entry(t, false);
	kept = bpf_map_lookup_elem(&foreign_calls, &key);
	if (kept) /* the clock is read last, as in call_push() */
		kept->span.began = t->landed_at = bpf_ktime_get_ns();
	return 0;
}

__noinline int foreign_leave(__u32 probe, __u64 slot, __u64 now, __u32 trap)
{
	struct foreign_key key = { slot, bpf_get_current_pid_tgid() >> 32, 0 };

	for (__u32 i = 0; i < MAX_JUMPS; i++) {
		const struct foreign_call *c;

		key.jumps = i;
		c = bpf_map_lookup_elem(&foreign_calls, &key);
		if (c && c->span.probe == probe)
			return foreign_close(&key, END_RETURN, now, trap);
	}
	return 0;
}

__noinline int foreign_throw(struct foreign_key *key, __u64 now)
{
	if (!key)
		return 0;
	for (__u32 i = 0; i < MAX_JUMPS; i++) {
		key->jumps = i;
		foreign_close(key, END_THROW, now, NR_TRAP);
	}
	return 0;
}

/* Closes what an exception has left on its way from one place of a stack to another, where
 * a call's return address has come to lie. */
__noinline int foreign_drop(struct thread_state *t, __u64 from, __u64 to, __u64 now)
{
	struct foreign_key key = { 0, bpf_get_current_pid_tgid() >> 32, 0 };

	if (!t || to - from > FLIGHT_REACH)
		return 0;
	for (__u32 i = 0; i < NR_RECENT; i++) {
		key.slot = t->recent[i];
		if (key.slot < from || key.slot > to)
			continue;
		t->recent[i] = 0;
		foreign_throw(&key, now);
	}
	return 0;
}

/* A landmark, while a call is open on some foreign stack and the thread is on one.  The
 * stack's bounds are not known, but an exception does not leave it. */
static __always_inline void foreign_flight(struct thread_state *t, __u32 role, __u64 sp)
{
	if (role == SITE_THROW) {
		if (!in_flight(t, sp))
			t->flights = 0;
		if (!t->flights++ || sp < t->thrown_at)
			t->thrown_at = sp;
	}
	if ((role == SITE_RESUME || role == SITE_CATCH) && t->thrown_at)
		foreign_drop(t, t->thrown_at, sp, bpf_ktime_get_ns());
	if (role == SITE_CATCH && t->flights && --t->flights == 0)
		t->thrown_at = 0;
}

struct foreign_end {
	__u32 pid;
	__u32 reason;
	__u64 now;
};

static long foreign_end_one(void *map, struct foreign_key *key, struct foreign_call *c,
			    struct foreign_end *end)
{
	struct foreign_key copy = *key;

	if (copy.pid == end->pid)
		foreign_close(&copy, end->reason, end->now, NR_TRAP);
	return 0;
}

/* The process is gone, or is another program. */
static __always_inline void foreign_end(__u32 pid, __u32 reason, __u64 now)
{
	struct foreign_end end = { pid, reason, now };

	if (foreign_open && each_works())
		for_each(&foreign_calls, foreign_end_one, &end, 0);
}

static long foreign_tell_one(void *map, struct foreign_key *key, struct foreign_call *c,
			     __u64 *now)
{
	struct event_open e = {
		.span = c->span.id,
		.parent = c->parent,
		.began = c->span.began,
		.probe = c->span.probe,
		.pid = key->pid,
	};

	if (is_stale(e.probe) || is_counted(&c->span))
		return 0;
	event_fill(&e.head, EVENT_OPEN, sizeof(e), c->tid, *now);
	send(&e, sizeof(e), &loss.spans);
	if (phase == PHASE_CLOSING)
		count_end(e.probe, END_DETACHED);
	return 0;
}

static long foreign_forget_one(void *map, struct foreign_key *key, struct foreign_call *c,
			       struct probe_gone *gone)
{
	struct foreign_key copy = *key;

	if (c->span.probe == gone->probe)
		foreign_close(&copy, END_DETACHED, 0, NR_TRAP);
	return 0;
}

/* Of a probe that was taken away nobody else would close what is open. */
SEC("syscall")
int forget(struct probe_gone *gone)
{
	struct probe_gone copy = *gone;

	if (foreign_open && each_works())
		for_each(&foreign_calls, foreign_forget_one, &copy, 0);
	return 0;
}

/* Tells of all that are open. */
static __always_inline void foreign_tell(void)
{
	__u64 now = bpf_ktime_get_ns();

	if (foreign_open && each_works())
		for_each(&foreign_calls, foreign_tell_one, &now, 0);
}

#endif
