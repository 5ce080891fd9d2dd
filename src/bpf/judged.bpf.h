/*
 * judged - in which processes the return of a call may be hooked.
 *
 * User space looks at what a process maps, and whether a hook could harm it; here
 * is seen whether it maps the same still.  The size of its executable mappings tells:
 * it grows with every library and shrinks when one goes, before any code of it runs.
 * A library that takes the place of one of the same size is told by the loader
 * (SITE_LOADER).
 */
#ifndef SONDE_BPF_JUDGED_BPF_H
#define SONDE_BPF_JUDGED_BPF_H

#include "bpf/maps.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct judged);
} judged SEC(".maps");

__u32 asks; /* how often a process had to be looked at again */

#define MAX_TRAMPOLINES 16

/* Pages of the kernel's own, for probes that stand on five-byte nops. */
static __noinline __u64 trampoline_pages(struct mm_struct *mm)
{
	struct hlist_node *node;
	__u64 pages = 0;

	if (!mm || !bpf_core_field_exists(mm->uprobes_state.head_tramps))
		return 0;
	node = mm->uprobes_state.head_tramps.first;
	for (int i = 0; node && i < MAX_TRAMPOLINES; i++) {
		pages++;
		node = BPF_CORE_READ(node, next);
	}
	return pages;
}

static __noinline bool ask(struct judged *j, __u64 pages)
{
	if (j && j->asked != pages) {
		j->asked = pages;
		__sync_fetch_and_add(&asks, 1);
	}
	return false;
}

/* Was all code judged that the process maps, and no harm found? */
static __always_inline bool is_judged(struct task_struct *task)
{
	__u32 pid = task->tgid;
	struct judged *j = bpf_map_lookup_elem(&judged, &pid);
	struct mm_struct *mm = task->mm;
	__u64 pages, own;

	if (!j || !mm)
		return false;
	pages = mm->exec_vm;
	own = mm->uprobes_state.xol_area != NULL;
	/* Its first hook or step maps the kernel's page for probes, and another thread
	 * may see that page before it is known to be the kernel's. */
	if (j->pages && (pages == j->pages + own || pages == j->pages + 1))
		return true;
	pages -= own + trampoline_pages(mm);
	return pages == j->pages || ask(j, pages);
}

/* A child maps what its parent maps. */
static __always_inline void judged_fork(__u32 parent, __u32 child)
{
	struct judged *j = bpf_map_lookup_elem(&judged, &parent), copy;

	if (!j)
		return;
	copy = *j;
	copy.asked = 0;
	bpf_map_update_elem(&judged, &child, &copy, BPF_ANY);
}

/* Nothing of what it maps now is known. */
static __always_inline void judged_change(__u32 pid)
{
	struct judged *j = bpf_map_lookup_elem(&judged, &pid);

	if (!j)
		return;
	count(&j->changes);
	j->pages = 0;
	j->asked = 0;
}

/* Notes what user space has found, unless the process has changed meanwhile. */
SEC("syscall")
int judge(struct judgement_made *made)
{
	__u32 pid = made->pid;
	struct judged *j = bpf_map_lookup_elem(&judged, &pid);

	if (!j || j->changes != made->changes)
		return 1;
	__sync_lock_test_and_set(&j->pages, made->pages); /* also a full barrier */
	if (j->changes == made->changes)
		return 0;
	j->pages = 0;
	return 1;
}

#endif
