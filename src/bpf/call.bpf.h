/*
 * call - every call of a probed function as a span.
 *
 * Enter pushes an open span on the thread's state, leave pops it, counts its
 * duration, and writes a record only if a tick fell into it.
 */
#ifndef SONDE_BPF_CALL_BPF_H
#define SONDE_BPF_CALL_BPF_H

#include "bpf/away.bpf.h"
#include "bpf/judged.bpf.h"
#include "bpf/stack.bpf.h"

/* What loops over the open spans, or is called in such a loop, is a function that is not
 * static: the verifier then looks at it once, for any arguments, and not once for each
 * turn on each way there.  So is what loads a pointer through the task (task->mm): each
 * such load that is looked at has the kernel search all its type names, a millisecond. */

#define ENTER_HOOK 0
#define ENTER_SKIP 1 /* a session then does not hook the return of this call */

static __always_inline void send_leave(const struct open_span *s, __u64 parent, __u32 reason,
				       __u64 now, __u64 retval)
{
	struct event_leave e = {
		.span = s->id,
		.parent = parent,
		.began = s->began,
		.probe = s->probe,
		.reason = reason,
		.retval = retval,
	};

	if (is_stale(s->probe))
		return;
	event_fill(&e.head, EVENT_LEAVE, sizeof(e), (__u32)bpf_get_current_pid_tgid(), now);
	send(&e, sizeof(e), &loss.spans);
}

/* What lies between the two readings of the clock and is not the call: the way out of
 * one trap and into the other. */
static __always_inline __u64 own_price(__u32 flags, __u32 trap)
{
	return trap < NR_TRAP ? prices.own[flags & SPAN_STEPPED ? 1 : 0][trap] : 0;
}

/* The thread goes on into a call, past the probe at its entry. */
static __always_inline void charge_entry(struct thread_state *t, bool hooked)
{
	__u32 stepped = t->trap == TRAP_STEPPED;

	t->probed += hooked ? prices.hooked[stepped] : prices.entry[stepped];
}

/* The thread goes on past any other probe. */
static __always_inline void charge_end(struct thread_state *t)
{
	__u32 trap = t->trap;

	barrier_var(trap);
	if (trap < NR_TRAP)
		t->probed += prices.end[trap];
}

/* Takes a part off a duration: as much of it as there is. */
static __always_inline __u64 take_off(__u64 *duration, __u64 part)
{
	if (part > *duration)
		part = *duration;
	*duration -= part;
	return part;
}

/* How long a span lasted, less what our ticks and probes took from it: a call shorter
 * than a tick would else be among the slow ones because it was sampled.  own: of that,
 * what its own two probes took.  *ret_probed: by how much it is less for probes. */
static __always_inline __u64 duration_of(const struct thread_state *t,
					 const struct open_span *s, __u64 now, __u64 own,
					 __u64 *ret_probed)
{
	__u64 duration = now - s->began;

	take_off(&duration, t->ticked - s->ticked + t->yielded - s->yielded);
	*ret_probed = take_off(&duration, t->probed - s->probed + own);
	return duration;
}

static __always_inline void count_in_bucket(struct call_counts *c, __u64 duration)
{
	__u32 bucket = bucket_of(duration);

	if (bucket < NR_BUCKET)
		count(&c->buckets[bucket]);
	if (duration > c->max)
		c->max = duration;
}

static __always_inline void count_duration(const struct open_span *s, __u64 duration,
					   __u64 probed)
{
	struct call_counts *c = counts_of(s->probe);

	if (!s->probe)
		__sync_fetch_and_add(&gauge_nsec, duration + probed);
	if (!c)
		return;
	if (s->flags & SPAN_SAMPLED && duration < control.brief)
		count(&c->hit);
	else
		count_in_bucket(c, duration);
	__sync_fetch_and_add(&c->probed, probed);
}

/* A call is over, and was last seen open some time ago: it counts as if it had ended in
 * the middle. */
static __always_inline int bracket_end(struct thread_state *t, const struct open_span *s,
				       __u64 parent, __u64 now)
{
	__u64 unsure = now - s->seen, probed;
	__u64 duration = duration_of(t, s, now - unsure / 2, 0, &probed);
	struct call_counts *c = counts_of(s->probe);

	if (c) {
		count_in_bucket(c, duration);
		__sync_fetch_and_add(&c->unsure, unsure);
		__sync_fetch_and_add(&c->probed, probed);
	}
	count_end(s->probe, END_BRACKET);
	if (s->flags & SPAN_SAMPLED)
		send_leave(s, parent, END_BRACKET, s->began + duration, unsure);
	return 0;
}

