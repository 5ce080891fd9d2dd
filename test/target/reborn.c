/*
 * reborn - makes calls, then becomes another program that has a function of the same name
 * (reborn_twin: this file, compiled another way) and makes calls there.
 *
 * --calls	in each of the two
 * --rate	of them in a second
 * --variant again	the other program becomes itself once more
 *
 * "before", "after": calls in the first program, and in those that followed; "by_ms"[i]: of
 * the latter, how many began i to i + 1 milliseconds after main() of the first of these
 * programs did (so at least as long after the exec).
 */
#include "reborn.h"
#include "stage.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOTS 10000
#define SLOT_NSEC 1000000

/* Handed on from program to program. */
struct past {
	uint64_t since; /* when the first other program began, 0: not yet */
	unsigned before, after;
	unsigned by_ms[SLOTS];
};

KEPT uint64_t reborn_call(uint64_t rounds)
{
	return spin(rounds);
}

/* In the other program two functions have this name. */
KEPT static uint64_t reborn_helper(uint64_t rounds)
{
	return spin(rounds) + 1;
}

static void make_calls(const struct stage *s, struct past *past)
{
	uint64_t next = stage_now();

	for (unsigned i = 0; i < s->calls; i++) {
		uint64_t slot = past->since ? (stage_now() - past->since) / SLOT_NSEC : 0;

		if (past->since)
			past->by_ms[slot < SLOTS ? slot : SLOTS - 1]++;
		past->since ? past->after++ : past->before++;
		reborn_call(s->work);
		reborn_helper(s->work);
#ifdef REBORN_TWIN
		reborn_other(s->work);
#endif
		stage_pace(&next, s->rate);
	}
}

/* The past goes through a file that is deleted already: descriptor 9. */
#define PAST 9

static void become(struct past *past, char **argv)
{
	char self[PATH_MAX] = "", path[PATH_MAX + 16];

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
	    pwrite(PAST, past, sizeof(*past), 0) != sizeof(*past))
		exit(5);
	snprintf(path, sizeof(path), "%s/reborn_twin", dirname(self));
	execv(path, argv);
	exit(4);
}

static void print_past(const struct past *past)
{
	unsigned last = SLOTS;

	while (last && !past->by_ms[last - 1])
		last--;
	printf("{\"before\":%u,\"after\":%u,\"by_ms\":[", past->before, past->after);
	for (unsigned i = 0; i < last; i++)
		printf("%s%u", i ? "," : "", past->by_ms[i]);
	printf("]}\n");
}

int main(int argc, char **argv)
{
	static struct stage s = {
		.calls = 500, .rate = 500, .work = 20000, .seconds = 30, .variant = ""
	};
	static struct past past;
	bool again, first = pread(PAST, &past, sizeof(past), 0) != sizeof(past);

	stage_options(&s, argc, argv);
	again = !strcmp(s.variant, "again") && past.after == 0;
	if (first) {
		FILE *file = tmpfile();

		stage_open(&s);
		if (!file || dup2(fileno(file), PAST) < 0)
			return 5;
	} else if (!past.since) {
		past.since = stage_now();
	}
	make_calls(&s, &past);
	fflush(stdout);
	if (first || again)
		become(&past, argv);
	print_past(&past);
	return 0;
}
