/*
 * round - a look at every thread of the target that has no CPU: where it waits, and for what.
 *
 * Run by sonde itself, as often as there are ticks, at moments that are up to chance
 * (source/rounds.h): how long a thread waits is found by how often it is seen waiting, so
 * nothing is added to a switch.  Nothing is stopped: the stack of a thread is
 * copied and walked as if it were the tick's own; of one that has been in user mode meanwhile
 * only where it entered the kernel is told.  A thread that is seen where it was, and has not
 * run, is not walked again: only how long it stays there is told, now and then.
 */
#ifndef SONDE_BPF_ROUND_BPF_H
#define SONDE_BPF_ROUND_BPF_H

#include "bpf/fallen.bpf.h"
#include "bpf/owner.bpf.h"

#define ROUND_REFILLS 64	/* stretches of a stack that are read */
#define STILL_NSEC 500000000ull /* how long it is owed at most */

/* Of include/linux/sched.h. */
#define PF_KTHREAD 0x00200000
#define TASK_STOPPED_OR_TRACED (0x4 | 0x8)

/* Where a thread was when it was last seen off its CPU. */
struct rest {
	__u64 switches; /* how often it had lost a CPU */
	__u64 owed;	/* nanoseconds it stayed, not told of yet */
	__u64 owed_since;
	__u32 looks; /* how often it was seen so since */
	__u16 cause; /* 0: it was never seen, or what was seen was of no use */
	__u16 told;  /* its number in its own pid namespace was */
	struct owner owner;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct rest);
} rests SEC(".maps");

#define NR_UNWOKEN 4096

/* By number: the thread of that slot that was seen waiting last, and was not woken since. */
static __u32 unwoken[NR_UNWOKEN];

__u32 round_is_first; /* only what threads are called in their pid namespaces is told */
__u32 round_is_last;  /* only what is owed is told */
__u32 round_children; /* a child of the target was forked: one more process */

/* over: 0, or STILL_ENDED, of which is told even if nothing is owed. */
static __always_inline void settle(struct rest *r, struct task_struct *task, __u32 over,
				   __u64 now)
{
	struct event_still e = { .weight = r->owed,
				 .pid = task->tgid,
				 .looks = r->looks | over };

	if (!r->owed && !(over && r->cause))
		return;
	r->owed = 0;
	r->looks = 0;
	if (over)
		r->cause = 0;
	event_fill(&e.head, EVENT_STILL, sizeof(e), task->pid, now);
	send(&e, sizeof(e), &loss.samples);
}

/* A thread that could run, and has waited for this CPU only since the look has it, would run if
 * there were no look: one that lost it to the look (by the clock of that CPU: at that very
 * moment) ran, one that came later was waiting for something else when the look was due. */
static __always_inline __u32 runnable_for(struct task_struct *task)
{
	struct task_struct *self = bpf_get_current_task_btf();

	if (!bpf_core_field_exists(task->sched_info.last_queued) ||
	    task->sched_info.last_queued < self->sched_info.last_arrival ||
	    task->thread_info.cpu != bpf_get_smp_processor_id())
		return CAUSE_RUNNABLE;
	return task->sched_info.last_queued == self->sched_info.last_arrival ? 0 : CAUSE_WAIT;
}

/* 0: it is not off a CPU. */
static __always_inline __u32 resting_for(struct task_struct *task)
{
	__u32 state = task->__state;

	if (task->on_cpu || task->exit_state || (task->flags & PF_KTHREAD) ||
	    !BPF_CORE_READ(task, mm))
		return 0;
	if (!state)
		return runnable_for(task);
	return state & TASK_STOPPED_OR_TRACED ? CAUSE_STOPPED : CAUSE_WAIT;
}

/* Where a thread entered the kernel, and for which call. */
struct entered {
	__u64 ip, sp, bp, call, result;
};

static __always_inline bool entered_at(struct task_struct *task, struct entered *e)
{
	struct pt_regs *user = (struct pt_regs *)bpf_task_pt_regs(task);

	e->call = -1;
	if (!user)
		return false;
	bpf_probe_read_kernel(&e->ip, sizeof(e->ip), &PT_REGS_IP(user));
	bpf_probe_read_kernel(&e->sp, sizeof(e->sp), &PT_REGS_SP(user));
	bpf_probe_read_kernel(&e->bp, sizeof(e->bp), &PT_REGS_FP(user));
	bpf_probe_read_kernel(&e->call, sizeof(e->call), &user->orig_rax);
	bpf_probe_read_kernel(&e->result, sizeof(e->result), &PT_REGS_RC(user));
	return true;
}

