#include "cmd/finding.h"

#include "proc/access.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void find(struct finding_list *l, struct finding f)
{
	if (f.good)
		f.fix[0] = 0;
	array_push(l, f);
}

/* What only a BPF program can tell is not known when none loads. */
static void find_by_bpf(struct finding_list *l, const struct kernel_support *k,
			struct finding f)
{
	if (!k->load_bpf)
		snprintf(f.fix, sizeof(f.fix), "not known before BPF programs load");
	find(l, f);
}

void finding_kernel(struct finding_list *l, const struct kernel_support *k)
{
	struct finding load = { "load_bpf", "BPF programs load", k->load_bpf, true, "" };
	struct finding clock = { "cpu_clock", "CPUs can be sampled", k->cpu_clock, true, "" };

	snprintf(
		load.fix, sizeof(load.fix),
		k->load_errno == EPERM
			? "the kernel refuses (%s): run sonde with sudo, or with CAP_BPF and "
			  "CAP_PERFMON; in a container, add them there"
			: "the kernel refuses (%s): is bpf(2) built in, and allowed by seccomp?",
		strerror(k->load_errno));
	snprintf(clock.fix, sizeof(clock.fix),
		 "the kernel refuses (%s): run sonde with sudo or CAP_PERFMON "
		 "(kernel.perf_event_paranoid is %d)",
		 strerror(k->cpu_clock_errno), k->perf_event_paranoid);
	find(l, load);
	find(l, (struct finding){ "btf", "kernel types (BTF)", k->btf, true,
				  "the kernel was built without CONFIG_DEBUG_INFO_BTF; install "
				  "one that has /sys/kernel/btf/vmlinux" });
	find(l, clock);
	find_by_bpf(l, k,
		    (struct finding){ "ring_buffer", "BPF ring buffer", k->ring_buffer, true,
				      "needs Linux 5.8" });
	find_by_bpf(l, k,
		    (struct finding){ "task_storage", "BPF task storage", k->task_storage, true,
				      "needs Linux 5.11" });
	find_by_bpf(l, k,
		    (struct finding){ "uprobe_session", "entry and return in one link",
				      k->uprobe_session, false,
				      "needs Linux 6.13; entry and return get a link each" });
	find_by_bpf(l, k,
		    (struct finding){
			    "uprobe_multi", "many functions in one link", k->uprobe_multi,
			    false,
			    "needs Linux 6.6; few functions are watched by perf events" });
	find(l, (struct finding){ "perf_uprobe", "single uprobes by perf", k->perf_uprobe,
				  !k->uprobe_multi,
				  "the kernel was built without CONFIG_UPROBE_EVENTS" });
	find_by_bpf(l, k,
		    (struct finding){ "waits", "waiting threads can be seen", k->waits, false,
				      "needs Linux 5.18; there is -e cpu, no offcpu or wall" });
	find_by_bpf(l, k,
		    (struct finding){ "arena", "BPF arena", k->arena, false,
				      "needs Linux 6.9; not used yet" });
	find(l,
	     (struct finding){ "hardware", "hardware counters", k->hardware, false,
			       "none here, as in most virtual machines; sampling goes by the "
			       "CPU clock" });
}

void finding_rights(struct finding_list *l, const struct kernel_support *k)
{
	static const char *const keys[NR_NEED] = { "cap_bpf", "cap_perfmon", "cap_sys_ptrace",
						   "cap_dac_read_search", "cap_syslog" };
	uint64_t effective = access_effective();

	for (int i = 0; i < NR_NEED; i++) {
		struct finding f = { keys[i], access_rules[i].name, access_has(effective, i),
				     i == NEED_BPF || i == NEED_SAMPLES, "" };

		snprintf(f.fix, sizeof(f.fix), "to %s", access_rules[i].what);
		find(l, f);
	}
	find(l, (struct finding){
			"kptr_restrict", "kernel addresses are shown",
			k->kptr_restrict < 2 &&
				(k->kptr_restrict == 0 || access_has(effective, NEED_KERNEL)),
			false,
			"for names of kernel functions: sudo sysctl kernel.kptr_restrict=0" });
}
