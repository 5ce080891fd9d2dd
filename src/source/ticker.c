#include "source/ticker.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned ticker_limit(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned limit = 100000; /* the kernel's own default */

	if (!f)
		return limit;
	if (fscanf(f, "%u", &limit) != 1)
		limit = 100000;
	fclose(f);
	return limit;
}

static int tick_error(int code, struct error *err)
{
	if (code == EPERM || code == EACCES)
		return error_set(err, EPERM,
				 "not allowed to sample: run as root, or with CAP_PERFMON and CAP_BPF "
				 "(see sonde doctor)");
	return error_set(err, code, "cannot open the CPU clock: %s", strerror(code));
}

/* -ENODEV: that CPU is not online. */
static int tick_open(nsec period, int cpu, int program)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) < 0) {
		int code = -errno;

		close(fd);
		return code;
	}
	return fd;
}

int ticker_open(struct ticker *t, unsigned hz, int program, struct error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned limit = ticker_limit();

	if (!hz)
		return error_set(err, EINVAL, "0 samples a second are none: give -F 1 or more");
	if (hz > limit)
		return error_set(err, EINVAL,
				 "%u samples a second are more than this kernel allows (%u, "
				 "kernel.perf_event_max_sample_rate)",
				 hz, limit);
	t->period = NSEC_PER_SEC / hz;
	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = tick_open(t->period, cpu, program);

		if (fd == -ENODEV)
			continue;
		if (fd < 0) {
			ticker_close(t);
			return tick_error(-fd, err);
		}
		array_push(&t->events, fd);
	}
	return 0;
}

uint64_t ticker_due(const struct ticker *t)
{
	uint64_t sum = 0, clock_nsec;

	for (uint32_t i = 0; i < t->events.count; i++) {
		if (read(t->events.at[i], &clock_nsec, sizeof(clock_nsec)) == sizeof(clock_nsec))
			sum += clock_nsec / t->period;
	}
	return sum;
}

void ticker_close(struct ticker *t)
{
	for (uint32_t i = 0; i < t->events.count; i++)
		close(t->events.at[i]);
	array_done(&t->events);
}
