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
		return error_set(
			err, EPERM,
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
	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = tick_open(NSEC_PER_SEC / hz, cpu, program);

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

#define COST_PERIOD \
	1000000 /* ns between two ticks while they are measured: nearer ones take more */
#define COST_NSEC (8 * NSEC_PER_MSEC)
#define COST_TRIES 3
#define COST_LEAST_TICKS 5
#define COST_MOST (100 * NSEC_PER_USEC) /* more is no interrupt */
#define COST_TICKS 64
#define COST_LEAST 500 /* ns: a shorter gap is no interrupt */

static int by_nsec(const void *a, const void *b)
{
	nsec x = *(const nsec *)a, y = *(const nsec *)b;

	return x < y ? -1 : x > y;
}

/* Looks at the clock without pause: a tick shows as a gap. */
static uint32_t usual_gap(void)
{
	nsec gaps[COST_TICKS], begin = clock_now(), last = begin, now;
	unsigned n = 0;

	while ((now = clock_now()) - begin < COST_NSEC) {
		if (now - last > COST_LEAST && n < COST_TICKS)
			gaps[n++] = now - last;
		last = now;
	}
	qsort(gaps, n, sizeof(*gaps), by_nsec);
	return n >= COST_LEAST_TICKS ? gaps[n / 4] : 0;
}

uint32_t ticker_cost(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = COST_PERIOD,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint32_t cost = 0;

	if (fd < 0)
		return 0;
	for (unsigned i = 0; i < COST_TRIES; i++) {
		uint32_t gap = usual_gap();

		/* on a busy CPU most gaps are other programs: the least is a tick */
		if (gap && (!cost || gap < cost))
			cost = gap;
	}
	close(fd);
	return cost < COST_MOST ? cost : COST_MOST;
}

void ticker_close(struct ticker *t)
{
	for (uint32_t i = 0; i < t->events.count; i++)
		close(t->events.at[i]);
	array_done(&t->events);
}
