/*
 * unwind_hooks - the true callers of frames whose return the kernel has hooked,
 * and of threads caught in the kernel's own page for probes.
 */
#ifndef SONDE_BPF_UNWIND_HOOKS_BPF_H
#define SONDE_BPF_UNWIND_HOOKS_BPF_H

#include "bpf/unwind_rows.bpf.h"

/* The return slot at `slot` holds the kernel's trampoline: where does that call
 * really return to?  0: no hook is known for it. */
__noinline __u64 walk_true_return(struct walk *w, __u64 slot)
{
	if (!w)
		return 0;
	for (int i = 0; i < 64; i++) {
		struct return_instance *r = (void *)w->hooks;
		__u64 at, to;

		if (!r)
			break;
		at = BPF_CORE_READ(r, stack);
		if (at > slot)
			break;
		to = BPF_CORE_READ(r, orig_ret_vaddr);
		w->hooks = (__u64)BPF_CORE_READ(r, next);
		/* a call reached by a jump from a hooked one returns to the trampoline too */
		if (at == slot && to - w->trampoline >= 4096)
			return to;
	}
	/* caught while the kernel was hooking it: not in its list yet */
	return w->newest_slot == slot ? w->newest_ra : 0;
}

/* In the return trampoline (arch/x86/kernel/uprobes.c, uretprobe_trampoline):
 * push rax, rcx, r11; the system call; pop r11, rcx; ret.  rax is pushed where
 * the return address was, and the system call puts that back there at its end. */
__noinline int walk_leave_trampoline(struct walk *w)
{
	struct return_instance *r;
	__u64 slot, to, offset;

	if (!w)
		return 0;
	r = (void *)w->hooks;
	offset = w->pc - w->trampoline;
	slot = w->sp + (offset <= 13 ? 16 : offset <= 15 ? 8 : 0);
	w->exact = 0;
	/* not handled yet: sp has moved by none to three words */
	if (r && BPF_CORE_READ(r, stack) - (w->sp - 8) <= 24) {
		slot = BPF_CORE_READ(r, stack);
		to = walk_true_return(w, slot);
	} else if (offset <= 13 && slot == w->ended_slot &&
		   w->ended_ra - w->trampoline >= 4096) {
		to = w->ended_ra; /* handled, and not put back yet */
	} else if (walk_fetch(w, slot, &to)) {
		return 0;
	}
	w->pc = to;
	w->sp = slot + 8;
	return 0;
}

/* A thread caught in the kernel's own page for probes: back to where it is in
 * the program. */
static __always_inline void leave_page(struct walk *w, struct task_struct *task)
{
	__u64 offset = w->pc - w->trampoline;
	struct uprobe_task *utask = BPF_CORE_READ(task, utask);

	if (!utask || !w->trampoline || offset >= 4096)
		return;
	w->sample.in_probe |= w->just_met;
	if (offset < UPROBE_SLOT)
		walk_leave_trampoline(w);
	else
		/* an instruction is stepped there: before it, or behind it */
		w->pc = BPF_CORE_READ(utask, vaddr) + offset % UPROBE_SLOT;
}

#endif
