/*
 * unwind_rows - the state of a walk, the stack seen through its window, and the
 * rule that holds at a pc.
 */
#ifndef SONDE_BPF_UNWIND_ROWS_BPF_H
#define SONDE_BPF_UNWIND_ROWS_BPF_H

#include "bpf/maps.bpf.h"
#include "wire/rule.h"
#include "wire/textmap.h"

#define WALK_CACHE 1024		/* pcs remembered on a CPU */
#define WALK_WINDOW 4096	/* bytes of stack held at once */
#define WALK_REFILL 1024	/* read at a time after the first */
#define WALK_FP_REACH (1 << 20) /* a frame pointer farther up is none */
#define WALK_ON (-1)
#define WALK_WANTS (-2) /* what lies at w->wants has to be read first: from outside */
#define FOREIGN_NEST 16 /* foreign calls that are told of */
#define BRACKET_NEST 8	/* bracketed calls that are looked for */
#define CALL_NEST 8	/* open calls whose place in the stack is told */
#define UPROBE_SLOT 128 /* bytes of the page for one instruction; the first: the trampoline */
#define WALK_FRAMES (SAMPLE_MAX_KERNEL + SAMPLE_MAX_USER + 1)

struct walk_cached {
	__u64 key; /* pc and generation of the space */
	__u32 rule;
	__u32 mapped;
};

/* Programs that walk, each with a state of its own: a tick may interrupt the other. */
enum walker { WALKER_TICK, WALKER_ROUND, WALKER_WAKE, NR_WALKER };

/* An open call: where its return address lies, and FRAME_CALL of its entry. */
struct walk_call {
	__u64 slot, frame;
};

/* One walk's state. */
struct walk {
	struct walk_cached cache[WALK_CACHE];
	__u64 pc, sp, bp;
	__u64 from; /* sp where it began; 0: nowhere */
	__u64 window_at;
	__u64 wants;
	__u64 hooks;		/* struct return_instance: pending hooks not met yet */
	__u64 trampoline;	/* user address of the kernel's [uprobes] page, 0 = none */
	__u64 site_pc, site_sp; /* where the last probe met the thread; 0: none */
	__u64 newest_slot, newest_ra; /* of the innermost open span; slot 0: not hooked */
	__u64 ended_slot, ended_ra;   /* of the last that ended at this depth; 0: none */
	__u32 window_size;
	__u32 refills;
	__u32 exact;	  /* pc is where the thread is or was interrupted, no return address */
	__u32 injected;	  /* the call that is being left was put there by a signal handler */
	__u32 map;	  /* index of the map that was used last */
	__u32 space;	  /* slot in 'spaces' */
	__u32 at;	  /* where in frames the next one goes */
	__u64 registers;  /* where the exact frame's are, by regs_at or signal_at */
	__u32 in_signal;  /* the exact frame was interrupted by a signal */
	__u32 outside;	  /* another thread is walked: only what is in the window can be read */
	__u32 nr_foreign; /* foreign calls that were passed */
	__u32 pid;	  /* whose foreign calls to look for; 0: none */
	__u32 nr_bracket; /* bracketed calls to look for */
	__u32 just_met;	  /* so shortly ago that a tick may have waited for the way out */
	__u32 passed;	  /* bits: which of them were passed */
	__u32 nr_call;	  /* of calls */
	__u64 call_slot;  /* the least of their slots */
	__u64 foreign[FOREIGN_NEST]; /* their slots, innermost first */
	__u64 bracket[BRACKET_NEST]; /* slots, innermost first */
	__u64 bracket_ra[BRACKET_NEST];
	struct walk_call calls[CALL_NEST]; /* innermost first */
	__u64 window[WALK_WINDOW / 8];
	struct event_sample sample;
	__u64 frames[WALK_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_WALKER);
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

/* The window does not reach there: it will, if that can be read. */
static __always_inline int walk_want(struct walk *w, __u64 at)
{
	w->wants = at;
	return -1;
}

/* Reads a word of the user's memory, not through the window if there is another way. */
static __always_inline int walk_fetch(struct walk *w, __u64 at, __u64 *ret)
{
	__u64 offset = at - w->window_at;

	if (!w->outside)
		return bpf_probe_read_user(ret, 8, (void *)at);
	if (w->window_size < 8 || offset > w->window_size - 8)
		return walk_want(w, at);
	return bpf_probe_read_kernel(ret, 8, (char *)w->window + (offset & (WALK_WINDOW - 1)));
}

/* Reads the word at an address of the user's stack, through the window. */
static __always_inline int walk_read(struct walk *w, __u64 at, __u64 *ret)
{
	__u64 offset = at - w->window_at;
	__u64 size;

	if (at & 7)
		return walk_fetch(w, at, ret);
	if (offset < w->window_size) {
		*ret = w->window[(offset >> 3) & (WALK_WINDOW / 8 - 1)];
		return 0;
	}
	if (w->outside)
		return walk_want(w, at);
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

/* The part of a process' maps in which pc is, if it is in any. */
static __always_inline const struct space_maps *part_at(const struct space_maps *s, __u64 pc)
{
#pragma clang loop unroll(disable)
	for (int i = 1; i < SPACE_PARTS; i++) {
		const struct space_maps *next;
		__u32 slot = s->next - 1;

		if (!s->next || pc < s->next_start)
			break;
		next = bpf_map_lookup_elem(&spaces, &slot);
		if (!next)
			break;
		s = next;
	}
	return s;
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
	m = find_map(w, part_at(s, pc), pc);
	c->rule = m && m->nr_pages ? find_rule(m, pc - m->bias) : RULE_NONE;
	if (RULE_TYPE(c->rule) == RULE_EXC)
		c->rule += m->first_exc;
	c->mapped = *ret_mapped = m != NULL;
	c->key = key;
	return c->rule;
}

#endif
