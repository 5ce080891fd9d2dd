/*
 * kernel - the few kernel types the programs touch.
 *
 * Written by hand after the kernel's own names; field offsets are relocated at
 * load time (CO-RE), so only the names matter and no BTF is needed to build.
 */
#ifndef SONDE_BPF_KERNEL_H
#define SONDE_BPF_KERNEL_H

#include <linux/types.h>
#include <stdbool.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct rlimit {
	unsigned long rlim_cur;
};

struct signal_struct {
	atomic_t live; /* threads that have not begun to exit */
	struct rlimit rlim[16];
};

struct xol_area {
	unsigned long vaddr; /* user address of the [uprobes] page */
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct uprobes_state {
	struct xol_area *xol_area;
	struct hlist_head head_tramps; /* Linux 6.18: of probes on five-byte nops */
};

struct mm_struct {
	unsigned long exec_vm; /* pages that are mapped to be executed, not written */
	unsigned long start_stack;
	struct uprobes_state uprobes_state;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
};

/* A return hook that is pending: whose frame, and where it really returns to. */
struct return_instance {
	struct return_instance *next;
	unsigned long stack;	      /* user address of the return slot */
	unsigned long orig_ret_vaddr; /* what the slot held */
};

struct uprobe_task {
	unsigned int depth; /* pending return hooks of this thread, of all tracers */
	struct return_instance *return_instances; /* innermost first */
	unsigned long vaddr; /* while an instruction is stepped out of line: its own place */
};

struct sched_info {
	unsigned long long run_delay;	 /* nanoseconds it was runnable without a CPU */
	unsigned long long last_arrival; /* when it got a CPU, by that CPU's clock, */
	unsigned long long last_queued;	 /* and when it began to wait for one */
};

struct thread_info {
	unsigned int cpu;
};

struct thread_struct {
	unsigned long fsbase; /* x86: where a thread's TCB lies */
};

struct upid {
	int nr; /* as a pid namespace knows it */
};

struct pid {
	unsigned int level; /* of the namespace it belongs to; the first has 0 */
	struct upid numbers[1];
};

struct task_struct {
	int pid;
	int tgid;
	char comm[16];
	struct mm_struct *mm;
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct uprobe_task *utask;
	unsigned long sas_ss_sp;
	unsigned long sas_ss_size;
	struct thread_struct thread;
	unsigned int __state;
	unsigned int flags;
	int exit_state;
	int on_cpu;
	unsigned long nvcsw, nivcsw; /* switches, by itself and not */
	struct sched_info sched_info;
	struct thread_info thread_info;
};

struct bpf_iter_meta {
	__u64 session_id;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
