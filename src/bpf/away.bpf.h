/*
 * away - how long the calls of a thread had no CPU.
 *
 * What a switch adds is kept by thread, and only while calls are open; a call takes the
 * difference between its begin and its end.  Of that the thread could run for as long as the
 * scheduler counts it to have been in its queues.
 *
 * While a thread could run sonde itself may have had its CPU, to look at threads or to read
 * what was told: that is none of the call, as the time of ticks and probes is none
 * (duration_of()).
 */
#ifndef SONDE_BPF_AWAY_BPF_H
#define SONDE_BPF_AWAY_BPF_H

#include "bpf/maps.bpf.h"

#define NR_WATCHED_TIDS 4096

/* By number: a call of one of these threads has been watched. */
static __u8 watched_tids[NR_WATCHED_TIDS];

/* When a thread of sonde's own had a CPU last: by the clock of that CPU. */
struct own_run {
	__u64 began; /* by our clock, while it has it; 0: it has not */
	__u64 from, to;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct own_run);
} own_runs SEC(".maps");

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
	s->yielded = t->yielded;
	s->queued = queued_now(task);
}

/* How long its thread could run in a call, and had no CPU for others than sonde. */
static __always_inline __u64 queued_in(const struct thread_state *t, const struct open_span *s)
{
	__u64 queued = queued_now(bpf_get_current_task_btf()) - s->queued;
	__u64 yielded = t->yielded - s->yielded;

	return queued > yielded ? queued - yielded : 0;
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
	__sync_fetch_and_add(&c->queued, queued_in(t, s));
}

static __always_inline void away_tell(const struct thread_state *t, const struct open_span *s,
				      __u64 now)
{
	struct event_times e = { .span = s->id, .probe = s->probe };

	if (!control.times || t->base)
		return;
	e.away = t->away - s->away;
	e.queued = queued_in(t, s);
	event_fill(&e.head, EVENT_TIMES, sizeof(e), (__u32)bpf_get_current_pid_tgid(), now);
	send(&e, sizeof(e), &loss.spans);
}

/* Most switches of the machine are of other threads: these are let go here. */
static __always_inline bool was_watched(const struct task_struct *task)
{
	return watched_tids[(__u32)task->pid % NR_WATCHED_TIDS];
}

static __always_inline bool is_own(const struct task_struct *task)
{
	return (__u32)task->tgid == control.self;
}

/* A CPU goes from one thread of ours to another, or to others, or the other way round. */
static __always_inline void own_switch(const struct task_struct *prev,
				       const struct task_struct *next)
{
	__u64 now = bpf_ktime_get_ns();
	struct own_run *r;
	__u32 zero = 0;

	if (!bpf_core_field_exists(prev->sched_info.last_arrival))
		return;
	r = bpf_map_lookup_elem(&own_runs, &zero);
	if (!r)
		return;
	if (is_own(prev) && r->began) {
		r->from = prev->sched_info.last_arrival;
		r->to = r->from + now - r->began;
	}
	r->began = is_own(next) ? now : 0;
}

/* How long sonde had this CPU while a thread, that gets it now, was waiting for one. */
static __always_inline __u64 own_time(const struct task_struct *task)
{
	struct own_run *r;
	__u32 zero = 0;
	__u64 queued;

	if (!bpf_core_field_exists(task->sched_info.last_queued))
		return 0;
	queued = task->sched_info.last_queued;
	r = bpf_map_lookup_elem(&own_runs, &zero);
	if (!r || !queued || r->to <= queued)
		return 0;
	return r->to - (queued > r->from ? queued : r->from);
}

static __always_inline void got_cpu(struct thread_state *t, const struct task_struct *task)
{
	__u64 away = bpf_ktime_get_ns() - t->left_at, own = own_time(task);

	if (own > away)
		own = away;
	t->away += away - own;
	t->yielded += own;
	t->left_at = 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(away_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct thread_state *t;

	if (is_own(prev) || is_own(next))
		own_switch(prev, next);
	if (was_watched(next)) {
		t = bpf_task_storage_get(&threads, next, 0, 0);
		if (t && t->left_at)
			got_cpu(t, next);
	}
	if (was_watched(prev)) {
		t = bpf_task_storage_get(&threads, prev, 0, 0);
		if (t && t->depth)
			t->left_at = bpf_ktime_get_ns();
	}
	return 0;
}

#endif