/* The innermost of the first so many spans that is not stale. */
__noinline __u64 living_parent(const struct thread_state *t, __u32 depth)
{
	if (!t)
		return 0;
	for (__u32 i = 0; i < MAX_OPEN; i++) {
		__u32 d = depth - 1 - i;

		barrier_var(d);
		if (d >= MAX_OPEN)
			break;
		if (!is_stale(t->spans[d].probe))
			return t->spans[d].id;
	}
	return t->outer;
}

/* The id of what an open span is nested in. */
static __always_inline __u64 parent_of(const struct thread_state *t, __u32 depth)
{
	if (unwatched)
		return living_parent(t, depth);
	return depth > 0 ? t->spans[(depth - 1) & (MAX_OPEN - 1)].id : t->outer;
}

/* At the end sonde looks at what is open while threads go on to end: whoever comes first
 * counts a call. */
static __always_inline bool is_counted(struct open_span *s)
{
	return phase == PHASE_CLOSING &&
	       __sync_fetch_and_or(&s->flags, SPAN_ENDED) & SPAN_ENDED;
}

/* Takes the innermost span off; the slot is read only after depth is lowered
 * (see struct thread_state).  reason is not END_RETURN. */
__noinline int drop_top(struct thread_state *t, __u32 reason, __u64 now)
{
	struct open_span *s;
	__u64 parent, probed;
	__u32 top;

	if (!t)
		return 0;
	top = t->depth - 1;
	if (top >= MAX_OPEN)
		return 0;
	t->depth = top;
	barrier();
	s = &t->spans[top];
	parent = parent_of(t, top);
	if (is_counted(s))
		return 0;
	if (s->flags & SPAN_BRACKET && reason == END_LONGJMP)
		return bracket_end(t, s, parent, now);
	count_end(s->probe, reason);
	if (!(s->flags & SPAN_SAMPLED))
		return 0;
	away_tell(t, s, now);
	send_leave(s, parent, reason, s->began + duration_of(t, s, now, 0, &probed), 0);
	return 0;
}

/* Ends all that is open. */
__noinline int close_state(struct thread_state *t, __u32 reason, __u64 now)
{
	if (!t)
		return 0;
	for (int i = 0; i < MAX_OPEN; i++) {
		if (!t->depth)
			break;
		drop_top(t, reason, now);
	}
	t->depth = 0;
	t->leaving = 0;
	return 0;
}

/* Tells of a span that is open, unless it was counted before. */
__noinline int tell_one(struct open_span *s, __u64 parent, __u64 pid_tid, __u64 now)
{
	struct event_open e = { .parent = parent, .pid = pid_tid >> 32 };

	if (!s || is_counted(s))
		return 0;
	e.span = s->id;
	e.began = s->began;
	e.probe = s->probe;
	event_fill(&e.head, EVENT_OPEN, sizeof(e), (__u32)pid_tid, now);
	send(&e, sizeof(e), &loss.spans);
	if (phase == PHASE_CLOSING)
		count_end(e.probe, END_DETACHED);
	return 0;
}

/* Tells of all that is open. */
__noinline int tell_open(struct thread_state *t, __u64 pid_tid, __u64 now)
{
	__u64 parent;

	if (!t)
		return 0;
	parent = t->outer;
	for (__u32 i = 0; i < MAX_OPEN; i++) {
		struct open_span *s = &t->spans[i];

		if (i >= t->depth)
			break;
		if (is_stale(s->probe))
			continue;
		tell_one(s, parent, pid_tid, now);
		parent = s->id;
	}
	return 0;
}

/* Why a span was left without a return: while links are taken away one by one,
 * the return of an outer span may be seen when that of an inner one no longer is. */
static __always_inline __u32 left_by(const struct thread_state *t)
{
	if (phase == PHASE_CLOSING)
		return END_DETACHED;
	return t->leaving ? t->leaving : END_LONGJMP;
}

