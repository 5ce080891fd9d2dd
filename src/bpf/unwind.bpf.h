/*
 * unwind - the user half of a stack, by the compiler's own tables.
 *
 * walk_step() goes from one frame to its caller: by the row for the pc (call
 * frame information), else by the frame pointer (code without it, JIT), else it
 * says why not.  Two things make it quick: the stack is read in stretches (the
 * window), and what was found for a pc is remembered on each CPU.
 */
#ifndef SONDE_BPF_UNWIND_BPF_H
#define SONDE_BPF_UNWIND_BPF_H

#include "bpf/maps.bpf.h"
#include "wire/rule.h"
#include "wire/textmap.h"

#define WALK_CACHE 1024		/* pcs remembered on a CPU */
#define WALK_WINDOW 4096	/* bytes of stack held at once */
#define WALK_REFILL 1024	/* read at a time after the first */
#define WALK_FP_REACH (1 << 20) /* a frame pointer farther up is none */
#define WALK_ON (-1)
#define UPROBE_SLOT 128 /* bytes of the page for one instruction; the first: the trampoline */
#define WALK_FRAMES (SAMPLE_MAX_KERNEL + SAMPLE_MAX_USER + 1)

struct walk_cached {
	__u64 key; /* pc and generation of the space */
	__u32 rule;
	__u32 mapped;
};

/* One walk's state; one for each class of programs, since a tick may interrupt
 * another program that walks. */
struct walk {
	struct walk_cached cache[WALK_CACHE];
	__u64 pc, sp, bp;
	__u64 window_at;
	__u64 hooks;	  /* struct return_instance: pending hooks not met yet */
	__u64 trampoline; /* user address of the kernel's [uprobes] page, 0 = none */
	__u64 newest_slot, newest_ra; /* of the innermost open span; slot 0: none */
	__u64 ended_slot, ended_ra;   /* of the last that ended at this depth; 0: none */
	__u32 window_size;
	__u32 refills;
	__u32 exact;	 /* pc is where the thread is or was interrupted, no return address */
	__u32 map;	 /* index of the map that was used last */
	__u32 space;	 /* slot in 'spaces' */
	__u32 at;	 /* where in frames the next one goes */
	__u64 registers; /* where the exact frame's are, by regs_at or signal_at */
	__u32 in_signal; /* the exact frame was interrupted by a signal */
	__u32 pad;
	__u64 window[WALK_WINDOW / 8];
	struct event_sample sample;
	__u64 frames[WALK_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} walks SEC(".maps");

/* Sizes are set before loading: as much as the target needs, and room. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct row_chunk);
} rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rule_exc);
} excs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct space_maps);
} spaces SEC(".maps");

/* tgid -> slot in 'spaces' */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u32);
} space_of SEC(".maps");

/* Reads the word at an address of the user's stack, through the window. */
static __always_inline int walk_read(struct walk *w, __u64 at, __u64 *ret)
{
	__u64 offset = at - w->window_at;
	__u64 size;

	if (at & 7)
		return bpf_probe_read_user(ret, 8, (void *)at);
	if (offset < w->window_size) {
		*ret = w->window[(offset >> 3) & (WALK_WINDOW / 8 - 1)];
		return 0;
	}
	size = w->refills++ ? WALK_REFILL : WALK_WINDOW;
	if (bpf_probe_read_user(w->window, size, (void *)at)) {
		/* up to the end of the page: what follows may not be there */
		size = ((4096 - (at & 4095) - 1) & 4095) + 1;
		if (bpf_probe_read_user(w->window, size, (void *)at))
			return -1;
	}
	w->window_at = at;
	w->window_size = size;
	*ret = w->window[0];
	return 0;
}

