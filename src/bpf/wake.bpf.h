/*
 * wake - who wakes a thread that was seen waiting, and where that one is then.
 *
 * Of a wait that no look has seen (round.bpf.h) nothing is told, so that there are no more of
 * these than of looks.
 */
#ifndef SONDE_BPF_WAKE_BPF_H
#define SONDE_BPF_WAKE_BPF_H

#include "bpf/round.bpf.h"

/* The user half of the stack of the thread that wakes another, if it is of the target. */
static __always_inline __u32 wake_user(struct walk *w, struct task_struct *by)
{
	struct pt_regs *user = (struct pt_regs *)bpf_task_pt_regs(by);
	__u32 pid = by->tgid, *space = bpf_map_lookup_elem(&space_of, &pid);
	struct thread_state *t = NULL;

	w->sample.user_end = STACK_NONE;
	if (!control.want_user || !BPF_CORE_READ(by, mm) || by->flags & PF_KTHREAD || !user ||
	    !space)
		return 0;
	if (control.spans)
		t = bpf_task_storage_get(&threads, by, 0, 0);
	if (t)
		take_spans(w, t, depth_of(t));
	bpf_probe_read_kernel(&w->pc, sizeof(w->pc), &PT_REGS_IP(user));
	bpf_probe_read_kernel(&w->sp, sizeof(w->sp), &PT_REGS_SP(user));
	bpf_probe_read_kernel(&w->bp, sizeof(w->bp), &PT_REGS_FP(user));
	w->at = w->sample.nr_kernel;
	w->from = w->sp;
	w->pid = 0;
	walk_begin(w, by, *space);
	w->sample.user_end = walk_all(w);
	return w->at - w->sample.nr_kernel;
}

static __always_inline void wake_tell(void *ctx, struct walk *w, struct task_struct *task)
{
	struct task_struct *by = bpf_get_current_task_btf();
	struct event_wake *e = (void *)&w->sample;
	__u32 nk = 0, nu;
	long n = 0;

	walk_forget(w);
	w->outside = 0;
	if (control.want_kernel)
		n = bpf_get_stack(ctx, w->frames, SAMPLE_MAX_KERNEL * sizeof(__u64), 0);
	if (n > 0)
		nk = n / sizeof(__u64);
	nk &= 127;
	e->nr_kernel = nk;
	nu = wake_user(w, by);
	if (nu > SAMPLE_MAX_USER)
		return;
	e->nr_user = nu;
	e->pid = by->tgid;
	e->tid = by->pid;
	e->cpu = bpf_get_smp_processor_id();
	e->by = by->pid ? WAKE_THREAD : WAKE_INTERRUPT;
	BPF_CORE_READ_STR_INTO(&e->name, by, comm);
	event_fill(&e->head, EVENT_WAKE, sizeof(*e) + (nk + nu) * sizeof(__u64), task->pid,
		   bpf_ktime_get_ns());
	send(e, sizeof(*e) + (nk + nu) * sizeof(__u64), &loss.others);
}

/* Most wake-ups of the machine are of threads that nobody looked at: these are let go here. */
SEC("tp_btf/sched_waking")
int BPF_PROG(wake_up, struct task_struct *task)
{
	__u32 number = WALKER_WAKE, i = (__u32)task->pid % NR_UNWOKEN;
	struct walk *w;
	struct rest *r;

	if (unwoken[i] != (__u32)task->pid)
		return 0;
	unwoken[i] = 0;
	r = bpf_task_storage_get(&rests, task, 0, 0);
	if (!r || r->cause != CAUSE_WAIT || has_run(task, r->switches))
		return 0;
	w = bpf_map_lookup_elem(&walks, &number);
	if (w)
		wake_tell(ctx, w, task);
	return 0;
}

#endif
