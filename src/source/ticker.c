#include "source/ticker.h"

#include "source/pulse.h"

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

/* ns between two ticks while they are measured: nearer ones take more, and what keeps step
 * with the kernel's own ticks cannot be told from these */
#define COST_PERIOD 1130000
#define COST_NSEC (24 * NSEC_PER_MSEC)
#define COST_TRIES 4  /* on a busy CPU this thread sees few of them */
#define COST_TICKS 10 /* of 21 in that time */
#define COST_LEAST_TICKS 4
#define COST_MOST (100 * NSEC_PER_USEC) /* more is no interrupt */
#define COST_GAPS 256
#define COST_LEAST 500 /* ns: a shorter gap is no interrupt */

struct gaps {
	struct gap at[COST_GAPS];
	unsigned count;
};

/* Looks at the clock without pause: a tick shows as a gap. */
static void look(struct gaps *g)
{
	nsec begin = clock_now(), last = begin, now;

	while ((now = clock_now()) - begin < COST_NSEC) {
		if (now - last > COST_LEAST && g->count < COST_GAPS)
			g->at[g->count++] = (struct gap){ last, now - last };
		last = now;
	}
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
	struct gaps gaps = { .count = 0 };
	nsec cost = 0;

	if (fd < 0)
		return 0;
	for (unsigned i = 0; i < COST_TRIES && !cost; i++) {
		look(&gaps);
		cost = pulse_usual(gaps.at, gaps.count, COST_PERIOD,
				   i + 1 < COST_TRIES ? COST_TICKS : COST_LEAST_TICKS);
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