/* The row that holds at an ELF address of a map's image. */
static __always_inline __u32 find_rule(const struct space_map *m, __u64 address)
{
	__u32 page = (__u32)(address >> ROW_PAGE_SHIFT) - m->first_page;
	__u32 word, chunk, n, base;
	struct row_chunk *c;
	__u64 key;

	if (page >= m->nr_pages)
		return RULE_NONE;
	word = m->directory + 2 * page;
	chunk = word / ROW_CHUNK;
	c = bpf_map_lookup_elem(&rows, &chunk);
	if (!c)
		return RULE_NONE;
	base = c->words[word & (ROW_CHUNK - 1)];
	n = c->words[(word + 1) & (ROW_CHUNK - 1)];
	if (base / ROW_CHUNK != chunk) {
		chunk = base / ROW_CHUNK;
		c = bpf_map_lookup_elem(&rows, &chunk);
		if (!c)
			return RULE_NONE;
	}
	/* the last row that is not behind the address; the page's first is at 0 */
	key = (address & 0xfff) << 20 | 0xfffff;
	base &= ROW_CHUNK - 1;
#pragma clang loop unroll(disable)
	for (int i = 0; i < 11; i++) {
		__u32 half = n >> 1;
		__s64 behind;

		if (n <= 1)
			break;
		behind = (__s64)(key - c->words[(base + half) & (ROW_CHUNK - 1)]) >> 63;
		/* without a branch, which clang would rather have */
		asm volatile("" : "+r"(behind));
		base += half & ~(__u32)behind;
		n -= half;
	}
	return c->words[base & (ROW_CHUNK - 1)] & 0xfffff;
}

/* The map that holds pc, tried first where the last one was; NULL if none. */
static __always_inline const struct space_map *find_map(struct walk *w,
							const struct space_maps *s, __u64 pc)
{
	const struct space_map *m = &s->maps[w->map & (SPACE_MAPS - 1)];
	__u32 low = 0, n = s->count;

	if (pc - m->start < m->end - m->start)
		return m;
#pragma clang loop unroll(disable)
	for (int i = 0; i < 10; i++) {
		__u32 half = n >> 1;

		if (n <= 1)
			break;
		if (s->maps[(low + half) & (SPACE_MAPS - 1)].start <= pc)
			low += half;
		n -= half;
	}
	w->map = low;
	m = &s->maps[low & (SPACE_MAPS - 1)];
	return pc - m->start < m->end - m->start ? m : NULL;
}

static __always_inline __u32 rule_at(struct walk *w, const struct space_maps *s, __u64 pc,
				     __u32 *ret_mapped)
{
	struct walk_cached *c = &w->cache[(pc ^ pc >> 12) & (WALK_CACHE - 1)];
	__u64 key = pc ^ (__u64)s->generation << 48;
	const struct space_map *m;

	if (c->key == key) {
		*ret_mapped = c->mapped;
		return c->rule;
	}
	m = find_map(w, s, pc);
	c->rule = m && m->nr_pages ? find_rule(m, pc - m->bias) : RULE_NONE;
	if (RULE_TYPE(c->rule) == RULE_EXC)
		c->rule += m->first_exc;
	c->mapped = *ret_mapped = m != NULL;
	c->key = key;
	return c->rule;
}

/* The return slot at `slot` holds the kernel's trampoline: where does that call
 * really return to?  0: no hook is known for it. */
__noinline __u64 walk_true_return(struct walk *w, __u64 slot)
{
	if (!w)
		return 0;
	for (int i = 0; i < 64; i++) {
		struct return_instance *r = (void *)w->hooks;
		__u64 to;

		if (!r || BPF_CORE_READ(r, stack) > slot)
			break;
		to = BPF_CORE_READ(r, orig_ret_vaddr);
		w->hooks = (__u64)BPF_CORE_READ(r, next);
		/* a call reached by a jump from a hooked one returns to the trampoline too */
		if (BPF_CORE_READ(r, stack) == slot && to - w->trampoline >= 4096)
			return to;
	}
	/* caught while the kernel was hooking it: not in its list yet */
	return w->newest_slot == slot ? w->newest_ra : 0;
}

/* In the return trampoline (arch/x86/kernel/uprobes.c, uretprobe_trampoline):
 * push rax, rcx, r11; the system call; pop r11, rcx; ret.  rax is pushed where
 * the return address was, and the system call puts that back there at its end. */
__noinline int walk_leave_trampoline(struct walk *w)
{
	struct return_instance *r;
	__u64 slot, to, offset;

	if (!w)
		return 0;
	r = (void *)w->hooks;
	offset = w->pc - w->trampoline;
	slot = w->sp + (offset <= 13 ? 16 : offset <= 15 ? 8 : 0);
	w->exact = 0;
	/* not handled yet: sp has moved by none to three words */
	if (r && BPF_CORE_READ(r, stack) - (w->sp - 8) <= 24) {
		slot = BPF_CORE_READ(r, stack);
		to = walk_true_return(w, slot);
	} else if (offset <= 13 && slot == w->ended_slot &&
		   w->ended_ra - w->trampoline >= 4096) {
		to = w->ended_ra; /* handled, and not put back yet */
	} else if (bpf_probe_read_user(&to, sizeof(to), (void *)slot)) {
		return 0;
	}
	w->pc = to;
	w->sp = slot + 8;
	return 0;
}