/* A thread that has run since, but is in the call it was in, has run in the kernel alone: its
 * stack is what it was.  Until a call is over its result is -ENOSYS (arch/x86/entry). */
static __always_inline bool same_call(struct task_struct *task, const struct entered *then)
{
	struct entered now = {};

	return entered_at(task, &now) && now.result == (__u64)-ENOSYS && (__s64)now.call >= 0 &&
	       now.call == then->call && now.ip == then->ip && now.sp == then->sp;
}

/* Moves the window of a walk to what it wants to read. */
static __always_inline bool round_refill(struct walk *w, struct task_struct *task)
{
	__u64 at = w->wants & ~7ull, wants = w->wants, size = WALK_WINDOW;

	w->wants = 0;
	if (copy_from_task(w->window, size, (void *)at, task, 0)) {
		size = ((4096 - (at & 4095) - 1) & 4095) + 1;
		if (copy_from_task(w->window, size, (void *)at, task, 0))
			return false;
	}
	w->window_at = at;
	w->window_size = size;
	return wants - at + sizeof(wants) <= size;
}

static __always_inline __u32 round_user(struct walk *w, struct task_struct *task,
					struct thread_state *t, const struct entered *entered)
{
	__u32 pid = task->tgid, *space = bpf_map_lookup_elem(&space_of, &pid);
	int end = STACK_UNREADABLE;

	w->pc = entered->ip;
	w->sp = entered->sp;
	w->bp = entered->bp;
	if (!space) {
		w->sample.user_end = STACK_NO_MAP; /* somebody looks at its maps */
		w->frames[w->sample.nr_kernel & 127] = w->pc;
		return 1;
	}
	w->at = w->sample.nr_kernel;
	w->from = w->sp;
	w->outside = 1;
	seek_foreign(w, task, t);
	walk_begin(w, task, *space);
	for (int i = 0; i < ROUND_REFILLS; i++) {
		end = walk_all(w);
		if (end != WALK_WANTS)
			break;
		end = STACK_UNREADABLE;
		if (!round_refill(w, task))
			break;
	}
	w->sample.user_end = end;
	return w->at - w->sample.nr_kernel;
}

/* The kernel half of its stack. */
static __always_inline __u32 round_kernel(struct walk *w, struct task_struct *task)
{
	long n = 0;

	if (control.want_kernel)
		n = bpf_get_task_stack(task, w->frames, SAMPLE_MAX_KERNEL * sizeof(__u64), 0);
	return n > 0 ? n / sizeof(__u64) : 0;
}

/* Where it is: its open spans. */
static __always_inline void round_begin(struct walk *w, struct task_struct *task,
					struct thread_state *t, __u64 now)
{
	__u64 pid_tid = (__u64)task->tgid << 32 | task->pid;

	walk_forget(w);
	w->sample.span = 0;
	w->sample.weight = round_weight;
	w->sample.pid = task->tgid;
	w->sample.head.tid = task->pid;
	w->sample.cpu = task->thread_info.cpu;
	if (t) {
		take_spans(w, t, depth_of(t));
		w->sample.span = announce(t, now, 0, pid_tid);
	}
}

/* When it got a CPU last, by the clock of CPUs, which this thread has been told a moment ago;
 * 0: it is not known. */
static __always_inline __u64 ran_at(struct task_struct *task, __u64 now)
{
	struct task_struct *self = bpf_get_current_task_btf();
	__u64 ago;

	if (!bpf_core_field_exists(task->sched_info.last_arrival))
		return 0;
	ago = self->sched_info.last_arrival - task->sched_info.last_arrival;
	return task->sched_info.last_arrival && ago < now ? now - ago : 0;
}

/* How deep its own pid namespace is in others. */
static __always_inline __u32 own_level(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = 0;

	if (pid)
		bpf_probe_read_kernel(&level, sizeof(level), &pid->level);
	return level;
}

/* Its number in its own pid namespace; 0: it has ended. */
static __always_inline __u32 own_number(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = own_level(task), number = 0;

	if (!pid)
		return 0;
	bpf_probe_read_kernel(&number, sizeof(number),
			      (void *)&pid->numbers + level * bpf_core_type_size(struct upid));
	return number;
}

