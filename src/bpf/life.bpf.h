/*
 * life - threads and processes of the target come, change and go.
 */
#ifndef SONDE_BPF_LIFE_BPF_H
#define SONDE_BPF_LIFE_BPF_H

#include "bpf/clock.bpf.h"
#include "bpf/foreign.bpf.h"
#include "bpf/goroutine.bpf.h"
#include "bpf/round.bpf.h"

static __always_inline void close_all(struct task_struct *task, __u32 reason, __u64 now)
{
	struct thread_state *t = bpf_task_storage_get(&threads, task, 0, 0);

	if (!t)
		return;
	close_state(t, reason, now);
	t->stack_low = t->stack_high = 0;
	t->named = 0;
}

/* Somebody puts probes on it. */
static __always_inline void tell_birth(__u32 pid, __u64 now)
{
	struct birth b = { .time = now, .pid = pid };

	__sync_fetch_and_add(&born, 1);
	if (!bpf_ringbuf_output(&births, &b, sizeof(b), 0))
		return;
	__sync_fetch_and_add(&grown, 1);
	count(&loss.others);
}

/* A thread of the target has a name, from its begin or anew: is it one that is looked at? */
static __always_inline void meet_name(const struct task_struct *task, const char *comm)
{
	__u32 one = 1, pid = task->tgid, tid = task->pid;
	char name[NAME_RULE_BYTES] = "";

	if (!control.by_name || (!control.every && !bpf_map_lookup_elem(&targets, &pid)))
		return;
	bpf_probe_read_kernel_str(name, sizeof(name), comm);
	if (name_rule_fits(&names, name))
		bpf_map_update_elem(&tids, &tid, &one, BPF_ANY);
	else
		bpf_map_delete_elem(&tids, &tid);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(life_fork, struct task_struct *parent, struct task_struct *child)
{
	struct event_fork e = { .parent_pid = parent->tgid, .pid = child->tgid };
	__u32 state = control.spans ? TARGET_YOUNG : TARGET_WATCHED, pid = child->tgid;

	meet_name(child, child->comm);
	if (parent->tgid == child->tgid && control.spans && is_target(pid, child->pid))
		thread_prepare(child);
	if (!is_target(parent->tgid, parent->pid))
		return 0;
	if (parent->tgid == child->tgid)
		return 0;
	if (control.spans)
		stack_inherit(parent, child);
	if (!control.follow)
		return 0;
	bpf_map_update_elem(&targets, &pid, &state, BPF_ANY);
	round_child();
	judged_fork(parent->tgid, pid);
	event_fill(&e.head, EVENT_FORK, sizeof(e), child->pid, bpf_ktime_get_ns());
	if (control.spans)
		tell_birth(pid, e.head.time);
	send(&e, sizeof(e), &loss.others);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(life_exec, struct task_struct *task)
{
	struct event_exec e = { .pid = task->tgid };
	__u64 now;

	if (!is_target(task->tgid, task->pid))
		return 0;
	now = bpf_ktime_get_ns();
	if (control.spans) {
		close_all(task, END_EXEC, now);
		foreign_end(task->tgid, END_EXEC, now);
	}
	if (control.goroutines)
		goroutines_end(task->tgid, END_EXEC, now);
	judged_change(task->tgid);
	event_fill(&e.head, EVENT_EXEC, sizeof(e), task->pid, now);
	send(&e, sizeof(e), &loss.others);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(life_exit, struct task_struct *task)
{
	struct event_exit e = { .pid = task->tgid };
	__u32 pid = task->tgid, tid = task->pid;
	__u64 now;

	now = bpf_ktime_get_ns();
	/* of whom calls are open is asked of the thread: that it is of the target is forgotten
	 * with the thread that was the last to begin to end, not the last to come by here */
	if (control.spans) {
		if (control.brackets && brackets)
			bracket_last(task, now);
		close_all(task, END_EXIT, now);
	}
	if (!is_target(pid, task->pid))
		return 0;
	round_exit(task, now);
	if (control.by_thread)
		bpf_map_delete_elem(&tids, &tid);
	/* live was lowered for this thread already */
	e.last = BPF_CORE_READ(task, signal, live.counter) == 0;
	if (e.last) {
		bpf_map_delete_elem(&targets, &pid);
		bpf_map_delete_elem(&judged, &pid);
		if (control.spans)
			foreign_end(pid, END_EXIT, now);
		if (control.goroutines)
			goroutines_end(pid, END_EXIT, now);
	}
	event_fill(&e.head, EVENT_EXIT, sizeof(e), task->pid, now);
	send(&e, sizeof(e), &loss.others);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(life_rename, struct task_struct *task, const char *comm)
{
	struct event_thread e = { .pid = task->tgid };

	meet_name(task, comm);
	if (!is_target(task->tgid, task->pid))
		return 0;
	event_fill(&e.head, EVENT_THREAD, sizeof(e), task->pid, bpf_ktime_get_ns());
	bpf_probe_read_kernel_str(e.name, sizeof(e.name), comm);
	send(&e, sizeof(e), &loss.others);
	return 0;
}

/* Prepares the threads that are there before the first call is watched. */
SEC("iter/task")
int known_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task && !control.every && is_target(task->tgid, task->pid))
		thread_prepare(task);
	return 0;
}

/* Lists the open spans of every thread; read once for each answer. */
SEC("iter/task")
int open_spans(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread_state *t;

	if (!task) { /* all were shown */
		foreign_tell();
		if (control.goroutines)
			goroutines_tell();
		return 0;
	}
	t = bpf_task_storage_get(&threads, task, 0, 0);
	if (t)
		tell_open(t, (__u64)task->tgid << 32 | task->pid, bpf_ktime_get_ns());
	return 0;
}

#endif