/* Is a span a dead frame, whose return slot is that of a call that begins now or lies below
 * it?  Alive is what reached this call by a jump (a tail call): a hooked one, if the slot
 * shows the kernel's trampoline; one that follows jumps, if the caller is the same.
 * Nothing that is followed leads back to where it began, so that a call of the same
 * function is a new one.  base: of thread_state. */
__noinline int is_dead_at(const struct open_span *s, __u64 slot, __u64 entry, __u64 base)
{
	__u64 ra = 0;

	if (!s)
		return 0;
	if (s->slot < slot)
		return true;
	if (s->flags & SPAN_HOOKED)
		return !is_tail_call(slot);
	if (!(s->flags & SPAN_FOLLOWS) || s->entry == entry)
		return true;
	bpf_probe_read_user(&ra, sizeof(ra), (void *)(slot + base));
	return ra != s->ra && !is_tail_call(slot + base);
}

/* How many of the open spans are alive when a call begins at a slot: the frames of the
 * others are gone. */
__noinline int alive_at(struct thread_state *t, __u64 slot, __u64 entry)
{
	__u32 alive;

	if (!t)
		return 0;
	alive = t->depth;
	for (__u32 i = 0; i < MAX_OPEN; i++) {
		__u32 d = t->depth - 1 - i;
		struct open_span *s;

		barrier_var(d);
		if (d >= MAX_OPEN)
			break;
		s = &t->spans[d];
		if (s->slot > slot)
			break;
		if (is_dead_at(s, slot, entry, t->base))
			alive = d;
	}
	return alive;
}

/* Drops every open span whose frame is gone: its return slot lies below. */
__noinline int drop_dead(struct thread_state *t, __u64 slot, __u64 now)
{
	__u32 alive;

	if (!t)
		return 0;
	alive = alive_at(t, slot, t->site_pc);
	for (int i = 0; i < MAX_OPEN; i++) {
		if (t->depth <= alive)
			break;
		drop_top(t, left_by(t), now);
	}
	return 0;
}

/* Is a bracketed span's frame gone, as far as the stack tells?  false may be wrong: what
 * its caller calls next through the same pointer cannot be told from it, nor a stale word
 * in a frame that does not use it. */
static __always_inline bool is_bracket_over(const struct open_span *s, __u64 sp)
{
	__u64 ra = 0;

	if (s->slot < sp)
		return true;
	bpf_probe_read_user(&ra, sizeof(ra), (void *)s->slot);
	return ra != s->ra;
}

/* Ends the innermost bracketed spans that are over, for a thread whose stack reaches down
 * to sp. */
__noinline int bracket_look(struct thread_state *t, __u64 sp, __u64 now)
{
	if (!t)
		return 0;
	for (int i = 0; i < MAX_OPEN; i++) {
		__u32 top = t->depth - 1;

		barrier_var(top);
		if (top >= MAX_OPEN || !(t->spans[top].flags & SPAN_BRACKET) ||
		    !is_bracket_over(&t->spans[top], sp))
			break;
		drop_top(t, left_by(t), now);
	}
	return 0;
}

static __always_inline int refuse(struct thread_state *t, __u32 probe, __u32 reason)
{
	count_end(probe, reason);
	charge_entry(t, false);
	return ENTER_SKIP;
}

static __always_inline __u64 new_span_id(struct thread_state *t)
{
	if (!t->next_id)
		t->next_id = (__sync_fetch_and_add(&thread_serial, 1) + 1) << 40;
	return ++t->next_id;
}

/* Opens a span: its id, or 0 when too many are open.  The clock is read last: what comes
 * before is none of the call. */
static __always_inline __u64 call_push(struct thread_state *t, __u32 probe, __u64 slot,
				       __u32 flags)
{
	__u32 depth = t->depth;
	struct open_span *s;

	if (depth && depth <= MAX_OPEN && t->spans[(depth - 1) & (MAX_OPEN - 1)].slot <= slot)
		drop_dead(t, slot, bpf_ktime_get_ns());
	if (control.brackets && brackets)
		bracket_look(t, slot, bpf_ktime_get_ns());
	depth = t->depth;
	if (depth >= MAX_OPEN)
		return 0;
	charge_entry(t, flags & SPAN_HOOKED);
	s = &t->spans[depth & (MAX_OPEN - 1)];
	s->id = new_span_id(t);
	s->slot = slot;
	s->entry = t->site_pc;
	if (flags & (SPAN_HOOKED | SPAN_FOLLOWS | SPAN_BRACKET))
		bpf_probe_read_user(&s->ra, sizeof(s->ra), (void *)(slot + t->base));
	s->probe = probe;
	s->flags = flags | (t->trap == TRAP_STEPPED ? SPAN_STEPPED : 0);
	s->probed = t->probed;
	away_begin(t, s);
	s->began = s->seen = t->landed_at = bpf_ktime_get_ns();
	s->ticked = t->ticked;
	barrier();
	t->depth = depth + 1;
	return s->id;
}

