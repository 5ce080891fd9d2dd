/*
 * unwind - the user half of a stack, by the compiler's own tables.
 *
 * walk_step() goes from one frame to its caller: by the row for the pc (call
 * frame information), else by the frame pointer (code without it, JIT), else it
 * says why not.  Two things make it quick: the stack is read in stretches (the
 * window), and what was found for a pc is remembered on each CPU.
 */
#ifndef SONDE_BPF_UNWIND_BPF_H
#define SONDE_BPF_UNWIND_BPF_H

#include "bpf/unwind_hooks.bpf.h"

/* A frame of the kernel's making around a signal handler: the registers of what
 * was interrupted lie in a ucontext (x86-64 rt_sigframe, asm/sigcontext.h). */
static __always_inline int step_signal(struct walk *w)
{
	__u64 bp, sp, pc;

	w->registers = w->sp + RULE_SIGNAL_R8;
	w->in_signal = 1;
	w->injected = 0;
	if (walk_fetch(w, w->sp + RULE_SIGNAL_RBP, &bp) ||
	    walk_fetch(w, w->sp + RULE_SIGNAL_RSP, &sp) ||
	    walk_fetch(w, w->sp + RULE_SIGNAL_RIP, &pc))
		return STACK_UNREADABLE;
	w->bp = bp;
	w->sp = sp;
	w->pc = pc;
	w->exact = 1;
	if (pc - w->trampoline < UPROBE_SLOT)
		walk_leave_trampoline(w);
	return WALK_ON;
}

/* Where struct pt_regs and a signal frame (from its R8 on) keep registers, by their
 * DWARF number. */
const __u8 regs_at[16] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0 };
const __u8 signal_at[16] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7 };

/* Other registers than SP, RBP and pc are known only where the thread is or was
 * interrupted: there a function may keep its CFA in any (R10 while a stack is
 * being realigned). */
static __noinline int walk_register(struct walk *w, __u32 reg, __u64 *ret)
{
	void *from;

	/* who was made to call something has its registers saved in a place of its own */
	if (!w || !ret || !w->exact || w->injected)
		return STACK_UNSUPPORTED;
	reg &= 15;
	if (w->in_signal)
		return walk_fetch(w, w->registers + 8 * signal_at[reg], ret) ? STACK_UNREADABLE
									     : WALK_ON;
	from = (void *)(w->registers + 8 * regs_at[reg]);
	return bpf_probe_read_kernel(ret, 8, from) ? STACK_UNREADABLE : WALK_ON;
}

static __always_inline int step_exc(struct walk *w, __u32 index, __u64 *ret_cfa, __u64 *ret_bp,
				    __u64 *ret_slot, __u32 *ret_injected)
{
	const struct rule_exc *e = bpf_map_lookup_elem(&excs, &index);
	__u64 cfa = 0;
	int end;

	if (!e)
		return STACK_UNSUPPORTED;
	if (e->cfa_reg == RULE_REG_RSP)
		cfa = w->sp;
	else if (e->cfa_reg == RULE_REG_RBP)
		cfa = w->bp;
	else if ((end = walk_register(w, e->cfa_reg, &cfa)) != WALK_ON)
		return end;
	cfa += e->cfa_off;
	if (e->cfa_deref) {
		if (walk_fetch(w, cfa, &cfa))
			return STACK_UNREADABLE;
		cfa += e->cfa_off2;
	}
	if (e->rbp_kind == RULE_RBP_AT_CFA || e->rbp_kind == RULE_RBP_AT_RBP) {
		__u64 at = (e->rbp_kind == RULE_RBP_AT_CFA ? cfa : w->bp) + e->rbp_off;

		if (walk_fetch(w, at, ret_bp))
			return STACK_UNREADABLE;
	} else if (e->rbp_kind == RULE_RBP_UNDEFINED) {
		*ret_bp = 0;
	}
	*ret_injected = e->injected;
	*ret_cfa = cfa;
	*ret_slot = cfa + e->ra_off;
	return WALK_ON;
}

