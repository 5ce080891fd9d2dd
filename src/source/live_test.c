/*
 * live_test - every way of attaching counts every call, on a child of our own.
 *
 * The older ways are there for older kernels; this one has them too.
 */
#include "source/live.h"

#include "base/clock.h"
#include "proc/maps.h"
#include "source/calibrate.h"
#include "wire/control.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define CALLS 2000
#define FACT_DEPTH 9

/* Kept out of line, with a frame each: calls that can be watched. */
__attribute__((noinline, noclone, used)) int live_test_call(int x)
{
	__asm__ volatile("" ::: "memory");
	return x + 1;
}

__attribute__((noinline, noclone, used)) int live_test_fact(int n)
{
	int below = n ? live_test_fact(n - 1) : 0;

	__asm__ volatile("" : "+r"(below)::"memory");
	return below + n;
}

#ifdef __x86_64__
/* Sites of their own at its entry, at a conditional jump that leaves it, at its end. */
__asm__(".text\n.globl live_test_plain\n.type live_test_plain,@function\n.p2align 4\n"
	"live_test_plain:\n\tpush %rbx\n\tlea 1(%rdi),%eax\n\ttest $1,%edi\n"
	"live_test_plain_if:\n\tje 1f\n\tnop\n1:\tpop %rbx\n"
	"live_test_plain_end:\n\tret\n.size live_test_plain,.-live_test_plain\n");
int live_test_plain(int x);
extern char live_test_plain_if[], live_test_plain_end[];
#endif

/* Returns when a byte was read. */
__attribute__((noinline, noclone, used)) int live_test_wait(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 1;
}

#define PROBES 64

struct tally {
	uint64_t entries[PROBES], returns[PROBES], others[PROBES]; /* [id - 1] */
	uint64_t unjudged, samples, ends, starts, detached;
	uint32_t gone; /* the probe that was taken away last */
};

static void take(void *context, const struct event *e)
{
	struct tally *t = context;

	if (e->kind == EVENT_CALLS) {
		const struct event_calls *c = (const void *)e;

		t->entries[c->probe - 1] += c->entries;
		t->returns[c->probe - 1] += c->ended[END_RETURN];
		for (unsigned r = 1; r < CALLS_ENDED; r++)
			t->others[c->probe - 1] += c->ended[r];
		t->detached += c->ended[END_DETACHED];
		assert_int_not_equal(c->probe, t->gone);
	}
	if (e->kind == EVENT_ENDS) {
		const struct event_ends *ends = (const void *)e;

		for (uint32_t i = 0; i < ends->nr_ends; i++)
			if (ends->ends[i].reason == END_UNJUDGED)
				t->unjudged += ends->ends[i].count;
	}
	if (e->kind == EVENT_UNPROBE)
		t->gone = ((const struct event_unprobe *)e)->probe;
	t->samples += e->kind == EVENT_SAMPLE;
	t->starts += e->kind == EVENT_START;
	t->ends += e->kind == EVENT_END;
}

/* A child that waits for a byte and then makes its calls. */
static pid_t start_child(int *ret_go)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		volatile int x = 0;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		for (int i = 0; i < CALLS; i++)
			x = live_test_call(x);
#ifdef __x86_64__
		for (int i = 0; i < CALLS; i++)
			x = live_test_plain(x);
#endif
		for (int i = 0; i < CALLS / 10; i++)
			x += live_test_fact(FACT_DEPTH);
		_exit(0);
	}
	close(ends[0]);
	*ret_go = ends[1];
	return pid;
}

static uint64_t offset_of(const void *address)
{
	struct maps maps = { 0 };
	const struct map *m;
	uint64_t offset;

	assert_int_equal(maps_read(getpid(), &maps, NULL), 0);
	m = maps_find(&maps, (uintptr_t)address);
	assert_non_null(m);
	offset = (uintptr_t)address - m->start + m->offset;
	maps_done(&maps);
	return offset;
}

/* All that the process maps is fit for hooks. */
static void tell_judged(struct source *live, uint32_t pid)
{
	struct judged looked = judged_look(source_judged(live), pid);
	struct maps maps = { 0 };

	assert_int_equal(maps_read(pid, &maps, NULL), 0);
	assert_true(judged_tell(source_judged(live), pid, &looked, maps_code_pages(&maps)));
	maps_done(&maps);
}

