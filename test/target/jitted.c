/*
 * jitted - makes code while it runs, as a runtime with a JIT does, and tells its name in
 * /tmp/perf-PID.map.
 *
 * --variant DIR	after changing its root to that folder
 */
#include "churn.h"
#include "stage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE_SIZE 4096
#define WORK_SIZE 128 /* more than the function has */

/* Calls nothing and refers to nothing: it runs wherever it is copied to. */
__attribute__((noinline, aligned(128))) uint64_t pattern(uint64_t rounds);
uint64_t pattern(uint64_t rounds)
{
	return churn(rounds);
}

static void tell_name(const void *code)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		return; /* somebody put something else there */
	fprintf(map, "%lx %x jitted_work\n", (unsigned long)(uintptr_t)code, WORK_SIZE);
	fclose(map);
}

int main(int argc, char **argv)
{
	static struct stage s = {
		.calls = 1000, .work = 1000000, .seconds = 30, .variant = ""
	};
	uint64_t (*work)(uint64_t rounds);
	uint64_t began;
	void *code;

	stage_options(&s, argc, argv);
	code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 5;
	memcpy(code, (const void *)(uintptr_t)pattern, WORK_SIZE);
	__builtin___clear_cache(code, (char *)code + WORK_SIZE);
	*(void **)&work = code;
	stage_open(&s);
	if (*s.variant && (chroot(s.variant) || chdir("/")))
		return 5;
	tell_name(code);
	began = stage_cpu();
	for (unsigned i = 0; i < s.calls; i++)
		work(s.work);
	printf("{\"cpu_ns\":%lu}\n", stage_cpu() - began);
	return 0;
}
