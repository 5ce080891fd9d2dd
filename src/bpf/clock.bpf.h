/*
 * clock - a tick of the CPU clock: one sample of whatever runs, if it is ours.
 */
#ifndef SONDE_BPF_CLOCK_BPF_H
#define SONDE_BPF_CLOCK_BPF_H

#include "bpf/bracket.bpf.h"
#include "bpf/fallen.bpf.h"
#include "bpf/goroutine.bpf.h"

#include <linux/bpf_perf_event.h>

static __always_inline void send_thread(struct task_struct *task, __u64 now)
{
	struct event_thread e = { .pid = task->tgid };

	event_fill(&e.head, EVENT_THREAD, sizeof(e), task->pid, now);
	BPF_CORE_READ_STR_INTO(&e.name, task, comm);
	send(&e, sizeof(e), &loss.others);
}

/* By frame pointers: for a process whose code is not known yet. */
static __always_inline __u32 take_by_kernel(void *ctx, struct walk *w)
{
	__u32 nk = w->sample.nr_kernel & 127;
	long n = bpf_get_stack(ctx, &w->frames[nk], SAMPLE_MAX_KERNEL * sizeof(__u64),
			       BPF_F_USER_STACK);

	w->sample.user_end = STACK_UNREADABLE;
	if (n <= 0) {
		count(&loss.stacks);
		return 0;
	}
	n /= sizeof(__u64);
	w->sample.user_end = n >= SAMPLE_MAX_KERNEL ? STACK_TRUNCATED : STACK_WHOLE;
	return n;
}

/* A probe's breakpoint leaves pc one byte behind itself, until the kernel looks
 * at what it hit.  Then the kernel carries out the instruction if it is a push or a
 * call: sp moves first, and then pc, by one byte if it is a push. */
static __always_inline void back_to_breakpoint(struct walk *w)
{
	__u8 byte = 0;

	if (w->pc - w->site_pc <= 1 && w->sp + sizeof(long) == w->site_sp) {
		if (w->pc == w->site_pc)
			w->sp += sizeof(long);
		return;
	}
	bpf_probe_read_user(&byte, 1, (void *)(w->pc - 1));
	if (byte == 0xcc)
		w->pc--;
}

static __always_inline bool user_registers(struct bpf_perf_event_data *ctx,
					   struct task_struct *task, struct walk *w)
{
	struct pt_regs *user;

	if ((long)PT_REGS_IP(&ctx->regs) > 0) {
		w->pc = PT_REGS_IP(&ctx->regs);
		w->sp = PT_REGS_SP(&ctx->regs);
		w->bp = PT_REGS_FP(&ctx->regs);
		return true;
	}
	user = (struct pt_regs *)bpf_task_pt_regs(task);
	if (!user)
		return false;
	bpf_probe_read_kernel(&w->pc, sizeof(w->pc), &PT_REGS_IP(user));
	bpf_probe_read_kernel(&w->sp, sizeof(w->sp), &PT_REGS_SP(user));
	bpf_probe_read_kernel(&w->bp, sizeof(w->bp), &PT_REGS_FP(user));
	if (BPF_CORE_READ(task, utask))
		back_to_breakpoint(w);
	return true;
}

/* Appends the user half to the frames: their number.  A function that is not static, to be
 * verified once for all that is known of the thread's spans. */
__noinline int take_user(struct bpf_perf_event_data *ctx, struct thread_state *t,
			 struct walk *w)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 pid = task->tgid, *space;

	if (!w)
		return 0;
	w->sample.user_end = STACK_NONE;
	if (!control.want_user || !BPF_CORE_READ(task, mm))
		return 0;
	space = bpf_map_lookup_elem(&space_of, &pid);
	if (!space || !user_registers(ctx, task, w))
		return take_by_kernel(ctx, w);
	w->at = w->sample.nr_kernel;
	w->from = w->sp;
	seek_foreign(w, task, t);
	walk_begin(w, task, *space);
	w->sample.user_end = walk_all(w);
	return w->at - w->sample.nr_kernel;
}

static __always_inline __u32 take_kernel(void *ctx, __u64 *frames)
{
	long n;

	if (!control.want_kernel)
		return 0;
	n = bpf_get_stack(ctx, frames, SAMPLE_MAX_KERNEL * sizeof(__u64), 0);
	return n > 0 ? n / sizeof(__u64) : 0;
}

/* Of arch/x86/entry/syscalls/syscall_64.tbl: what the kernel's hooks call. */
#define NR_URETPROBE 335
#define NR_UPROBE 336

/* Whether it is the hook of a probe that has entered the kernel, wherever in there it is
 * now: before the call's own function runs, and behind it. */
