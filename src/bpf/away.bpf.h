/*
 * away - how long the calls of a thread had no CPU.
 *
 * What a switch adds is kept by thread, and only while calls are open; a call takes the
 * difference between its begin and its end.  Of that the thread could run for as long as the
 * scheduler counts it to have been in its queues.
 */
#ifndef SONDE_BPF_AWAY_BPF_H
#define SONDE_BPF_AWAY_BPF_H

#include "bpf/maps.bpf.h"

#define NR_WATCHED_TIDS 4096

/* By number: a call of one of these threads has been watched. */
static __u8 watched_tids[NR_WATCHED_TIDS];

/* sched_info_arrive() (kernel/sched/stats.h) adds to it when the thread gets a CPU. */
static __always_inline __u64 queued_now(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.run_delay) ? task->sched_info.run_delay
								 : 0;
}

static __always_inline void away_begin(const struct thread_state *t, struct open_span *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 i = (__u32)task->pid % NR_WATCHED_TIDS;

	if (!control.times)
		return;
	if (!watched_tids[i])
		watched_tids[i] = 1;
	s->away = t->away;
	s->queued = queued_now(task);
}

/* Of a call that is over.  A goroutine goes on on other threads. */
static __always_inline void away_count(const struct thread_state *t, const struct open_span *s,
				       __u64 duration)
{
	struct call_counts *c = counts_of(s->probe);

	if (!control.times || t->base || !c)
		return;
	__sync_fetch_and_add(&c->timed, duration);
	__sync_fetch_and_add(&c->away, t->away - s->away);
	__sync_fetch_and_add(&c->queued, queued_now(bpf_get_current_task_btf()) - s->queued);
}

static __always_inline void away_tell(const struct thread_state *t, const struct open_span *s,
				      __u64 now)
{
	struct event_times e = { .span = s->id, .probe = s->probe };

	if (!control.times || t->base)
		return;
	e.away = t->away - s->away;
	e.queued = queued_now(bpf_get_current_task_btf()) - s->queued;
	event_fill(&e.head, EVENT_TIMES, sizeof(e), (__u32)bpf_get_current_pid_tgid(), now);
	send(&e, sizeof(e), &loss.spans);
}

/* Most switches of the machine are of other threads: these are let go here. */
static __always_inline bool was_watched(const struct task_struct *task)
{
	return watched_tids[(__u32)task->pid % NR_WATCHED_TIDS];
}

SEC("tp_btf/sched_switch")
int BPF_PROG(away_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct thread_state *t;

	if (was_watched(next)) {
		t = bpf_task_storage_get(&threads, next, 0, 0);
		if (t && t->left_at) {
			t->away += bpf_ktime_get_ns() - t->left_at;
			t->left_at = 0;
		}
	}
	if (was_watched(prev)) {
		t = bpf_task_storage_get(&threads, prev, 0, 0);
		if (t && t->depth)
			t->left_at = bpf_ktime_get_ns();
	}
	return 0;
}

#endif