/* A frame of the kernel's making around a signal handler: the registers of what
 * was interrupted lie in a ucontext (x86-64 rt_sigframe, asm/sigcontext.h). */
static __always_inline int step_signal(struct walk *w)
{
	__u64 bp, sp, pc;

	w->registers = w->sp + RULE_SIGNAL_R8;
	w->in_signal = 1;
	if (bpf_probe_read_user(&bp, 8, (void *)(w->sp + RULE_SIGNAL_RBP)) ||
	    bpf_probe_read_user(&sp, 8, (void *)(w->sp + RULE_SIGNAL_RSP)) ||
	    bpf_probe_read_user(&pc, 8, (void *)(w->sp + RULE_SIGNAL_RIP)))
		return STACK_UNREADABLE;
	w->bp = bp;
	w->sp = sp;
	w->pc = pc;
	w->exact = 1;
	if (pc - w->trampoline < UPROBE_SLOT)
		walk_leave_trampoline(w);
	return WALK_ON;
}

/* Where struct pt_regs and a signal frame (from its R8 on) keep registers, by their
 * DWARF number. */
const __u8 regs_at[16] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0 };
const __u8 signal_at[16] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7 };

/* Other registers than SP, RBP and pc are known only where the thread is or was
 * interrupted: there a function may keep its CFA in any (R10 while a stack is
 * being realigned). */
static __noinline int walk_register(struct walk *w, __u32 reg, __u64 *ret)
{
	void *from;

	if (!w || !ret || !w->exact)
		return STACK_UNSUPPORTED;
	reg &= 15;
	if (w->in_signal) {
		from = (void *)(w->registers + 8 * signal_at[reg]);
		return bpf_probe_read_user(ret, 8, from) ? STACK_UNREADABLE : WALK_ON;
	}
	w->registers = bpf_task_pt_regs(bpf_get_current_task_btf());
	barrier(); /* read back it is a number, to which an offset may be added */
	from = (void *)(w->registers + 8 * regs_at[reg]);
	return bpf_probe_read_kernel(ret, 8, from) ? STACK_UNREADABLE : WALK_ON;
}

static __always_inline int step_exc(struct walk *w, __u32 index, __u64 *ret_cfa, __u64 *ret_bp,
				    __u64 *ret_slot)
{
	const struct rule_exc *e = bpf_map_lookup_elem(&excs, &index);
	__u64 cfa = 0;
	int end;

	if (!e)
		return STACK_UNSUPPORTED;
	if (e->cfa_reg == RULE_REG_RSP)
		cfa = w->sp;
	else if (e->cfa_reg == RULE_REG_RBP)
		cfa = w->bp;
	else if ((end = walk_register(w, e->cfa_reg, &cfa)) != WALK_ON)
		return end;
	cfa += e->cfa_off;
	if (e->cfa_deref) {
		if (bpf_probe_read_user(&cfa, 8, (void *)cfa))
			return STACK_UNREADABLE;
		cfa += e->cfa_off2;
	}
	if (e->rbp_kind == RULE_RBP_AT_CFA || e->rbp_kind == RULE_RBP_AT_RBP) {
		__u64 at = (e->rbp_kind == RULE_RBP_AT_CFA ? cfa : w->bp) + e->rbp_off;

		if (bpf_probe_read_user(ret_bp, 8, (void *)at))
			return STACK_UNREADABLE;
	} else if (e->rbp_kind == RULE_RBP_UNDEFINED) {
		*ret_bp = 0;
	}
	*ret_cfa = cfa;
	*ret_slot = cfa + e->ra_off;
	return WALK_ON;
}

/* Without rows: the frame pointer, if it looks like one. */
static __always_inline int step_fp(struct walk *w, __u32 mapped, __u64 *ret_cfa, __u64 *ret_bp,
				   __u64 *ret_slot)
{
	__u64 bp = w->bp;

	if (!bp && mapped && !w->exact)
		return STACK_WHOLE; /* the chain's end */
	if (bp < w->sp || bp - w->sp > WALK_FP_REACH || bp & 7)
		return mapped ? STACK_NO_RULE : STACK_NO_MAP;
	if (walk_read(w, bp, ret_bp))
		return STACK_UNREADABLE;
	*ret_cfa = bp + 16;
	*ret_slot = bp + 8;
	return WALK_ON;
}

