/*
 * turns - two libraries take turns at one address: each is loaded, works for a while
 * and is closed before the other comes.
 *
 * Prints the CPU time that the work of each took, and how often a library lay where the
 * one before it had been.
 */
#include "stage.h"
#include "target/library.h"

#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static struct stage s = { .calls = 40, .work = 30000000, .seconds = 30 };
	static const char *const names[2] = { "a", "b" };
	uint64_t cpu[2] = { 0, 0 };
	unsigned same = 0;
	void *last = NULL;

	stage_options(&s, argc, argv);
	stage_open(&s);
	for (unsigned i = 0; i < s.calls; i++) {
		char path[32], symbol[32];
		void *library, *at;
		uint64_t (*work)(uint64_t rounds);
		uint64_t began;

		snprintf(path, sizeof(path), "libturns_%s.so", names[i % 2]);
		snprintf(symbol, sizeof(symbol), "turns_%s", names[i % 2]);
		library = library_open(path);
		at = dlsym(library, symbol);
		if (!at)
			return 4;
		*(void **)&work = at;
		same += at == last;
		last = at;
		began = stage_cpu();
		work(s.work);
		cpu[i % 2] += stage_cpu() - began;
		dlclose(library);
	}
	printf("{\"turns\":%u,\"same\":%u,\"a_ns\":%lu,\"b_ns\":%lu}\n", s.calls, same, cpu[0],
	       cpu[1]);
	return 0;
}
