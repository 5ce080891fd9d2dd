/*
 * goroutine - the calls of programs in Go, which belong to goroutines and not to threads.
 *
 * Any thread may run a goroutine, from one moment to the next, and one thread at a time
 * does.  So each has a state like that of a thread, made at its first watched call.  Its
 * stack is moved when it grows, but what lies on it stays as far below the top as it was:
 * slots are told from there (a number below 0, in the order that addresses have).
 */
#ifndef SONDE_BPF_GOROUTINE_BPF_H
#define SONDE_BPF_GOROUTINE_BPF_H

#include "bpf/call.bpf.h"

#define G_STACK_HIGH 8 /* runtime/runtime2.go, g.stack.hi */

struct goroutine_end {
	__u32 pid;
	__u32 reason;
	__u64 now;
};

static __always_inline const struct goroutine_layout *layout_of(__u32 number)
{
	__u32 at = number - 1;

	return at < MAX_LAYOUTS ? &layouts[at] : NULL;
}

static __always_inline __u64 user_word(__u64 address)
{
	__u64 word = 0;

	bpf_probe_read_user(&word, sizeof(word), (void *)address);
	return word;
}

/* The goroutine that the thread runs: its scheduler's own while that is at work. */
static __always_inline __u64 goroutine_here(struct task_struct *task,
					    const struct goroutine_layout *l)
{
	return user_word(task->thread.fsbase + (__s64)l->tls);
}

/* The goroutine that is scheduled on the thread. */
static __always_inline __u64 goroutine_current(__u64 here, const struct goroutine_layout *l)
{
	return user_word(user_word(here + l->g_m) + l->m_curg);
}

static __always_inline struct thread_state *goroutine_find(__u32 pid, __u64 g)
{
	struct goroutine_key key = { .g = g, .pid = pid };
	struct thread_state *t = g ? bpf_map_lookup_elem(&goroutines, &key) : NULL;

	if (t)
		t->base = user_word(g + G_STACK_HIGH);
	return t;
}

/* NULL: there are too many. */
static __always_inline struct thread_state *goroutine_make(__u32 pid, __u64 g, __u32 layout)
{
	struct goroutine_key key = { .g = g, .pid = pid };
	__u32 zero = 0;
	struct thread_state *none = bpf_map_lookup_elem(&no_state, &zero);

	/* without for_each the states of a process that ends would stay */
	if (!g || !none || !each_works() ||
	    bpf_map_update_elem(&goroutines, &key, none, BPF_NOEXIST))
		return NULL;
	__sync_fetch_and_add(&goroutines_kept, 1);
	bpf_map_update_elem(&layout_by_pid, &pid, &layout, BPF_ANY);
	return goroutine_find(pid, g);
}

/* Whose calls those of a site are. */
static __always_inline struct thread_state *site_state(struct task_struct *task, __u64 cookie,
						       bool make)
{
	const struct goroutine_layout *l;
	struct thread_state *t;
	__u64 g;

	if (!control.goroutines || !COOKIE_LAYOUT(cookie))
		return bpf_task_storage_get(&threads, task, 0,
					    make ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	l = layout_of(COOKIE_LAYOUT(cookie));
	if (!l)
		return NULL;
	g = goroutine_here(task, l);
	t = goroutine_find(task->tgid, g);
	if (!t && make)
		t = goroutine_make(task->tgid, g, COOKIE_LAYOUT(cookie));
	if (t)
		t->tid = task->pid;
	return t;
}

static __always_inline void goroutine_forget(struct goroutine_key *key)
{
	if (!bpf_map_delete_elem(&goroutines, key))
		__sync_fetch_and_add(&goroutines_kept, -1);
}

/* It ends: from within what is open.  Another one will take over its state, unless there
 * are many. */
static __always_inline void goroutine_ends(struct task_struct *task, __u64 g,
					   struct thread_state *t)
{
	struct goroutine_key key = { .g = g, .pid = task->tgid };

	close_state(t, END_EXIT, bpf_ktime_get_ns());
	if (goroutines_kept > MAX_GOROUTINES / 2)
		goroutine_forget(&key);
}

/* A landmark of the run-time system.  A panic runs what was deferred on top of the calls
 * that it leaves; if that recovers, it goes on (by gogo, on the scheduler's stack) in the
 * function that had deferred it. */
static __always_inline void goroutine_landmark(struct pt_regs *ctx, __u64 cookie)
{
	const struct goroutine_layout *l = layout_of(COOKIE_LAYOUT(cookie));
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 role = COOKIE_ROLE(cookie);
	struct thread_state *t;
	__u64 g;

	if (!l || !goroutines_kept)
		return;
	g = goroutine_here(task, l);
	if (role == SITE_CATCH)
		g = goroutine_current(g, l);
	t = goroutine_find(task->tgid, g);
	if (!t)
		return;
	t->busy = 1;
	at_site(t, ctx, cookie);
	if (role == SITE_THREAD_END)
		t->leaving = END_EXIT;
	else if (role == SITE_THROW && !t->leaving)
		t->leaving = END_THROW;
	/* gogo's argument lies on the stack: where SP is kept comes first */
	if (role == SITE_CATCH && t->depth)
		drop_dead(t, user_word(user_word(PT_REGS_SP(ctx))) - t->base,
			  bpf_ktime_get_ns());
	if (role == SITE_CATCH && t->leaving == END_THROW)
		t->leaving = 0;
	charge_end(t);
	t->busy = 0;
	if (role == SITE_GOROUTINE_END)
		goroutine_ends(task, g, t);
}

static long goroutine_end_one(void *map, struct goroutine_key *key, struct thread_state *t,
			      struct goroutine_end *end)
{
	struct goroutine_key copy = *key;

	if (copy.pid != end->pid)
		return 0;
	close_state(t, end->reason, end->now);
	goroutine_forget(&copy);
	return 0;
}

/* The process is gone, or is another program. */
static __always_inline void goroutines_end(__u32 pid, __u32 reason, __u64 now)
{
	struct goroutine_end end = { pid, reason, now };

	if (!goroutines_kept || !each_works() || bpf_map_delete_elem(&layout_by_pid, &pid))
		return;
	for_each(&goroutines, goroutine_end_one, &end, 0);
}

static long goroutine_tell_one(void *map, struct goroutine_key *key, struct thread_state *t,
			       __u64 *now)
{
	tell_open(t, (__u64)key->pid << 32 | t->tid, *now);
	return 0;
}

/* Tells of all their open calls. */
static __always_inline void goroutines_tell(void)
{
	__u64 now = bpf_ktime_get_ns();

	if (goroutines_kept && each_works())
		for_each(&goroutines, goroutine_tell_one, &now, 0);
}

/* Whose calls a tick may fall into, of a thread of a program in Go. */
struct goroutines_at {
	struct thread_state *current; /* what it is to run */
	struct thread_state *here;    /* what runs, if that is another: the scheduler's */
};

static __always_inline void goroutines_take(struct task_struct *task, struct goroutines_at *ret)
{
	const struct goroutine_layout *l;
	__u32 pid = task->tgid, *layout;
	__u64 here, current;

	ret->current = ret->here = NULL;
	if (!goroutines_kept || !BPF_CORE_READ(task, mm))
		return;
	layout = bpf_map_lookup_elem(&layout_by_pid, &pid);
	l = layout ? layout_of(*layout) : NULL;
	if (!l)
		return;
	here = goroutine_here(task, l);
	current = goroutine_current(here, l);
	ret->current = goroutine_find(pid, current);
	if (here != current)
		ret->here = goroutine_find(pid, here);
}

#endif
