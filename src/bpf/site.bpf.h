/*
 * site - spans by probes at a function's entry and exits: the stack is left alone.
 *
 * A call is known by its function and by the slot of its return address, which
 * every site of the function reaches by a rule of the unwind table.  So an exit
 * finds its call whatever was left without one (longjmp, exceptions), and one that
 * finds none belongs to a call that was never opened: it began before the probes
 * were there, in the process this one was forked from, or too deep; or it is another
 * one's call of a function whose exits are probed as those of what jumps there.
 */
#ifndef SONDE_BPF_SITE_BPF_H
#define SONDE_BPF_SITE_BPF_H

#include "bpf/landmark.bpf.h"

/* Intel SDM 1, figure 3-8 (EFLAGS) */
#define FLAG(flags, bit) ((flags) >> (bit)&1)

/* Would a conditional jump jump?  Intel SDM 2, appendix B, table B-10: the low bit
 * of the condition negates. */
static __always_inline bool condition_holds(__u64 flags, __u32 condition)
{
	bool cf = FLAG(flags, 0), pf = FLAG(flags, 2), zf = FLAG(flags, 6);
	bool sf = FLAG(flags, 7), of = FLAG(flags, 11), holds;
	__u32 code = condition - 1;

	if (!condition)
		return true;
	switch (code >> 1) {
	case 0:
		holds = of;
		break;
	case 1:
		holds = cf;
		break;
	case 2:
		holds = zf;
		break;
	case 3:
		holds = cf || zf;
		break;
	case 4:
		holds = sf;
		break;
	case 5:
		holds = pf;
		break;
	case 6:
		holds = sf != of;
		break;
	default:
		holds = zf || sf != of;
	}
	return holds != (code & 1);
}

/* The slot of the return address of the call that this site belongs to. */
static __always_inline __u64 slot_of(const struct pt_regs *ctx, __u32 rule)
{
	__u64 sp = PT_REGS_SP(ctx), fp = PT_REGS_FP(ctx);

	/* both are read: the verifier wants fixed offsets */
	barrier_var(sp);
	barrier_var(fp);
	return (RULE_TYPE(rule) == RULE_FP ? fp : sp) + sizeof(long) * RULE_VALUE(rule) -
	       sizeof(long);
}

static __always_inline bool is_call_of(const struct open_span *s, __u32 probe, __u64 slot)
{
	return s->slot == slot && s->probe == probe && !(s->flags & SPAN_HOOKED);
}

static __always_inline int site_enter(struct pt_regs *ctx, __u64 cookie, __u64 slot)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 probe = COOKIE_PROBE(cookie);
	struct thread_state *t;
	__u32 flags = (cookie & COOKIE_FOLLOWS ? SPAN_FOLLOWS : 0) |
		      (cookie & COOKIE_BRACKET ? SPAN_BRACKET : 0);

	if (!call_counts(cookie, task))
		return 0;
	t = call_begin(ctx, cookie, site_state(task, cookie, true));
	if (!t)
		return 0;
	t->busy = 1;
	slot -= t->base;
	/* frames of two stacks have no order */
	if (!COOKIE_LAYOUT(cookie) && stack_seems_foreign(task, t, PT_REGS_SP(ctx)))
		flags &SPAN_BRACKET ? refuse(t, probe, END_FOREIGN)
				    : foreign_enter(t, probe, slot, flags);
	else if (!call_push(t, probe, slot, flags))
		refuse(t, probe, END_TOO_DEEP);
	t->busy = 0;
	return 0;
}

/* The depth at which the call is the innermost; 0: it is not open. */
__noinline int call_depth(struct thread_state *t, __u32 probe, __u64 slot)
{
	if (!t)
		return 0;
	for (__u32 i = 0; i < MAX_OPEN; i++) {
		__u32 d = t->depth - 1 - i;

		if (d >= MAX_OPEN || t->spans[d].slot > slot)
			return 0;
		if (is_call_of(&t->spans[d], probe, slot))
			return d + 1;
	}
	return 0;
}

/* Ends what lies above a span, and what lies at its slot for the same probe.  A hooked
 * call at the slot ends last, by its hook, and all others there with it. */
__noinline int pop_from(struct thread_state *t, __u32 depth, __u32 probe, __u64 slot, __u64 now)
{
	if (!t)
		return 0;
	for (int i = 0; i < MAX_OPEN; i++) {
		__u32 top = t->depth - 1;
		const struct open_span *s;

		if (top >= MAX_OPEN)
			break;
		s = &t->spans[top];
		if (top < depth && !is_call_of(s, probe, slot))
			break;
		if (s->slot != slot)
			drop_top(t, left_by(t), now);
		else if (s->flags & SPAN_HOOKED)
			break;
		else
			pop_top(t, now);
	}
	return 0;
}

static __always_inline int foreign_leave_from(struct pt_regs *ctx, struct thread_state *t,
					      __u64 cookie, __u64 slot, __u64 now)
{
	__u32 trap = trap_of(cookie);

	if (!t)
		return foreign_leave(COOKIE_PROBE(cookie), slot, now, trap);
	t->busy = 1;
	at_site(t, ctx, cookie);
	t->landed_at = now;
	foreign_leave(COOKIE_PROBE(cookie), slot, now, trap);
	charge_end(t);
	t->busy = 0;
	return 0;
}

static __always_inline int site_leave(struct pt_regs *ctx, __u64 cookie, __u64 slot)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 probe = COOKIE_PROBE(cookie);
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread_state *t = site_state(task, cookie, false);
	__u32 top, depth;

	if (!COOKIE_LAYOUT(cookie) && is_foreign(task, t, PT_REGS_SP(ctx)))
		return foreign_leave_from(ctx, t, cookie, slot, now);
	if (!t)
		return 0;
	if (!t->depth)
		return 0;
	t->busy = 1;
	at_site(t, ctx, cookie);
	t->landed_at = now;
	slot -= t->base;
	top = t->depth - 1;
	if (top < MAX_OPEN && is_call_of(&t->spans[top], probe, slot)) {
		call_pop(t, now, 0); /* what it returns may not be there yet */
		top--;
	}
	/* seldom: what was left, or went on here by a jump */
	if (top < MAX_OPEN && t->spans[top].slot <= slot) {
		depth = call_depth(t, probe, slot);
		if (depth)
			pop_from(t, depth - 1, probe, slot, now);
	}
	charge_end(t);
	t->busy = 0;
	return 0;
}

/* A call goes on past one of its exits. */
static __always_inline int site_pass(struct pt_regs *ctx, __u64 cookie)
{
	struct thread_state *t = site_state(bpf_get_current_task_btf(), cookie, false);

	if (!t || !t->depth)
		return 0;
	t->busy = 1;
	at_site(t, ctx, cookie);
	charge_end(t);
	t->busy = 0;
	return 0;
}

SEC("uprobe")
int call_site(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	__u32 role = COOKIE_ROLE(cookie);
	__u64 slot = slot_of(ctx, COOKIE_RULE(cookie));

	if (role != SITE_EXIT && role != SITE_BOTH &&
	    !condition_holds(ctx->eflags, COOKIE_CONDITION(cookie)))
		return 0;
	if (role > SITE_BOTH)
		return at_landmark(ctx, cookie);
	if (role != SITE_EXIT)
		site_enter(ctx, cookie, slot);
	if (role == SITE_ENTRY)
		return 0;
	if (condition_holds(ctx->eflags, COOKIE_CONDITION(cookie)))
		return site_leave(ctx, cookie, slot);
	return role == SITE_EXIT ? site_pass(ctx, cookie) : 0;
}

#endif