/* Without rows: the frame pointer, if it looks like one. */
static __always_inline int step_fp(struct walk *w, __u32 mapped, __u64 *ret_cfa, __u64 *ret_bp,
				   __u64 *ret_slot)
{
	__u64 bp = w->bp;

	if (!bp && mapped && !w->exact)
		return STACK_WHOLE; /* the chain's end */
	if (bp < w->sp || bp - w->sp > WALK_FP_REACH || bp & 7)
		return mapped ? STACK_NO_RULE : STACK_NO_MAP;
	if (walk_read(w, bp, ret_bp))
		return STACK_UNREADABLE;
	*ret_cfa = bp + 16;
	*ret_slot = bp + 8;
	return WALK_ON;
}

static __always_inline int step_rule(struct walk *w, __u32 rule, __u64 *ret_cfa, __u64 *ret_bp,
				     __u64 *ret_slot)
{
	__u64 cfa = (RULE_TYPE(rule) == RULE_SP ? w->sp : w->bp) + 8 * RULE_VALUE(rule);
	__u32 k = RULE_SLOT(rule);

	if (k && walk_read(w, cfa - 8 * (k + 1), ret_bp))
		return STACK_UNREADABLE;
	*ret_cfa = cfa;
	*ret_slot = cfa - 8;
	return WALK_ON;
}

/* Readers take the first user frame as it is and look up one byte before all
 * others, which are return addresses: what is not so is moved by that byte.  What
 * a signal handler returns to begins there, it has called nothing. */
static __always_inline void walk_note(struct walk *w, __u32 rule)
{
	bool first = w->at == w->sample.nr_kernel;
	bool begins = w->exact || rule == RULE_SPECIAL_OF(RULE_SIGNAL);

	w->frames[w->at] = first ? w->pc - !w->exact : w->pc + begins;
	w->at++;
}

/* Another frame fits. */
static __always_inline bool walk_has_room(const struct walk *w)
{
	return w->at - w->sample.nr_kernel < SAMPLE_MAX_USER && w->at < WALK_FRAMES;
}

/* The frame of this return slot is left for its caller: tells of the calls that return there.
 */
__noinline int walk_pass_calls(struct walk *w, __u64 slot)
{
	if (!w)
		return 0;
	for (int i = 0; i < CALL_NEST; i++) {
		__u32 at = w->at;

		barrier_var(at);
		if (i < w->nr_call && w->calls[i].slot == slot && walk_has_room(w) &&
		    at < WALK_FRAMES) {
			w->frames[at] = w->calls[i].frame;
			w->at = at + 1;
		}
	}
	return 0;
}

/* The same: was it an open call's on a foreign stack? */
static __noinline int walk_pass(struct walk *w, __u64 slot, __u64 to)
{
	struct foreign_key key = { .slot = slot };
	const struct foreign_call *c;
	__u32 n;

	if (!w)
		return 0;
	key.pid = w->pid;
	n = w->nr_foreign;
	c = bpf_map_lookup_elem(&foreign_calls, &key);
	/* one that was left may lie where another function's frame is now */
	if (c && c->span.ra == to && n < FOREIGN_NEST) {
		w->foreign[n] = slot;
		w->nr_foreign = n + 1;
		if (walk_has_room(w))
			w->frames[w->at++] = FRAME_CALL | c->span.entry;
	}
	return 0;
}

/* The same for the bracketed calls of the thread. */
__noinline int walk_pass_bracket(struct walk *w, __u64 slot, __u64 to)
{
	if (!w)
		return 0;
	for (int i = 0; i < BRACKET_NEST; i++)
		if (i < w->nr_bracket && w->bracket[i] == slot && w->bracket_ra[i] == to)
			w->passed |= 1u << i;
	return 0;
}

/* By the frame pointer to a frame on another stack: there is no order between them. */
static __always_inline int step_switch(struct walk *w, __u64 *ret_cfa, __u64 *ret_bp,
				       __u64 *ret_slot)
{
	__u64 bp = w->bp;

	if (!bp)
		return STACK_WHOLE;
	if (bp & 7)
		return STACK_NO_RULE;
	if (walk_read(w, bp, ret_bp))
		return STACK_UNREADABLE;
	*ret_cfa = bp + 16;
	*ret_slot = bp + 8;
	w->sp = 0; /* any CFA will do */
	return WALK_ON;
}

