/*
 * newcode - a C program that maps code while its calls are watched: --variant throws
 * (a library through whose calls exceptions fly: with a return hook on served() the
 * program would be aborted), plain (one that does no harm), swap (the one is closed
 * and the other opened, and the code that is mapped is as large as before).
 *
 *	here	in this process
 *	fork	in a child of it
 *	exec	in the program that it becomes, which is itself
 */
#include "stage.h"
#include "target/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void (*action)(void);

static struct {
	uint64_t entries, returned, caught;
} tally;
static const struct stage *stage;
static void *plain; /* of "swap": the library that goes */

/* What is watched: one call of it in five is left by an exception. */
KEPT uint64_t served(action inside)
{
	uint64_t result;

	tally.entries++;
	result = spin(stage->work);
	if (inside)
		inside();
	tally.returned++;
	return result;
}

static void serve(unsigned calls)
{
	uint64_t next = stage_now();

	for (unsigned i = 0; i < calls; i++) {
		served(NULL);
		stage_pace(&next, stage->rate);
	}
}

static void throw_through(void *library)
{
	int (*guard)(uint64_t(*call)(action), action inside);
	action thrower;

	*(void **)&guard = dlsym(library, "newcode_guard");
	*(void **)&thrower = dlsym(library, "newcode_throw");
	if (!guard || !thrower)
		exit(4);
	for (unsigned i = 0; i < stage->calls / 5; i++)
		tally.caught += guard(served, thrower);
}

static void map_and_call(void)
{
	serve(stage->calls);
	if (!strcmp(stage->variant, "plain"))
		library_open("libnewcode_plain.so");
	else if (!strcmp(stage->variant, "swap"))
		dlclose(plain);
	if (strcmp(stage->variant, "plain"))
		throw_through(library_open("libnewcode_throws.so"));
	serve(stage->calls);
}

static int call_in_child(void)
{
	int status = 0;
	pid_t child;

	serve(stage->calls);
	fflush(stdout);
	child = fork();
	if (child)
		return waitpid(child, &status, 0) == child && !status ? 0 : 5;
	map_and_call();
	return 0;
}

static void become(int argc, char **argv)
{
	int kept = 1;

	serve(stage->calls);
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--wait"))
			argv[kept++] = strcmp(argv[i], "exec") ? argv[i] : "here";
	argv[kept] = NULL;
	execv("/proc/self/exe", argv);
	exit(4);
}

int main(int argc, char **argv)
{
	static struct stage s = {
		.mode = "here", .calls = 200, .work = 2000, .seconds = 30, .variant = "throws"
	};
	int code = 0;

	stage_options(&s, argc, argv);
	stage = &s;
	if (!strcmp(s.variant, "swap")) {
		plain = library_open("libnewcode_plain.so");
		if (!dlopen("libstdc++.so.6", RTLD_NOW))
			return 4;
	}
	stage_open(&s);
	if (!strcmp(s.mode, "exec"))
		become(argc, argv);
	if (!strcmp(s.mode, "fork"))
		code = call_in_child();
	else
		map_and_call();
	printf("{\"entries\":%lu,\"returned\":%lu,\"caught\":%lu}\n", tally.entries,
	       tally.returned, tally.caught);
	return code;
}
