/*
 * span_bench - what a watched call costs, beside what the kernel alone takes.
 *
 *	span_bench [ROUNDS]
 *
 * In every round the same function is called unwatched, under an empty session
 * program (the floor: trap, emulation, return hook), under sonde's spans by return
 * hook and by a probe at its exit, and, where bpftrace is installed, under its two-probe
 * latency script.  Times are medians of many batches; ratios are taken inside a round and
 * their median is printed.  All calls of a round must have been timed.  Spans and bpftrace
 * are compared again on a function whose first instruction has to be single-stepped.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "proc/maps.h"
#include "source/judged.h"
#include "source/live.h"
#include "wire/control.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCHES 60
#define CALLS 2000
#define ROUNDS_MOST 15

/* Starts with a push, as two thirds of all functions do, and ends behind a jump that the
 * kernel emulates, as about as many do. */
__asm__(".text\n.globl bench_call\n.type bench_call,@function\n.p2align 4\n"
	"bench_call:\n\tpush %rbx\n\tlea 1(%rdi),%eax\n\tpop %rbx\n"
	"bench_call_end:\n\tjmp 1f\n1:\tret\n.size bench_call,.-bench_call\n");
int bench_call(int x);
extern const char bench_call_end[];

/* The same behind what the kernel has to single-step, as every function of a program
 * built with -fcf-protection begins: sonde's probe stands on the push. */
__asm__(".text\n.globl bench_cet\n.type bench_cet,@function\n.p2align 4\n"
	"bench_cet:\n\tendbr64\nbench_cet_push:\n\tpush %rbx\n\tlea 1(%rdi),%eax\n"
	"\tpop %rbx\n\tjmp 1f\n1:\tret\n.size bench_cet,.-bench_cet\n");
int bench_cet(int x);
extern const char bench_cet_push[];

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, int n)
{
	qsort(values, n, sizeof(*values), by_value);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Median nanoseconds a call. */
static double measure(int (*function)(int))
{
	double batch[BATCHES];
	volatile int x = 0;

	for (int i = 0; i < CALLS; i++)
		x = function(x);
	for (int b = 0; b < BATCHES; b++) {
		nsec t = clock_now();

		for (int i = 0; i < CALLS; i++)
			x = function(x);
		batch[b] = (double)(clock_now() - t) / CALLS;
	}
	return median(batch, BATCHES);
}

/* File offset of our own code: by its mapping. */
static uint64_t own_offset(const void *address)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset, at = (unsigned long)address;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    at >= start && at < end) {
			fclose(f);
			return at - start + offset;
		}
	}
	exit(1);
}

/* Adds up the calls whose durations were taken. */
static void count_timed(void *context, const struct event *e)
{
	uint64_t *timed = context;

	if (e->kind == EVENT_CALLS)
		*timed += ((const struct event_calls *)e)->ended[END_RETURN];
}

/* Whatever is mapped here may be hooked. */
static void tell_judged(struct source *live)
{
	struct judged looked = judged_look(source_judged(live), getpid());
	struct maps maps = { 0 };

	if (maps_read(getpid(), &maps, NULL) ||
	    !judged_tell(source_judged(live), getpid(), &looked, maps_code_pages(&maps))) {
		fprintf(stderr, "span_bench: its own code could not be judged\n");
		exit(1);
	}
	maps_done(&maps);
}

static int load_empty(void)
{
	struct bpf_insn body[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = 57);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "floor", "GPL", body, 2, &opts);
}

static double measure_floor(uint64_t offset)
{
	uint64_t cookie = 1;
	struct attach_programs programs = { load_empty(), -1, -1, -1 };
	struct attach_sites sites = { "/proc/self/exe", getpid(), &offset, &cookie, 1 };
	struct attach_links links = { 0 };
	struct error err;
	double v;

	if (programs.session < 0 ||
	    attach_add(&links, ATTACH_SESSION, &programs, &sites, &err)) {
		fprintf(stderr, "span_bench: no session here\n");
		exit(77);
	}
	v = measure(bench_call);
	attach_done(&links);
	close(programs.session);
	return v;
}

static double measure_sites(int (*function)(int), const struct attach_sites *sites)
{
	struct source_option option = {
		.hz = 99, .running = true, .user = true, .kernel = true, .probes = 1
	};
	struct error err;
	struct source *live;
	uint64_t timed = 0;
	double v;

	if (live_open(&option, count_timed, &timed, &live, &err) ||
	    source_add_process(live, getpid(), &err) || source_watch(live, sites, &err) ||
	    source_start(live, &err)) {
		fprintf(stderr, "span_bench: %s\n", err.text);
		exit(1);
	}
	tell_judged(live);
	v = measure(function);
	source_stop(live, ENDED_BY_TIME, 0);
	source_close(live);
	if (timed != (BATCHES + 1) * CALLS) {
		fprintf(stderr, "span_bench: %" PRIu64 " calls were timed of %d\n", timed,
			(BATCHES + 1) * CALLS);
		exit(1);
	}
	return v;
}