static __always_inline int step_rule(struct walk *w, __u32 rule, __u64 *ret_cfa, __u64 *ret_bp,
				     __u64 *ret_slot)
{
	__u64 cfa = (RULE_TYPE(rule) == RULE_SP ? w->sp : w->bp) + 8 * RULE_VALUE(rule);
	__u32 k = RULE_SLOT(rule);

	if (k && walk_read(w, cfa - 8 * (k + 1), ret_bp))
		return STACK_UNREADABLE;
	*ret_cfa = cfa;
	*ret_slot = cfa - 8;
	return WALK_ON;
}

/* Readers take the first user frame as it is and look up one byte before all
 * others, which are return addresses: what is not so is moved by that byte. */
static __always_inline void walk_note(struct walk *w)
{
	bool first = w->at == w->sample.nr_kernel;

	w->frames[w->at] = first ? w->pc - !w->exact : w->pc + w->exact;
	w->at++;
}

/* To the caller: WALK_ON, or an enum stack_end. */
__noinline int walk_step(struct walk *w)
{
	__u64 cfa = 0, bp, slot = 0, to;
	const struct space_maps *s;
	__u32 rule, mapped = 0;
	int end;

	if (!w)
		return STACK_UNSUPPORTED;
	s = bpf_map_lookup_elem(&spaces, &w->space);
	if (!s)
		return STACK_NO_MAP;
	bp = w->bp;
	rule = rule_at(w, s, w->pc - !w->exact, &mapped);
	if (w->at >= WALK_FRAMES)
		return STACK_TRUNCATED;
	walk_note(w);
	switch (RULE_TYPE(rule)) {
	case RULE_SP:
	case RULE_FP:
		end = step_rule(w, rule, &cfa, &bp, &slot);
		break;
	case RULE_EXC:
		end = step_exc(w, RULE_INDEX(rule), &cfa, &bp, &slot);
		break;
	case RULE_SPECIAL:
		if (RULE_VALUE(rule) == RULE_END)
			return STACK_WHOLE;
		if (RULE_VALUE(rule) == RULE_SIGNAL)
			return step_signal(w);
		cfa = w->sp + 8 +
		      ((w->pc & 15) >= (RULE_VALUE(rule) == RULE_PLT10 ? 10 : 11) ? 8 : 0);
		slot = cfa - 8;
		end = WALK_ON;
		break;
	default:
		end = step_fp(w, mapped, &cfa, &bp, &slot);
	}
	if (end != WALK_ON)
		return end;
	if (walk_read(w, slot, &to))
		return STACK_UNREADABLE;
	if (to && to - w->trampoline < 4096) {
		to = walk_true_return(w, slot);
		if (!to)
			return STACK_UNSUPPORTED;
	}
	if (!to)
		return STACK_WHOLE;
	if (cfa <= w->sp)
		return STACK_UNSUPPORTED;
	w->sp = cfa;
	w->bp = bp;
	w->pc = to;
	w->exact = 0;
	return WALK_ON;
}

/* A thread caught in the kernel's own page for probes: back to where it is in
 * the program. */
static __always_inline void leave_page(struct walk *w, struct task_struct *task)
{
	__u64 offset = w->pc - w->trampoline;
	struct uprobe_task *utask = task->utask;

	if (!utask || !w->trampoline || offset >= 4096)
		return;
	if (offset < UPROBE_SLOT)
		walk_leave_trampoline(w);
	else
		w->pc = BPF_CORE_READ(utask, vaddr); /* an instruction is stepped there */
}

/* pc, sp and bp are the thread's user registers. */
static __always_inline void walk_begin(struct walk *w, struct task_struct *task, __u32 space)
{
	struct xol_area *area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);
	struct uprobe_task *utask = task->utask;

	w->space = space;
	w->map = 0;
	w->exact = 1;
	w->in_signal = 0;
	w->refills = 0;
	w->window_size = 0;
	w->trampoline = area ? BPF_CORE_READ(area, vaddr) : 0;
	w->hooks = utask ? (__u64)utask->return_instances : 0;
	leave_page(w, task);
}

#endif
