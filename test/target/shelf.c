/*
 * shelf - many libraries at work, one after the other: --calls of them, FOLDER/1.so and
 * on, copies of libturns_a.so.
 *
 * Prints how many there are and the CPU time that their work took in all.
 */
#include "stage.h"

#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static struct stage s = { .calls = 100, .work = 1000000, .seconds = 60 };
	uint64_t (**works)(uint64_t rounds);
	uint64_t began;

	stage_options(&s, argc, argv);
	works = calloc(s.calls, sizeof(*works));
	for (unsigned i = 0; i < s.calls; i++) {
		char path[4096];
		void *library;

		snprintf(path, sizeof(path), "%s/%u.so", s.mode, i + 1);
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 4;
		}
		*(void **)&works[i] = dlsym(library, "turns_a");
	}
	stage_open(&s);
	began = stage_cpu();
	for (unsigned i = 0; i < s.calls; i++)
		works[i](s.work);
	printf("{\"libraries\":%u,\"work_ns\":%lu}\n", s.calls, stage_cpu() - began);
	return 0;
}
