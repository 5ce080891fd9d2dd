/*
 * family - forks children, one after the other; each makes calls for a while and ends.
 *
 * --calls	children
 * --rate	of them in a second
 * --work	microseconds that each makes calls for, a call every 50
 * --variant stay	when all have ended it stays until a line is there to be read
 *
 * "by_100us"[i]: calls that began i to i + 1 tenths of a millisecond after fork() had
 * returned in the parent (so at least as long after the fork itself).
 */
#include "stage.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS_MAX 20000 /* of a child */
#define SLOTS 1000
#define SLOT_NSEC 100000
#define PAUSE_NSEC 50000

/* Shared with the child that is alive. */
struct life {
	_Atomic uint64_t forked; /* when fork() had returned in the parent */
	unsigned calls;
	uint64_t began[CALLS_MAX];
};

KEPT uint64_t family_call(uint64_t rounds)
{
	return spin(rounds);
}

static void child(struct life *l, uint64_t nsec)
{
	uint64_t begin = stage_now(), next = begin;

	while (next - begin < nsec && l->calls < CALLS_MAX) {
		l->began[l->calls++] = stage_now();
		family_call(1000);
		next += PAUSE_NSEC;
		while (stage_now() < next)
			;
	}
	while (!atomic_load(&l->forked))
		;
	_exit(0);
}

static void count(const struct life *l, unsigned *slots)
{
	for (unsigned i = 0; i < l->calls; i++) {
		uint64_t forked = l->forked;
		uint64_t slot = l->began[i] > forked ? (l->began[i] - forked) / SLOT_NSEC : 0;

		slots[slot < SLOTS ? slot : SLOTS - 1]++;
	}
}

int main(int argc, char **argv)
{
	struct stage stage = {
		.calls = 40, .rate = 20, .work = 30000, .seconds = 60, .variant = ""
	};
	struct life *life = mmap(NULL, sizeof(*life), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned slots[SLOTS] = { 0 };
	uint64_t next, calls = 0;

	stage_options(&stage, argc, argv);
	if (life == MAP_FAILED)
		return 4;
	stage_open(&stage);
	next = stage_now();
	for (unsigned i = 0; i < stage.calls; i++) {
		int status;
		pid_t pid;

		life->forked = life->calls = 0;
		pid = fork();
		if (pid == 0)
			child(life, stage.work * 1000ull);
		atomic_store(&life->forked, stage_now());
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 5;
		calls += life->calls;
		count(life, slots);
		stage_pace(&next, stage.rate);
	}
	printf("{\"children\":%u,\"calls\":%llu,\"by_100us\":[", stage.calls,
	       (unsigned long long)calls);
	for (unsigned i = 0; i < SLOTS; i++)
		printf("%s%u", i ? "," : "", slots[i]);
	printf("]}\n");
	fflush(stdout);
	if (strcmp(stage.variant, "stay") == 0)
		getchar();
	return 0;
}