/* To the caller: WALK_ON, or an enum stack_end. */
static __always_inline int step(struct walk *w)
{
	__u64 cfa = 0, bp, slot = 0, to;
	const struct space_maps *s;
	__u32 rule, mapped = 0, injected = 0;
	int end;

	s = bpf_map_lookup_elem(&spaces, &w->space);
	if (!s)
		return STACK_NO_MAP;
	bp = w->bp;
	rule = rule_at(w, s, w->pc - !w->exact, &mapped);
	if (!walk_has_room(w))
		return STACK_TRUNCATED;
	walk_note(w, rule);
	switch (RULE_TYPE(rule)) {
	case RULE_SP:
	case RULE_FP:
		end = step_rule(w, rule, &cfa, &bp, &slot);
		break;
	case RULE_EXC:
		end = step_exc(w, RULE_INDEX(rule), &cfa, &bp, &slot, &injected);
		break;
	case RULE_SPECIAL:
		if (RULE_VALUE(rule) == RULE_END)
			return STACK_WHOLE;
		if (RULE_VALUE(rule) == RULE_SIGNAL)
			return step_signal(w);
		if (RULE_VALUE(rule) == RULE_SWITCH) {
			end = step_switch(w, &cfa, &bp, &slot);
			break;
		}
		cfa = w->sp + 8 +
		      ((w->pc & 15) >= (RULE_VALUE(rule) == RULE_PLT10 ? 10 : 11) ? 8 : 0);
		slot = cfa - 8;
		end = WALK_ON;
		break;
	default:
		end = step_fp(w, mapped, &cfa, &bp, &slot);
	}
	if (end != WALK_ON)
		return end;
	if (walk_read(w, slot, &to))
		return STACK_UNREADABLE;
	if (to && to - w->trampoline < 4096) {
		to = walk_true_return(w, slot);
		if (!to)
			return STACK_UNSUPPORTED;
	}
	if (!to)
		return STACK_WHOLE;
	if (control.spans && w->nr_call && slot >= w->call_slot)
		walk_pass_calls(w, slot);
	if (control.spans && w->pid)
		walk_pass(w, slot, to);
	if (control.brackets && w->nr_bracket)
		walk_pass_bracket(w, slot, to);
	if (cfa <= w->sp)
		return STACK_UNSUPPORTED;
	w->sp = cfa;
	w->bp = bp;
	w->pc = to;
	w->exact = w->injected = injected;
	return WALK_ON;
}

/* The same, or WALK_WANTS: nothing was done. */
__noinline int walk_step(struct walk *w)
{
	__u32 at;
	int end;

	if (!w)
		return STACK_UNSUPPORTED;
	at = w->at;
	end = step(w);
	if (!w->outside || end == WALK_ON || !w->wants)
		return end;
	w->at = at;
	return WALK_WANTS;
}

/* As far as it goes, at most so many frames: an enum stack_end, or WALK_WANTS. */
__noinline int walk_all(struct walk *w)
{
	int end = WALK_ON;

	if (!w)
		return STACK_UNSUPPORTED;
#pragma clang loop unroll(disable)
	for (int i = 0; i < SAMPLE_MAX_USER && end == WALK_ON; i++)
		end = walk_step(w);
	return end == WALK_ON ? STACK_TRUNCATED : end;
}

/* Nothing is known of the stack that is to be walked. */
static __always_inline void walk_forget(struct walk *w)
{
	w->newest_slot = w->ended_slot = w->site_pc = 0;
	w->nr_foreign = w->nr_bracket = w->nr_call = 0;
	w->from = w->just_met = 0;
}

/* pc, sp and bp are the thread's user registers. */
static __always_inline void walk_begin(struct walk *w, struct task_struct *task, __u32 space)
{
	struct xol_area *area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);
	struct uprobe_task *utask = BPF_CORE_READ(task, utask);

	w->space = space;
	w->registers = (__u64)bpf_task_pt_regs(task);
	w->wants = 0;
	w->map = 0;
	w->exact = 1;
	w->in_signal = 0;
	w->injected = 0;
	w->refills = 0;
	w->window_size = 0;
	w->trampoline = area ? BPF_CORE_READ(area, vaddr) : 0;
	w->hooks = utask ? (__u64)BPF_CORE_READ(utask, return_instances) : 0;
	leave_page(w, task);
}

#endif
