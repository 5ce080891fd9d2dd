/*
 * owner - what futex a thread waits for, and who has it by now.
 *
 * A mutex goes from one to the next while a third waits for it: each has its part of that wait.
 * So at every look the word is read that says who has it, and told if it is another: once for
 * all that wait for it, however many these are.
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
	__u64 futex;
	__u32 was; /* when the wait was first seen */
	__u32 pad;
};

struct owner_read {
	__u64 at, futex, time;
	__u64 seen; /* when it was read to be so; 0: not yet */
	__u32 pid;
	__u32 word; /* a number of a thread */
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
	o->futex = f->address;
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

static __always_inline void owner_tell(struct task_struct *task, struct owner_read *r,
				       __u32 word, __u64 now)
{
	struct event_owner e = {
		.address = r->futex, .seen = r->seen, .pid = r->pid, .number = word
	};

	event_fill(&e.head, EVENT_OWNER, sizeof(e), task->pid, now);
	send(&e, sizeof(e), &loss.others);
}

/* Of all that wait for it one reads, in a look. */
static __always_inline void owner_look(struct task_struct *task, struct owner *o, __u64 now)
{
	__u32 key, word = 0;
	struct owner_read *r;

	if (!o->at)
		return;
	key = (o->at >> 2 ^ o->at >> 12 ^ task->tgid) % OWNERS_READ;
	r = bpf_map_lookup_elem(&owners, &key);
	if (!r)
		return;
	if (r->at != o->at || r->pid != task->tgid) {
		r->at = o->at;
		r->futex = o->futex;
		r->pid = task->tgid;
		r->word = o->was;
		r->seen = 0;
	} else if (now - r->time < round_weight / OWNERS_FRESH) {
		return;
	}
	r->time = now;
	if (copy_from_task(&word, sizeof(word), (void *)o->at, task, 0))
		return;
	word &= WORD_NUMBER;
	if (!word)
		return; /* between one and the next */
	if (word != r->word)
		owner_tell(task, r, word, now);
	r->word = word;
	r->seen = now;
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
