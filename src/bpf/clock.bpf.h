/*
 * clock - a tick of the CPU clock: one sample of whatever runs, if it is ours.
 */
#ifndef SONDE_BPF_CLOCK_BPF_H
#define SONDE_BPF_CLOCK_BPF_H

#include "bpf/maps.bpf.h"

#include <linux/bpf_perf_event.h>

/* A struct event_sample with room for both halves of the stack. */
struct sample_room {
	struct event_sample sample;
	__u64 frames[256];
};

/* A tick is not interrupted by another on its cpu: one room is enough. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sample_room);
} sample_rooms SEC(".maps");

static __always_inline void send_thread(struct task_struct *task, __u64 now)
{
	struct event_thread e = { .pid = task->tgid };

	event_fill(&e.head, EVENT_THREAD, sizeof(e), task->pid, now);
	BPF_CORE_READ_STR_INTO(&e.name, task, comm);
	send(&e, sizeof(e), &loss.others);
}

/* Tells of each open span that no tick fell into before. */
static __always_inline void announce(struct thread_state *t, __u32 depth, __u32 pid, __u32 tid,
				     __u64 now)
{
	__u64 parent = 0;

	for (__u32 i = 0; i < MAX_OPEN; i++) {
		struct open_span *s = &t->spans[i];

		if (i >= depth)
			break;
		if (!(s->flags & SPAN_SAMPLED)) {
			struct event_enter e = {
				.span = s->id,
				.parent = parent,
				.began = s->began,
				.probe = s->probe,
				.pid = pid,
			};

			s->flags |= SPAN_SAMPLED;
			event_fill(&e.head, EVENT_ENTER, sizeof(e), tid, now);
			send(&e, sizeof(e), &loss.spans);
		}
		parent = s->id;
	}
}

/* Number of frames; *ret_end says how the stack ended. */
static __always_inline __u32 take_user(void *ctx, __u64 *frames, __u8 *ret_end)
{
	long n;

	*ret_end = STACK_NONE;
	if (!control.want_user)
		return 0;
	n = bpf_get_stack(ctx, frames, SAMPLE_MAX_FRAMES * sizeof(__u64), BPF_F_USER_STACK);
	if (n <= 0) {
		*ret_end = STACK_UNREADABLE;
		count(&loss.stacks);
		return 0;
	}
	n /= sizeof(__u64);
	*ret_end = n >= SAMPLE_MAX_FRAMES ? STACK_TRUNCATED : STACK_WHOLE;
	return n;
}

static __always_inline __u32 take_kernel(void *ctx, __u64 *frames)
{
	long n;

	if (!control.want_kernel)
		return 0;
	n = bpf_get_stack(ctx, frames, SAMPLE_MAX_FRAMES * sizeof(__u64), 0);
	return n > 0 ? n / sizeof(__u64) : 0;
}

SEC("perf_event")
int clock_tick(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 zero = 0, pid = task->tgid, tid = task->pid, depth, nk, nu;
	struct sample_room *room;
	struct thread_state *t;
	__u64 now;

	if (!tid || !is_target(pid, tid))
		return 0;
	count(&ticks);
	room = bpf_map_lookup_elem(&sample_rooms, &zero);
	if (!room)
		return 0;
	now = bpf_ktime_get_ns();
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	room->sample.span = 0;
	room->sample.in_probe = t ? t->busy : 0;
	if (t) {
		if (!t->named) {
			t->named = 1;
			send_thread(task, now);
		}
		depth = t->depth;
		if (depth > MAX_OPEN)
			depth = MAX_OPEN;
		if (depth) {
			announce(t, depth, pid, tid, now);
			room->sample.span = t->spans[(depth - 1) & (MAX_OPEN - 1)].id;
		}
	}
	room->sample.weight = control.period;
	room->sample.pid = pid;
	room->sample.cpu = bpf_get_smp_processor_id();
	room->sample.cause = CAUSE_CPU;
	nk = take_kernel(ctx, room->frames);
	nk &= 127;
	if (task->mm) {
		nu = take_user(ctx, &room->frames[nk], &room->sample.user_end);
	} else {
		nu = 0;
		room->sample.user_end = STACK_NONE;
	}
	nu &= 127;
	room->sample.nr_kernel = nk;
	room->sample.nr_user = nu;
	event_fill(&room->sample.head, EVENT_SAMPLE,
		   sizeof(struct event_sample) + (nk + nu) * sizeof(__u64), tid, now);
	send(room, sizeof(struct event_sample) + (nk + nu) * sizeof(__u64), &loss.samples);
	now = bpf_ktime_get_ns() - now + tick_nsec;
	__sync_fetch_and_add(&loss.ticked, now);
	if (t)
		t->ticked += now;
	return 0;
}

#endif