static __always_inline void tell_seen(struct task_struct *task, __u64 now)
{
	struct event_seen e = { .ran = ran_at(task, now),
				.number = own_number(task),
				.pid = task->tgid };

	event_fill(&e.head, EVENT_SEEN, sizeof(e), task->pid, now);
	send(&e, sizeof(e), &loss.others);
}

/* What was waiting when it was looked at may run a microsecond later.  It is told of all the
 * same: the shorter a wait is the more of its looks would be missing. */
static __always_inline void round_take(struct task_struct *task, struct rest *r, __u32 cause,
				       __u64 now)
{
	__u32 number = WALKER_ROUND, nk, nu = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &number);
	__u64 switches = switches_of(task);
	struct thread_state *t = NULL;
	struct entered entered = {};
	bool has_user;

	if (!w)
		return;
	has_user = entered_at(task, &entered) && control.want_user;
	nk = round_kernel(w, task) & 127;
	if (has_run(task, switches) && !same_call(task, &entered))
		nk = 0; /* of another call, or of none */
	settle(r, task, STILL_ENDED, now);
	r->cause = 0;
	r->owner.at = 0;
	if (control.spans)
		t = bpf_task_storage_get(&threads, task, 0, 0);
	round_begin(w, task, t, now);
	w->sample.in_probe = (__u32)entered.call; /* struct event_wait: call */
	w->sample.cause = cause;
	w->sample.nr_kernel = nk;
	w->sample.user_end = STACK_NONE;
	if (has_user)
		nu = round_user(w, task, t, &entered);
	if (nu > SAMPLE_MAX_USER)
		return;
	if (!has_run(task, switches)) {
		r->switches = switches;
		r->cause = cause;
		r->owed_since = now;
	} else if (nu && !same_call(task, &entered)) {
		/* what was read may be of another moment, but for where it left user mode */
		nu = 1;
		w->nr_foreign = 0;
		w->sample.user_end = STACK_UNREADABLE;
		count(&loss.stacks);
	}
	w->sample.nr_user = nu;
	if (control.spans && w->nr_foreign)
		take_foreign(w, t, now);
	if (cause == CAUSE_WAIT)
		tell_futex(task, switches, &r->owner, now);
	event_fill(&w->sample.head, EVENT_WAIT,
		   sizeof(struct event_sample) + (nk + nu) * sizeof(__u64), task->pid, now);
	send(&w->sample, sizeof(struct event_sample) + (nk + nu) * sizeof(__u64),
	     &loss.samples);
	if (control.wakes && r->cause == CAUSE_WAIT)
		unwoken[(__u32)task->pid % NR_UNWOKEN] = task->pid;
}

static __always_inline void round_child(void)
{
	if (control.rounds)
		round_children = 1;
}

/* How long a thread that ends was seen in its last wait. */
static __always_inline void round_exit(struct task_struct *task, __u64 now)
{
	struct rest *r;

	if (!control.rounds)
		return;
	r = bpf_task_storage_get(&rests, task, 0, 0);
	if (r)
		settle(r, task, STILL_ENDED, now);
}

SEC("iter.s/task")
int look_round(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct rest *r;
	__u32 cause;
	bool inner;
	__u64 now;

	if (!task || !is_target(task->tgid, task->pid))
		return 0;
	now = bpf_ktime_get_ns();
	cause = round_is_last || round_is_first ? 0 : resting_for(task);
	inner = !round_is_last && own_level(task);
	r = bpf_task_storage_get(&rests, task, 0,
				 cause || inner ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (!round_is_last && (control.seen || (inner && r && !r->told)))
		tell_seen(task, now);
	if (!r)
		return 0;
	r->told = inner;
	if (round_is_first)
		return 0;
	if (cause && r->cause == cause && r->switches == switches_of(task)) {
		r->owed += round_weight;
		r->looks++;
		if (control.seen && cause == CAUSE_WAIT)
			tell_futex(task, r->switches, &r->owner, now);
		else
			owner_look(task, &r->owner, now);
		if (now - r->owed_since > STILL_NSEC) {
			settle(r, task, 0, now);
			r->owed_since = now;
		}
		return 0;
	}
	if (cause)
		round_take(task, r, cause, now);
	else
		settle(r, task, round_is_last ? 0 : STILL_ENDED, now);
	return 0;
}

#endif