static __always_inline bool is_in_hook(struct bpf_perf_event_data *ctx,
				       struct task_struct *task)
{
	struct pt_regs *user;
	__u64 call = 0;

	if (!control.spans || (long)PT_REGS_IP(&ctx->regs) > 0)
		return false;
	user = (struct pt_regs *)bpf_task_pt_regs(task);
	if (!user)
		return false;
	bpf_probe_read_kernel(&call, sizeof(call), &user->orig_rax);
	return call == NR_URETPROBE || call == NR_UPROBE;
}

/* Has the thread met a probe so shortly ago that a tick may have waited until it was on
 * its way again?  That is when the kernel leaves a trap, interrupts off. */
static __always_inline bool just_met(const struct thread_state *t, __u64 now)
{
	__u32 trap = t ? t->trap : NR_TRAP;

	barrier_var(trap);
	return t && trap < NR_TRAP && now - t->landed_at <= landing_nsec + prices.end[trap];
}

/* Is pc where the thread goes on behind a probe? */
static __always_inline bool is_landing(const struct thread_state *t, __u64 pc)
{
	return pc == (t->landing == LANDING_CALLER ? user_word(t->site_sp) : t->landing);
}

/* Whether the tick belongs to one of our probes and not to the program.  If that stays
 * where it goes on, all later ticks are its own. */
static __always_inline bool is_in_probe(struct bpf_perf_event_data *ctx,
					struct task_struct *task, struct walk *w,
					const struct thread_state *t,
					const struct thread_state *at, __u64 now)
{
	__u64 pc = PT_REGS_IP(&ctx->regs);
	bool met = just_met(t, now), at_met = just_met(at, now);

	w->just_met = met || at_met;
	if ((t && t->busy) || (at && at->busy) || is_in_hook(ctx, task))
		return true;
	return (met && is_landing(t, pc)) || (at_met && is_landing(at, pc));
}

SEC("perf_event")
int clock_tick(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 zero = 0, pid = task->tgid, tid = task->pid, nk, nu;
	struct walk *w;
	struct goroutines_at go;
	struct thread_state *t, *at;
	__u64 now, pid_tid = (__u64)pid << 32 | tid;

	if (!tid || !is_target(pid, tid))
		return 0;
	count(&ticks);
	w = bpf_map_lookup_elem(&walks, &zero);
	if (!w)
		return 0;
	now = bpf_ktime_get_ns();
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	go.current = go.here = NULL;
	if (control.goroutines)
		goroutines_take(task, &go);
	at = go.here ? go.here : go.current ? go.current : t;
	walk_forget(w);
	w->sample.span = 0;
	w->sample.in_probe = is_in_probe(ctx, task, w, t, at, now);
	if (t) {
		if (!t->named) {
			t->named = 1;
			send_thread(task, now);
		}
		if (control.brackets && brackets && !t->busy)
			bracket_seek(w, t);
	}
	if (control.spans && at)
		take_spans(w, at, depth_of(at));
	w->sample.weight = control.period;
	w->sample.pid = pid;
	w->sample.head.tid = tid;
	w->sample.cpu = bpf_get_smp_processor_id();
	w->sample.cause = CAUSE_CPU;
	nk = take_kernel(ctx, w->frames);
	nk &= 127;
	w->sample.nr_kernel = nk;
	nu = take_user(ctx, t, w);
	if (nu > SAMPLE_MAX_USER)
		return 0;
	w->sample.nr_user = nu;
	if (control.brackets && t && w->nr_bracket)
		bracket_walked(w, t, now);
	if (control.goroutines) {
		w->sample.span = announce(go.current, now, 0, pid_tid);
		w->sample.span = announce(go.here, now, w->sample.span, pid_tid);
	}
	if (control.spans)
		w->sample.span = announce(t, now, w->sample.span, pid_tid);
	if (control.spans && w->nr_foreign)
		take_foreign(w, t, now);
	event_fill(&w->sample.head, EVENT_SAMPLE,
		   sizeof(struct event_sample) + (nk + nu) * sizeof(__u64), tid, now);
	send(&w->sample, sizeof(struct event_sample) + (nk + nu) * sizeof(__u64),
	     &loss.samples);
	now = bpf_ktime_get_ns() - now + tick_nsec;
	__sync_fetch_and_add(&loss.ticked, now);
	if (t)
		t->ticked += now;
	if (go.current)
		go.current->ticked += now;
	if (go.here)
		go.here->ticked += now;
	if (control.spans && w->nr_foreign)
		charge_foreign(w, now);
	return 0;
}

#endif
