/*
 * attach_bench - how long probes on many functions take to come and go.
 *
 *	attach_bench PID GLOB...
 */
#include "base/clock.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	uint32_t pid = argc > 2 ? atoi(argv[1]) : 0;
	struct session_option option = {
		.query = { .pids = &pid, .nr_pids = 1 },
		.places = (const char *const *)argv + 2,
		.nr_places = argc - 2,
		.user = true,
		.kernel = true,
		.command = "attach_bench",
		.accept_dear = true,
	};
	struct session s = { 0 };
	struct error err = { "usage: attach_bench PID GLOB..." };
	nsec t0, t1, t2, t3;
	uint32_t functions = 0;

	t0 = clock_now();
	if (!pid || session_open(&s, &option, &err)) {
		fprintf(stderr, "attach_bench: %s\n", err.text);
		return 1;
	}
	t1 = clock_now();
	if (session_arm(&s, &err)) {
		fprintf(stderr, "attach_bench: %s\n", err.text);
		return 1;
	}
	t2 = clock_now();
	source_stop(s.source, ENDED_BY_TIME, 0);
	t3 = clock_now();
	for (uint32_t i = 0; i < s.watch.set.count; i++)
		functions += s.watch.set.at[i].functions.count;
	printf("%u probes on %u functions: found in %.1f ms, programs loaded and attached in %.1f ms, "
	       "taken away in %.1f ms\n",
	       s.watch.set.count, functions, (t1 - t0) / 1e6, (t2 - t1) / 1e6, (t3 - t2) / 1e6);
	session_close(&s);
	return 0;
}