static double measure_span(int (*function)(int), uint64_t offset)
{
	uint64_t cookie = 1;
	struct attach_sites sites = { "/proc/self/exe", getpid(), &offset, &cookie, 1 };

	return measure_sites(function, &sites);
}

/* The same calls, ended by a probe at their exit. */
static double measure_exits(uint64_t offset)
{
	uint64_t offsets[] = { own_offset(bench_call_end), offset };
	uint64_t cookies[] = { COOKIE(1, SITE_EXIT, 0, RULE_ENTRY),
			       COOKIE(1, SITE_ENTRY, 0, RULE_ENTRY) };
	struct attach_sites sites = { "/proc/self/exe", getpid(), offsets, cookies, 2, true };

	return measure_sites(bench_call, &sites);
}

/* bpftrace prints a line once it is attached; 0 where it does not run. */
static double measure_bpftrace(int (*function)(int), const char *name)
{
	char script[1024], line[256];
	int out[2], status;
	FILE *f;
	pid_t pid;
	double v = 0;

	snprintf(script, sizeof(script),
		 "BEGIN { printf(\"ready\\n\"); } "
		 "uprobe:/proc/%d/exe:%s { @s[tid] = nsecs; } "
		 "uretprobe:/proc/%d/exe:%s /@s[tid]/ { @h = hist(nsecs - @s[tid]); "
		 "delete(@s[tid]); }",
		 getpid(), name, getpid(), name);
	if (pipe(out))
		return 0;
	pid = fork();
	if (!pid) {
		char self[16];

		dup2(out[1], 1);
		dup2(open("/dev/null", O_WRONLY), 2);
		snprintf(self, sizeof(self), "%d", getppid());
		execlp("bpftrace", "bpftrace", "-B", "line", "-p", self, "-e", script, NULL);
		_exit(127);
	}
	close(out[1]);
	f = fdopen(out[0], "r");
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "ready", 5) == 0) {
			usleep(300000);
			v = measure(function);
			break;
		}
	}
	kill(pid, SIGINT);
	while (fgets(line, sizeof(line), f))
		;
	fclose(f);
	waitpid(pid, &status, 0);
	return v;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 7;
	double to_floor[ROUNDS_MOST], to_bpftrace[ROUNDS_MOST], spans[ROUNDS_MOST];
	double floors[ROUNDS_MOST], others[ROUNDS_MOST], exits[ROUNDS_MOST];
	double exits_to_span[ROUNDS_MOST];
	double cets[ROUNDS_MOST], to_cet[ROUNDS_MOST];
	uint64_t offset = own_offset(bench_call), push = own_offset(bench_cet_push);
	int n = 0, with = 0;

	for (; n < rounds && n < ROUNDS_MOST; n++) {
		double none = measure(bench_call), floor = measure_floor(offset);
		double span = measure_span(bench_call, offset), exit = measure_exits(offset);
		double other = measure_bpftrace(bench_call, "bench_call");
		double cet = measure_span(bench_cet, push);
		double other_cet = measure_bpftrace(bench_cet, "bench_cet");

		printf("round %d: unwatched %.1f  empty session %.0f  sonde %.0f  by exits %.0f  "
		       "bpftrace %.0f; behind endbr64: sonde %.0f  bpftrace %.0f ns a call\n",
		       n + 1, none, floor, span, exit, other, cet, other_cet);
		fflush(stdout);
		floors[n] = floor;
		spans[n] = span;
		to_floor[n] = span / floor;
		exits[n] = exit;
		exits_to_span[n] = exit / span;
		if (other > 0) {
			others[with] = other;
			cets[with] = other_cet;
			to_cet[with] = other_cet / cet;
			to_bpftrace[with++] = span / other;
		}
	}
	printf("median: empty session %.0f ns, sonde %.0f ns, sonde / empty session %.2f\n",
	       median(floors, n), median(spans, n), median(to_floor, n));
	printf("median: by exits %.0f ns, exits / return hook %.2f\n", median(exits, n),
	       median(exits_to_span, n));
	if (with) {
		printf("median: bpftrace %.0f ns, sonde / bpftrace %.2f\n",
		       median(others, with), median(to_bpftrace, with));
		printf("median: behind endbr64 bpftrace %.0f ns, bpftrace / sonde %.1f\n",
		       median(cets, with), median(to_cet, with));
	}
	return 0;
}
