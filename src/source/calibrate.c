#include "source/calibrate.h"

#include "base/mem.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* enum bpf_attach_type and bpf_map_type of newer kernels than the header's */
#define MAP_ARENA 33
#define COPY_FROM_USER_TASK 191 /* enum bpf_func_id, Linux 5.18 */

/* union bpf_attr.link_create with uprobe_multi (include/uapi/linux/bpf.h). */
struct multi_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_counters, cookies;
	uint32_t count, multi_flags, pid;
};

/* r0 = 0; exit */
static int load_empty(unsigned type, unsigned attach_type)
{
	const struct bpf_insn empty[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = attach_type);
	int fd = bpf_prog_load(type, "sonde_try", "GPL", empty, 2, &options);

	return fd < 0 ? -errno : fd;
}

/* A link on a directory: a kernel that knows such links says EBADF, one that
 * does not EINVAL.  Nothing is attached. */
static bool try_link(unsigned attach_type)
{
	uint64_t offset = 0;
	AUTO_CLOSE int program = load_empty(BPF_PROG_TYPE_KPROBE, attach_type);
	struct multi_attr attr = {
		.prog_fd = program,
		.attach_type = attach_type,
		.path = (uintptr_t) "/",
		.offsets = (uintptr_t)&offset,
		.count = 1,
	};
	int fd;

	if (program < 0)
		return false;
	/* without the padding at the end: its bytes must be zero or absent */
	fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr,
		     offsetof(struct multi_attr, pid) + sizeof(attr.pid));
	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EBADF;
}

static bool try_map(unsigned type, unsigned flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flags);
	int fd =
		bpf_map_create(type, "sonde_try", 0, 0, type == MAP_ARENA ? 1 : 4096, &options);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static int perf_open(uint32_t type, uint64_t config, bool system_wide)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.sample_period = 100000000,
		.exclude_kernel = !system_wide,
	};
	int fd = syscall(SYS_perf_event_open, &attr, system_wide ? -1 : 0, system_wide ? 0 : -1,
			 -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Opening them is not enough: some virtual machines have counters that stand. */
static bool try_hardware(void)
{
	AUTO_CLOSE int fd = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false);
	uint64_t count = 0;

	if (fd < 0)
		return false;
	for (volatile int i = 0; i < 10000; i++)
		;
	return read(fd, &count, sizeof(count)) == sizeof(count) && count > 0;
}

static int read_setting(const char *path)
{
	FILE *f = fopen(path, "re");
	int value = -2;

	if (!f)
		return value;
	if (fscanf(f, "%d", &value) != 1)
		value = -2;
	fclose(f);
	return value;
}

/* A task iterator that may sleep, and reads another thread's memory. */
static bool try_waits(void)
{
	const struct bpf_insn look[] = {
		/* the task, if there is one */
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 6, .src_reg = 1, .off = 8 },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 6, .off = 7 },
		/* bpf_copy_from_user_task(stack, 8, 0, task, 0) */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 4, .src_reg = 6 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 5 },
		{ .code = BPF_JMP | BPF_CALL, .imm = COPY_FROM_USER_TASK },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int type = libbpf_find_vmlinux_btf_id("task", BPF_TRACE_ITER);
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_ITER,
		    .attach_btf_id = type > 0 ? type : 0, .prog_flags = BPF_F_SLEEPABLE);
	int fd = type > 0 ? bpf_prog_load(BPF_PROG_TYPE_TRACING, "sonde_try", "GPL", look,
					  COUNT_OF(look), &options)
			  : -1;

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void try_programs(struct kernel_support *s)
{
	int fd = load_empty(BPF_PROG_TYPE_KPROBE, 0);

	if (fd < 0) {
		s->load_errno = -fd;
		return;
	}
	close(fd);
	s->load_bpf = true;
	s->uprobe_multi = try_link(attach_program_type(ATTACH_MULTI));
	s->uprobe_session = try_link(attach_program_type(ATTACH_SESSION));
	s->ring_buffer = try_map(BPF_MAP_TYPE_RINGBUF, 0);
	s->task_storage = libbpf_probe_bpf_map_type(BPF_MAP_TYPE_TASK_STORAGE, NULL) == 1;
	s->waits = try_waits();
	s->arena = try_map(MAP_ARENA, BPF_F_MMAPABLE);
}

static int no_print(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

enum attach_kind kernel_attach_kind(void)
{
	libbpf_print_fn_t print = libbpf_set_print(no_print);
	enum attach_kind kind = try_link(attach_program_type(ATTACH_SESSION)) ? ATTACH_SESSION
				: try_link(attach_program_type(ATTACH_MULTI)) ? ATTACH_MULTI
									      : ATTACH_PERF;

	libbpf_set_print(print);
	return kind;
}

int kernel_support_probe(struct kernel_support *ret)
{
	struct kernel_support s = { .load_errno = 0 };
	struct utsname uts = { 0 };
	libbpf_print_fn_t print = libbpf_set_print(no_print);
	int fd;

	uname(&uts);
	snprintf(s.release, sizeof(s.release), "%s", uts.release);
	s.btf = !access("/sys/kernel/btf/vmlinux", R_OK);
	s.perf_uprobe = !access("/sys/bus/event_source/devices/uprobe/type", R_OK);
	try_programs(&s);
	fd = perf_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true);
	s.cpu_clock = fd >= 0;
	s.cpu_clock_errno = fd < 0 ? -fd : 0;
	if (fd >= 0)
		close(fd);
	s.hardware = try_hardware();
	s.perf_event_paranoid = read_setting("/proc/sys/kernel/perf_event_paranoid");
	s.kptr_restrict = read_setting("/proc/sys/kernel/kptr_restrict");
	s.max_sample_rate = read_setting("/proc/sys/kernel/perf_event_max_sample_rate");
	libbpf_set_print(print);
	*ret = s;
	return s.load_bpf ? 0 : -s.load_errno;
}