static void watch_child(enum attach_kind kind, const struct attach_sites *sites,
			unsigned nr_sites, bool judged, struct tally *t)
{
	struct source_option option = {
		.hz = 499, .running = true, .user = true, .probes = 2, .attach = kind
	};
	struct source *live = NULL;
	struct error err = { "" };
	int go, status;
	pid_t pid = start_child(&go);

	if (live_open(&option, take, t, &live, &err) || source_add_process(live, pid, &err))
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < nr_sites; i++)
		if (source_watch(live, &sites[i], &err))
			fail_msg("%s", err.text);
	if (source_start(live, &err))
		fail_msg("%s", err.text);
	if (judged && kind == ATTACH_SESSION)
		tell_judged(live, pid);
	assert_int_equal(write(go, "x", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	source_stop(live, ENDED_BY_TARGET, status);
	source_close(live);
	close(go);
}

static void counts_every_call(enum attach_kind kind)
{
	uint64_t offsets[2] = { offset_of(live_test_call), offset_of(live_test_fact) };
	uint64_t cookies[2] = { 1, 2 };
	const struct attach_sites sites[] = {
		{ "/proc/self/exe", 0, &offsets[0], &cookies[0], 1 },
		{ "/proc/self/exe", 0, &offsets[1], &cookies[1], 1 },
	};
	struct tally t = { 0 };

	watch_child(kind, sites, 2, true, &t);
	assert_int_equal(t.entries[0], CALLS);
	assert_int_equal(t.returns[0] + t.others[0], CALLS);
	assert_int_equal(t.entries[1], CALLS / 10 * (FACT_DEPTH + 1));
	assert_int_equal(t.returns[1] + t.others[1], t.entries[1]);
	/* a call may be let go while the child is still being started */
	assert_true(t.others[0] <= 1);
	assert_int_equal(t.unjudged, 0);
	assert_int_equal(t.starts, 1);
	assert_int_equal(t.ends, 1);
}

/* The child makes CALLS calls, every second of which ends at the condition. */
static void plain_sites_see_every_call(enum attach_kind kind)
{
#ifdef __x86_64__
	uint64_t offsets[3] = { offset_of(live_test_plain_end), offset_of(live_test_plain_if),
				offset_of(live_test_plain) };
	uint32_t pushed = RULE(RULE_SP, 2, 0);
	uint64_t cookies[3] = { COOKIE(1, SITE_EXIT, 0, RULE_ENTRY),
				COOKIE(1, SITE_EXIT, 1 + 4 /* je */, pushed),
				COOKIE(1, SITE_ENTRY, 0, RULE_ENTRY) };
	struct attach_sites sites = { "/proc/self/exe", 0, offsets, cookies, 3, true };
	struct tally t = { 0 };

	watch_child(kind, &sites, 1, true, &t);
	assert_int_equal(t.entries[0], CALLS);
	assert_int_equal(t.returns[0], CALLS);
	assert_int_equal(t.others[0], 0);
#else
	skip();
#endif
}

static void need(bool there)
{
	if (!there)
		skip();
}

static struct kernel_support support_here(void)
{
	struct kernel_support support;

	kernel_support_probe(&support);
	need(support.load_bpf && support.btf && geteuid() == 0);
	return support;
}

static void a_session_counts_every_call(void **state)
{
	need(support_here().uprobe_session);
	counts_every_call(ATTACH_SESSION);
	plain_sites_see_every_call(ATTACH_SESSION);
}

static void code_that_nobody_looked_at_is_not_hooked(void **state)
{
	uint64_t offset = offset_of(live_test_call), cookie = 1;
	struct attach_sites sites = { "/proc/self/exe", 0, &offset, &cookie, 1 };
	struct tally t = { 0 };

	need(support_here().uprobe_session);
	watch_child(ATTACH_SESSION, &sites, 1, false, &t);
	assert_int_equal(t.entries[0], CALLS);
	assert_int_equal(t.returns[0], 0);
	assert_int_equal(t.unjudged, CALLS);
}

static void two_links_count_every_call(void **state)
{
	need(support_here().uprobe_multi);
	counts_every_call(ATTACH_MULTI);
	plain_sites_see_every_call(ATTACH_MULTI);
}

static void perf_events_count_every_call(void **state)
{
	need(support_here().perf_uprobe);
	counts_every_call(ATTACH_PERF);
	plain_sites_see_every_call(ATTACH_PERF);
}

static void a_process_that_is_gone_is_said_to_be(void **state)
{
	struct source_option option = { .probes = 1, .attach = ATTACH_SESSION };
	uint64_t offset = offset_of(live_test_call), cookie = 1;
	struct attach_sites sites = { "/proc/self/exe", 0, &offset, &cookie, 1 };
	struct tally t = { 0 };
	struct source *live = NULL;
	struct error err = { "" };
	pid_t pid;

	need(support_here().uprobe_session);
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_int_equal(live_open(&option, take, &t, &live, &err), 0);
	assert_int_equal(source_add_process(live, pid, &err), 0);
	assert_int_equal(source_watch(live, &sites, &err), -ESRCH);
	assert_non_null(strstr(err.text, "ended"));
	source_close(live);
}

/* A child that is told what to do by the byte. */
struct worker {
	pid_t pid;
	int orders, done;
};

static void work(int orders, int done)
{
	volatile int x = 0;
	char order;

	while (read(orders, &order, 1) == 1) {
		if (order == 'w') {
			live_test_wait(orders);
		} else if (order == 'l') {
			while (poll(&(struct pollfd){ orders, POLLIN }, 1, 0) == 0)
				x = live_test_call(x);
		} else {
			for (int i = 0; i < CALLS; i++)
				x = live_test_call(x);
		}
		if (write(done, "", 1) != 1)
			break;
	}
	_exit(0);
}

static struct worker start_worker(void)
{
	int orders[2], done[2];
	struct worker w;

	assert_int_equal(pipe(orders), 0);
	assert_int_equal(pipe(done), 0);
	w = (struct worker){ fork(), orders[1], done[0] };
	if (w.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(orders[1]);
		work(orders[0], done[1]);
	}
	close(orders[0]);
	close(done[1]);
	return w;
}

static void order(const struct worker *w, const char *what)
{
	assert_int_equal(write(w->orders, what, 1), 1);
}

static void wait_done(const struct worker *w)
{
	char byte;

	assert_int_equal(read(w->done, &byte, 1), 1);
}

static void end_worker(const struct worker *w)
{
	int status;

	close(w->orders);
	close(w->done);
	assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
}

static uint32_t watch_more(struct source *live, const uint64_t *offset, uint64_t *ret_cookie)
{
	struct attach_sites sites = { "/proc/self/exe", 0, offset, ret_cookie, 1 };
	struct error err = { "" };
	uint32_t id = source_room(live);

	assert_true(id);
	*ret_cookie = id;
	if (source_watch(live, &sites, &err))
		fail_msg("%s", err.text);
	source_count(live, id);
	return id;
}

static void wait_gone(struct source *live, const struct tally *t, uint32_t id)
{
	while (t->gone != id) {
		source_poll(live);
		usleep(1000);
	}
}

/* A source that runs and watches nothing of the worker yet. */
static struct source *start_bare(enum attach_kind kind, uint32_t more, const struct worker *w,
				 struct tally *t)
{
	struct source_option option = {
		.hz = 499, .running = true, .user = true, .more = more, .attach = kind
	};
	struct source *live = NULL;
	struct error err = { "" };

	if (live_open(&option, take, t, &live, &err) ||
	    source_add_process(live, w->pid, &err) || source_start(live, &err))
		fail_msg("%s", err.text);
	if (kind == ATTACH_SESSION)
		tell_judged(live, w->pid);
	return live;
}

/* Each that comes counts what is called while it is there; ids go on, slots are few. */
static void probes_come_and_go(enum attach_kind kind)
{
	uint64_t offset = offset_of(live_test_call), cookie;
	struct worker w = start_worker();
	struct tally t = { 0 };
	struct source *live = start_bare(kind, 2, &w, &t);

	for (uint32_t round = 1; round <= 8; round++) {
		uint32_t id = watch_more(live, &offset, &cookie);

		assert_int_equal(id, round);
		order(&w, "c");
		wait_done(&w);
		source_unwatch(live, id);
		order(&w, "c"); /* nobody counts these */
		wait_done(&w);
		wait_gone(live, &t, id);
		assert_int_equal(t.entries[id - 1], CALLS);
		assert_int_equal(t.returns[id - 1], CALLS);
		assert_int_equal(t.others[id - 1], 0);
	}
	source_stop(live, ENDED_BY_USER, 0);
	source_close(live);
	end_worker(&w);
}

/* A call that is open when its probe goes was left by it, and what becomes of it later is
 * told of nobody: not of the next one that has its slot. */
static void a_probe_goes_amid_a_call(enum attach_kind kind)
{
	uint64_t waits = offset_of(live_test_wait), calls = offset_of(live_test_call);
	uint64_t cookies[2];
	struct worker w = start_worker();
	struct tally t = { 0 };
	struct source *live = start_bare(kind, 1, &w, &t);
	uint32_t id;

	id = watch_more(live, &waits, &cookies[0]);
	order(&w, "w");
	while (!t.entries[0]) {
		source_tick(live);
		usleep(1000);
	}
	source_unwatch(live, id);
	wait_gone(live, &t, id);
	assert_int_equal(t.detached, 1);
	assert_int_equal(t.returns[0] + t.others[0], 1);
	id = watch_more(live, &calls, &cookies[1]);
	assert_int_equal(id, 2);
	order(&w, "."); /* it returns */
	wait_done(&w);
	order(&w, "c");
	wait_done(&w);
	source_stop(live, ENDED_BY_USER, 0);
	assert_int_equal(t.entries[1], CALLS);
	assert_int_equal(t.returns[1], CALLS);
	assert_int_equal(t.others[0] + t.others[1], 1);
	source_close(live);
	end_worker(&w);
}

/* Amid calls that never pause: what has begun has ended or was left, by every probe. */
static void probes_come_and_go_amid_calls(enum attach_kind kind)
{
	uint64_t offset = offset_of(live_test_call), cookie;
	struct worker w = start_worker();
	struct tally t = { 0 };
	struct source *live = start_bare(kind, 2, &w, &t);

	order(&w, "l");
	for (uint32_t round = 0; round < 20; round++) {
		uint32_t id = watch_more(live, &offset, &cookie);

		while (t.returns[id - 1] < 20) {
			source_tick(live);
			usleep(500);
		}
		source_unwatch(live, id);
		wait_gone(live, &t, id);
		assert_int_equal(t.returns[id - 1] + t.others[id - 1], t.entries[id - 1]);
		assert_true(t.others[id - 1] <= 1);
	}
	order(&w, ".");
	wait_done(&w);
	source_stop(live, ENDED_BY_USER, 0);
	source_close(live);
	end_worker(&w);
}

static void probes_of_a_session_come_and_go(void **state)
{
	need(support_here().uprobe_session);
	probes_come_and_go(ATTACH_SESSION);
	a_probe_goes_amid_a_call(ATTACH_SESSION);
	probes_come_and_go_amid_calls(ATTACH_SESSION);
}

static void probes_of_two_links_come_and_go(void **state)
{
	need(support_here().uprobe_multi);
	probes_come_and_go(ATTACH_MULTI);
	a_probe_goes_amid_a_call(ATTACH_MULTI);
	probes_come_and_go_amid_calls(ATTACH_MULTI);
}

static void probes_of_perf_events_come_and_go(void **state)
{
	need(support_here().perf_uprobe);
	probes_come_and_go(ATTACH_PERF);
	a_probe_goes_amid_a_call(ATTACH_PERF);
	probes_come_and_go_amid_calls(ATTACH_PERF);
}

/* What the kernel looked at to verify the programs of this process, in instructions. */
static uint64_t verified(void)
{
	DIR *fds = opendir("/proc/self/fdinfo");
	uint64_t sum = 0;
	struct dirent *d;

	assert_non_null(fds);
	while ((d = readdir(fds))) {
		char path[300], line[128];
		unsigned long n;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", d->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			if (sscanf(line, "verified_insns: %lu", &n) == 1)
				sum += n;
		if (f)
			fclose(f);
	}
	closedir(fds);
	return sum;
}

/* Who starts sonde waits for that: a loop that is looked at again on each way to it takes
 * a second where this takes a tenth. */
static void the_programs_are_soon_verified(void **state)
{
	struct source_option option = { .hz = 99,
					.running = true,
					.user = true,
					.kernel = true,
					.follow = true,
					.probes = 1,
					.brackets = true };
	struct tally t = { 0 };
	struct source *live = NULL;
	struct error err = { "" };

	need(support_here().uprobe_session);
	assert_int_equal(live_open(&option, take, &t, &live, &err), 0);
	assert_in_range(verified(), 10000, 250000);
	source_close(live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_counts_every_call),
		cmocka_unit_test(code_that_nobody_looked_at_is_not_hooked),
		cmocka_unit_test(two_links_count_every_call),
		cmocka_unit_test(perf_events_count_every_call),
		cmocka_unit_test(probes_of_a_session_come_and_go),
		cmocka_unit_test(probes_of_two_links_come_and_go),
		cmocka_unit_test(probes_of_perf_events_come_and_go),
		cmocka_unit_test(a_process_that_is_gone_is_said_to_be),
		cmocka_unit_test(the_programs_are_soon_verified),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
