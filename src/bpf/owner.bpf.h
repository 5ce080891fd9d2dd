/*
 * owner - what futex a thread waits for, and whether another thread has it by now.
 *
 * A mutex goes from one to the next while a third waits for it: each has its part of that wait.
 * So at every look the word is read that says who has it, once for all that wait for it.
 */
#ifndef SONDE_BPF_OWNER_BPF_H
#define SONDE_BPF_OWNER_BPF_H

#include "bpf/maps.bpf.h"
#include "wire/futex.h"

#define OWNERS_READ 256 /* words, at a time */
#define OWNERS_FRESH 2	/* of the time between two looks, the part that one takes at most */

/* Linux 5.18. */
static long (*const copy_from_task)(void *to, __u32 size, const void *from,
				    struct task_struct *task, __u64 flags) = (void *)191;

/* Of the mutex that a thread waits for. */
struct owner {
	__u64 at; /* the word that says who has it; 0: it waits for none */
	__u32 was;
	__u32 pad;
};

struct owner_read {
	__u64 at, time;
	__u32 pid;
	__u32 word; /* a number of a thread; 0: nobody has it, or it could not be read */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OWNERS_READ);
	__type(key, __u32);
	__type(value, struct owner_read);
} owners SEC(".maps");

__u64 round_weight; /* nanoseconds since the round before this one */

static __always_inline __u64 switches_of(struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

static __always_inline bool has_run(struct task_struct *task, __u64 switches)
{
	return task->on_cpu || switches_of(task) != switches;
}

#if defined(__TARGET_ARCH_x86)
#define CALL_FUTEX 202
#else
#define CALL_FUTEX 98
#endif

/* glibc waits for a plain mutex to be no more 2, taken and waited for. */
static __always_inline void owner_note(struct owner *o, const struct event_futex *f)
{
	__u32 op = f->op & OP_MASK;

	o->at = 0;
	if (!f->nr_words)
		return;
	if (op == OP_LOCK_PI || op == OP_LOCK_PI2 || f->words[MUTEX_KIND] & MUTEX_ROBUST) {
		o->at = f->address + MUTEX_LOCK * sizeof(__u32);
		o->was = f->words[MUTEX_LOCK] & WORD_NUMBER;
	} else if (f->val == MUTEX_CONTENDED) {
		o->at = f->address + MUTEX_OWNER * sizeof(__u32);
		o->was = f->words[MUTEX_OWNER];
	}
}

static __always_inline bool owner_changed(struct task_struct *task, struct owner *o, __u64 now)
{
	__u32 key, word = 0;
	struct owner_read *r;

	if (!o->at)
		return false;
	key = (o->at >> 2 ^ o->at >> 12 ^ task->tgid) % OWNERS_READ;
	r = bpf_map_lookup_elem(&owners, &key);
	if (!r)
		return false;
	if (r->at != o->at || r->pid != task->tgid ||
	    now - r->time > round_weight / OWNERS_FRESH) {
		if (copy_from_task(&word, sizeof(word), (void *)o->at, task, 0))
			word = 0;
		r->at = o->at;
		r->pid = task->tgid;
		r->time = now;
		r->word = word & WORD_NUMBER;
	}
	return r->word && r->word != o->was;
}

/* Which futex it waits for: what lies there says who has the lock. */
static __always_inline void tell_futex(struct task_struct *task, __u64 switches,
				       struct owner *owner, __u64 now)
{
	struct pt_regs *user = (struct pt_regs *)bpf_task_pt_regs(task);
	struct event_futex e = { .nr_words = FUTEX_WORDS };
	long call = -1;

	if (!user)
		return;
	bpf_probe_read_kernel(&call, sizeof(call), &user->orig_rax);
	if (call != CALL_FUTEX)
		return;
	bpf_probe_read_kernel(&e.address, sizeof(e.address), &PT_REGS_PARM1(user));
	bpf_probe_read_kernel(&e.op, sizeof(e.op), &PT_REGS_PARM2(user));
	bpf_probe_read_kernel(&e.val, sizeof(e.val), &PT_REGS_PARM3(user));
	if (copy_from_task(e.words, sizeof(e.words), (void *)e.address, task, 0))
		e.nr_words = 0;
	if (has_run(task, switches))
		return; /* it may wait for another by now */
	owner_note(owner, &e);
	event_fill(&e.head, EVENT_FUTEX, sizeof(e), task->pid, now);
	send(&e, sizeof(e), &loss.others);
}

#endif
