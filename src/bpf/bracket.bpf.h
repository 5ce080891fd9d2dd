/*
 * bracket - calls whose end no probe sees: they are over by the time that somebody looks.
 *
 * Who looks: a tick, which walks the stack; the thread itself, when it leaves its CPU and
 * when it gets one again; and every other watched call of the thread (call.bpf.h).  Last
 * seen open, first seen over: in between lies the end.
 */
#ifndef SONDE_BPF_BRACKET_BPF_H
#define SONDE_BPF_BRACKET_BPF_H

#include "bpf/call.bpf.h"
#include "bpf/unwind.bpf.h"

/* What the walk is to look for. */
__noinline int bracket_seek(struct walk *w, struct thread_state *t)
{
	if (!w || !t)
		return 0;
	w->passed = 0;
	for (__u32 i = 0; i < MAX_OPEN; i++) {
		__u32 d = t->depth - 1 - i, n = w->nr_bracket;

		barrier_var(d);
		if (d >= MAX_OPEN || n >= BRACKET_NEST)
			break;
		if (!(t->spans[d].flags & SPAN_BRACKET))
			continue;
		w->bracket[n] = t->spans[d].slot;
		w->bracket_ra[n] = t->spans[d].ra;
		w->nr_bracket = n + 1;
	}
	return 0;
}

__noinline int was_passed(const struct walk *w, __u64 slot)
{
	if (!w)
		return 0;
	for (int i = 0; i < BRACKET_NEST; i++)
		if (i < w->nr_bracket && w->bracket[i] == slot)
			return w->passed >> i & 1;
	return 0;
}

/* After a walk that began on the thread's own stack: the innermost are over if the walk
 * went by their place and did not meet them, and those that it met are open. */
__noinline int bracket_walked(struct walk *w, struct thread_state *t, __u64 now)
{
	if (!w || !t || !stack_holds(t, w->from))
		return 0;
	for (int i = 0; i < MAX_OPEN; i++) {
		__u32 top = t->depth - 1;
		const struct open_span *s;

		barrier_var(top);
		if (top >= MAX_OPEN)
			return 0;
		s = &t->spans[top];
		if (!(s->flags & SPAN_BRACKET) || s->slot >= w->sp || was_passed(w, s->slot))
			break;
		drop_top(t, left_by(t), now);
	}
	for (__u32 i = 0; i < MAX_OPEN; i++) {
		if (i >= t->depth)
			break;
		if (t->spans[i].flags & SPAN_BRACKET && was_passed(w, t->spans[i].slot))
			t->spans[i].seen = now;
	}
	return 0;
}

/* The thread's registers of user mode say where its stack ends now. */
static __always_inline __u64 user_sp(struct task_struct *task)
{
	struct pt_regs *user = (struct pt_regs *)bpf_task_pt_regs(task);
	__u64 sp = 0;

	if (user)
		bpf_probe_read_kernel(&sp, sizeof(sp), &PT_REGS_SP(user));
	return sp;
}

/* The thread ends: from within those that are open. */
static __always_inline void bracket_last(struct task_struct *task, __u64 now)
{
	struct thread_state *t = bpf_task_storage_get(&threads, task, 0, 0);
	__u64 sp = user_sp(task);

	if (t && stack_holds(t, sp))
		bracket_look(t, sp, now);
}

/* Those that are left are open. */
__noinline int bracket_see(struct thread_state *t, __u64 sp, __u64 now)
{
	if (!t)
		return 0;
	for (__u32 i = 0; i < MAX_OPEN; i++) {
		struct open_span *s = &t->spans[i];

		if (i >= t->depth)
			break;
		if (s->flags & SPAN_BRACKET && !is_bracket_over(s, sp))
			s->seen = now;
	}
	return 0;
}

/* Nothing of a thread ends while it has no CPU. */
static __always_inline void bracket_rested(struct thread_state *t, __u64 now)
{
	for (__u32 i = 0; i < MAX_OPEN; i++) {
		struct open_span *s = &t->spans[i];

		if (i >= t->depth)
			break;
		if (s->flags & SPAN_BRACKET && s->seen == t->rested_at)
			s->seen = now;
	}
	t->rested_at = 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(bracket_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct thread_state *t = bpf_task_storage_get(&threads, next, 0, 0);
	__u64 now = bpf_ktime_get_ns(), sp;

	if (t && t->rested_at)
		bracket_rested(t, now);
	t = bpf_task_storage_get(&threads, prev, 0, 0);
	if (!t || !t->depth || t->busy || !prev->mm)
		return 0;
	sp = user_sp(prev);
	if (!stack_holds(t, sp))
		return 0;
	bracket_look(t, sp, now);
	bracket_see(t, sp, now);
	t->rested_at = now;
	return 0;
}

#endif