/* Is a call that begins now watched?  probe 0 is sonde's own, for the price. */
static __always_inline bool is_watched(__u32 probe, struct task_struct *task)
{
	return !probe || (phase == PHASE_STEADY && is_grown(task->tgid) &&
			  (!control.by_thread || is_target(task->tgid, task->pid)));
}

static __always_inline __u32 trap_of(__u64 cookie)
{
	return cookie & COOKIE_STEPPED ? TRAP_STEPPED : TRAP_EMULATED;
}

static __always_inline __u64 landing_of(const struct pt_regs *ctx, __u64 cookie)
{
	if (!COOKIE_LENGTH(cookie))
		return LANDING_UNKNOWN;
	if (COOKIE_ROLE(cookie) == SITE_EXIT)
		return LANDING_CALLER;
	return PT_REGS_IP(ctx) + COOKIE_LENGTH(cookie);
}

/* Remembers where the thread stands, for a tick that finds it in the probe's trap or
 * on the way out of it, and what that trap costs. */
static __always_inline void at_site(struct thread_state *t, const struct pt_regs *ctx,
				    __u64 cookie)
{
	t->site_pc = PT_REGS_IP(ctx);
	t->site_sp = PT_REGS_SP(ctx);
	t->landing = landing_of(ctx, cookie);
	t->landed_at = 0;
	t->trap = trap_of(cookie);
}

/* A call begins: is it watched?  Then it is counted. */
static __always_inline bool call_counts(__u64 cookie, struct task_struct *task)
{
	__u32 probe = COOKIE_PROBE(cookie);
	struct call_counts *c = counts_of(probe);

	if (!is_watched(probe, task))
		return false;
	if (!c)
		return !probe;
	count(&c->entries);
	return true;
}

/* Whose calls it is among, NULL: that is not known, and it is refused. */
static __always_inline struct thread_state *call_begin(struct pt_regs *ctx, __u64 cookie,
						       struct thread_state *t)
{
	__u32 probe = COOKIE_PROBE(cookie);

	if (t)
		at_site(t, ctx, cookie);
	else
		count_end(probe, END_UNTRACKED);
	return t;
}

/* id 0 in *ret_id: not opened.  may_skip: the return of a call that is not opened is
 * not hooked either. */
static __always_inline int call_enter(struct pt_regs *ctx, __u64 *ret_id, bool may_skip)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	__u32 probe = COOKIE_PROBE(cookie);
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 sp = PT_REGS_SP(ctx);
	struct thread_state *t;
	enum stack_owner own;

	*ret_id = 0;
	if (!call_counts(cookie, task))
		return ENTER_SKIP;
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	t = call_begin(ctx, cookie, t);
	if (!t)
		return ENTER_SKIP;
	if (may_skip && probe && !is_judged(task))
		return refuse(t, probe, END_UNJUDGED);
	own = stack_is_own(t, sp);
	if (own != STACK_OWN)
		return refuse(t, probe, own == STACK_FOREIGN ? END_FOREIGN : END_UNTRACKED);
	if (hooks_pending(task) >= MAX_HOOKED)
		return refuse(t, probe, END_TOO_DEEP);
	t->busy = 1;
	*ret_id = call_push(t, probe, sp, SPAN_HOOKED);
	t->busy = 0;
	return *ret_id ? ENTER_HOOK : refuse(t, probe, END_TOO_DEEP);
}

/* The depth at which a span, known by id or else by its slot, is the innermost; 0:
 * it is not open. */
