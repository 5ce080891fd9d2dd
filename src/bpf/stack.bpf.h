/*
 * stack - which stack a thread is on, and what hooks are pending on it.
 *
 * The kernel takes a frame whose return slot lies below the stack pointer for
 * dead.  On another stack (a signal stack, a coroutine's) that is wrong and
 * would kill the target, so returns are hooked only on the thread's own stack.
 */
#ifndef SONDE_BPF_STACK_BPF_H
#define SONDE_BPF_STACK_BPF_H

#include "bpf/maps.bpf.h"

#include <asm/errno.h>
#include <asm/resource.h>

/* Told apart from the helper's declaration: libbpf's headers may be older. */
static long (*const find_vma)(struct task_struct *task, __u64 address, void *callback,
			      void *context, __u64 flags) = (void *)180;

enum bpf_func_id___find { BPF_FUNC_find_vma___find = 180 };

/* Before bpf_find_vma (Linux 5.17): a thread's stack reaches at most so far. */
#define STACK_REACH (8ull << 20)

/* How often a first call looks for its stack while another thread changes the maps,
 * which takes microseconds, unless that thread waits for this CPU itself. */
#define STACK_TRIES 64

enum stack_owner { STACK_OWN, STACK_FOREIGN, STACK_UNKNOWN };

static long stack_found(struct task_struct *task, struct vm_area_struct *vma, void *context)
{
	struct thread_state *t = *(struct thread_state **)context;

	t->stack_low = vma->vm_start;
	t->stack_high = vma->vm_end;
	return 0;
}

/* The first thread's stack is where exec put it; every other thread's thread
 * control block lies at the top of its stack (glibc, musl; also with a stack
 * given by the program). */
static __always_inline __u64 stack_top(struct task_struct *task)
{
	return task->pid == task->tgid ? BPF_CORE_READ(task, mm, start_stack)
				       : task->thread.fsbase;
}

/* top: stack_top(task), read by the caller, who may try again.  -EBUSY: the process is
 * changing its maps just now. */
static __noinline long stack_look_up(struct task_struct *task, struct thread_state *t,
				     __u64 top)
{
	long failed;

	if (!t || !task)
		return -1;
	if (!bpf_core_enum_value_exists(enum bpf_func_id___find, BPF_FUNC_find_vma___find)) {
		t->stack_low = top - STACK_REACH;
		t->stack_high = top;
		return 0;
	}
	failed = find_vma(task, top, stack_found, &t, 0);
	/* what is mapped above it may be one mapping with it */
	if (!failed && task->pid != task->tgid && t->stack_high > top)
		t->stack_high = top;
	return failed;
}

/* A thread's state is made, and its stack looked up, before its first call if that can
 * be: where threads come and go the maps are being changed all the time. */
static __always_inline void thread_prepare(struct task_struct *task)
{
	struct thread_state *t =
		bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (t && !t->stack_high)
		stack_look_up(task, t, stack_top(task));
}

/* A new process begins on the stack of the thread that made it, in a copy of its memory
 * or (vfork) in that memory itself, whose maps others may be changing at its first call. */
static __always_inline void stack_inherit(struct task_struct *parent, struct task_struct *child)
{
	struct thread_state *from = bpf_task_storage_get(&threads, parent, 0, 0), *to;

	if (!from || !from->stack_high)
		return;
	to = bpf_task_storage_get(&threads, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!to)
		return;
	to->stack_low = from->stack_low;
	to->stack_high = from->stack_high;
}

/* On its own stack, as far as that was looked up? */
static __always_inline bool stack_holds(const struct thread_state *t, __u64 sp)
{
	return sp >= t->stack_low && sp < t->stack_high;
}

__noinline int stack_is_own(struct thread_state *t, __u64 sp)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 top;

	if (!t)
		return STACK_UNKNOWN;
	if (sp - task->sas_ss_sp < task->sas_ss_size)
		return STACK_FOREIGN;
	if (stack_holds(t, sp))
		return STACK_OWN;
	/* the first look; the first thread's stack may also have grown since */
	if (t->stack_high && task->pid != task->tgid)
		return STACK_FOREIGN;
	top = stack_top(task);
	for (int i = 0; i < STACK_TRIES; i++) {
		long failed = stack_look_up(task, t, top);

		if (!failed)
			return stack_holds(t, sp) ? STACK_OWN : STACK_FOREIGN;
		if (failed != -EBUSY)
			break;
	}
	/* the kernel lets the first thread's grow so far and no further */
	if (task->pid == task->tgid &&
	    top - sp > BPF_CORE_READ(task, signal, rlim[RLIMIT_STACK].rlim_cur))
		return STACK_FOREIGN;
	return STACK_UNKNOWN;
}

/* For what does no harm if it is wrong. */
static __always_inline bool stack_seems_foreign(struct task_struct *task,
						struct thread_state *t, __u64 sp)
{
	enum stack_owner own = stack_is_own(t, sp);

	if (own == STACK_UNKNOWN)
		return stack_top(task) - sp > STACK_REACH;
	return own == STACK_FOREIGN;
}

static __always_inline __u32 hooks_pending(struct task_struct *task)
{
	struct uprobe_task *utask = task->utask;

	return utask && bpf_core_field_exists(utask->depth) ? utask->depth : 0;
}

/* Does the return slot at sp hold the kernel's return trampoline?  Then the
 * function was reached by a jump from one whose return is hooked. */
static __always_inline bool is_tail_call(__u64 sp)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct xol_area *area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);
	__u64 trampoline, slot = 0;

	if (!area)
		return false;
	trampoline = BPF_CORE_READ(area, vaddr);
	bpf_probe_read_user(&slot, sizeof(slot), (void *)sp);
	return slot - trampoline < 4096;
}

#endif