__noinline int span_above(struct thread_state *t, __u64 id, __u64 slot)
{
	if (!t)
		return 0;
	for (__u32 i = 0; i < MAX_OPEN; i++) {
		__u32 d = t->depth - 1 - i;

		if (d >= MAX_OPEN)
			return 0;
		if (id ? t->spans[d].id == id : t->spans[d].slot == slot)
			return d + 1;
	}
	return 0;
}

/* Makes the span the innermost: what lies above it was left without a return.  0: it is
 * not open. */
__noinline int call_uncover(struct thread_state *t, __u64 id, __u64 slot, __u64 now)
{
	__u32 depth;

	if (!t)
		return 0;
	depth = span_above(t, id, slot);
	if (!depth)
		return 0;
	for (int i = 0; i < MAX_OPEN; i++) {
		if (t->depth <= depth)
			break;
		drop_top(t, left_by(t), now);
	}
	return 1;
}

/* Counts one ended call and tells of it if it was sampled. */
static __always_inline void call_pop(struct thread_state *t, __u64 now, __u64 retval)
{
	__u32 top = t->depth - 1;
	struct open_span *s;
	__u64 parent, duration, probed;

	if (top >= MAX_OPEN)
		return;
	t->depth = top;
	barrier();
	s = &t->spans[top];
	duration = duration_of(t, s, now, own_price(s->flags, t->trap), &probed);
	count_duration(s, duration, probed);
	away_count(t, s, duration);
	if (!(s->flags & SPAN_SAMPLED))
		return;
	parent = parent_of(t, top);
	away_tell(t, s, now);
	send_leave(s, parent, END_RETURN, s->began + duration, retval);
}

/* The same as a function of its own, for loops. */
__noinline int pop_top(struct thread_state *t, __u64 now)
{
	if (t)
		call_pop(t, now, 0);
	return 0;
}

/* Of calls that went on in the one that has just ended: what lies at its slot. */
__noinline int pop_followed(struct thread_state *t, __u64 slot, __u64 now)
{
	if (!t)
		return 0;
	for (int i = 0; i < MAX_OPEN; i++) {
		__u32 top = t->depth - 1;

		if (top >= MAX_OPEN || t->spans[top].slot != slot ||
		    !(t->spans[top].flags & SPAN_FOLLOWS))
			break;
		pop_top(t, now);
	}
	return 0;
}

/* id 0: the span is known by its return slot. */
static __always_inline int call_leave(struct pt_regs *ctx, __u64 id)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 now = bpf_ktime_get_ns();
	/* the return address is popped: its slot is one word below */
	__u64 slot = PT_REGS_SP(ctx) - sizeof(long);
	struct thread_state *t = bpf_task_storage_get(&threads, task, 0, 0);
	struct open_span *s;
	__u32 top;

	if (!t || t->depth - 1 >= MAX_OPEN)
		goto unmatched;
	t->busy = 1;
	t->trap = TRAP_RETURN;
	t->landing = PT_REGS_IP(ctx);
	t->landed_at = now;
	top = t->depth - 1;
	s = &t->spans[top & (MAX_OPEN - 1)];
	if ((id ? s->id == id : s->slot == slot) || call_uncover(t, id, slot, now)) {
		call_pop(t, now, PT_REGS_RC(ctx));
		pop_followed(t, slot, now);
		charge_end(t);
		t->busy = 0;
		return 0;
	}
	t->busy = 0;
unmatched:
	if (phase == PHASE_STEADY && !is_stale(COOKIE_PROBE(bpf_get_attach_cookie(ctx))))
		count(&loss.unmatched);
	return 0;
}

extern __u64 *bpf_session_cookie(void) __ksym __weak;
extern bool bpf_session_is_return(void) __ksym __weak;

/* Kernel >= 6.13: entry and return in one link, a word carried between them. */
SEC("uprobe")
int call_session(struct pt_regs *ctx)
{
	__u64 *cookie = bpf_session_cookie();

	if (bpf_session_is_return())
		return call_leave(ctx, *cookie);
	return call_enter(ctx, cookie, true);
}

/* Older kernels: an entry link and a return link (uprobe_multi or perf). */
SEC("uprobe")
int call_entry(struct pt_regs *ctx)
{
	__u64 id;

	call_enter(ctx, &id, false);
	return 0;
}

SEC("uretprobe")
int call_return(struct pt_regs *ctx)
{
	return call_leave(ctx, 0);
}

#endif
