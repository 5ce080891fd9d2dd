/*
 * scene_processes - calls that are in two processes, end in another program, or may
 * make hardly a system call.
 */
#include "scene.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_STACK (256 << 10)

/* How a child ended, in one number: its status, or 1000 and its signal. */
static int child_end(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static char *shell[] = { "sh", "-c", "exit 5", NULL };

/* ------------------------------------------------------------------------ fork */

KEPT unsigned w_fork_part(unsigned value);
KEPT unsigned w_fork_part(unsigned value)
{
	scene_entered();
	return value % 7 + (unsigned)(spin(100) & 1);
}

/* Entered once, left twice: by the parent and by the child. */
KEPT pid_t w_fork(void);
KEPT pid_t w_fork(void)
{
	pid_t child;

	scene_entered();
	child = fork();
	SCENE_STAYS(child);
	return child;
}

static void play_fork(unsigned round)
{
	pid_t child;

	printf(" %u", w_fork_part(round));
	fflush(stdout);
	child = w_fork();
	if (!child)
		_exit((int)(10 + round % 100));
	printf(" %d", child_end(child));
}

/* A child that lives for a while: what it calls can be watched, too. */
KEPT unsigned w_worker(unsigned value);
KEPT unsigned w_worker(unsigned value)
{
	scene_entered_in_child();
	return value % 7 + (unsigned)(spin(100) & 1);
}

static void work(unsigned round)
{
	uint64_t next = stage_now();
	unsigned sum = 0;

	for (unsigned i = 0; i < 100; i++) {
		sum += w_worker(round + i);
		stage_pace(&next, 100);
	}
	_exit((int)(sum % 100));
}

static void play_worker(unsigned round)
{
	pid_t child = fork();

	if (!child)
		work(round);
	printf(" %d", child_end(child));
}

/* ----------------------------------------------------------------------- vfork */

KEPT unsigned w_vfork_part(unsigned value, bool in_child);
KEPT unsigned w_vfork_part(unsigned value, bool in_child)
{
	if (in_child)
		scene_entered_in_child();
	else
		scene_entered();
	return value + 1;
}

KEPT int w_vfork_become(char **arguments);
KEPT int w_vfork_become(char **arguments)
{
	int failed;

	scene_entered_in_child();
	failed = execv("/bin/sh", arguments);
	SCENE_STAYS(failed);
	return failed + 1;
}

/* The child runs in the parent's memory, on its stack, until it is another program. */
KEPT int w_vfork(unsigned round);
KEPT int w_vfork(unsigned round)
{
	pid_t child;

	scene_entered();
	child = vfork();
	if (!child) {
		w_vfork_part(round, true);
		w_vfork_become(shell);
		_exit(1);
	}
	return child_end(child);
}

static void play_vfork(unsigned round)
{
	int status = w_vfork(round);

	printf(" %d %u", status, w_vfork_part(round, false));
}

/* ----------------------------------------------------------------------- spawn */

KEPT int w_spawn(void);
KEPT int w_spawn(void)
{
	pid_t child;

	scene_entered();
	if (posix_spawn(&child, "/bin/sh", NULL, NULL, shell, NULL))
		return -1;
	return child_end(child);
}

static void play_spawn(unsigned round)
{
	(void)round;
	printf(" %d", w_spawn());
}

/* ------------------------------------------------------ another process, one memory */

KEPT int w_clone_child(void *context);
KEPT int w_clone_child(void *context)
{
	scene_entered_in_child();
	return (int)(*(unsigned *)context % 50 + (spin(1000) & 1));
}

KEPT int w_clone(unsigned round, char *stack);
KEPT int w_clone(unsigned round, char *stack)
{
	pid_t child;

	scene_entered();
	child = clone(w_clone_child, stack + CHILD_STACK, CLONE_VM | SIGCHLD, &round);
	return child_end(child);
}

static void play_clone(unsigned round)
{
	char *stack = malloc(CHILD_STACK);

	if (!stack)
		exit(4);
	printf(" %d", w_clone(round, stack));
	free(stack);
}

/* ------------------------------------------ threads that may hardly call the kernel */

struct confined {
	bool strict;
	unsigned round;
	uint64_t value;
};

KEPT uint64_t w_confined_part(unsigned depth, uint64_t value);
KEPT uint64_t w_confined_part(unsigned depth, uint64_t value)
{
	scene_entered();
	if (!depth)
		return value ^ (spin(200) & 1);
	value = w_confined_part(depth - 1, value + depth);
	SCENE_STAYS(value);
	return value * 5;
}

/* May write and end; whatever else it asked the kernel for would end the process. */
static int confine(bool strict)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(rules) / sizeof(*rules), rules };

	if (strict)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void *confined_run(void *context)
{
	struct confined *c = context;

	if (confine(c->strict))
		exit(4);
	for (unsigned i = 0; i < 4; i++)
		c->value = w_confined_part(4, c->value + c->round);
	/* no more of the C library: a thread that ends by it frees its stack */
	syscall(SYS_exit, 0);
	return NULL;
}

static void play_confined(unsigned round, bool strict)
{
	struct confined c = { .strict = strict, .round = round };
	pthread_t thread;

	if (pthread_create(&thread, NULL, confined_run, &c) || pthread_join(thread, NULL))
		exit(4);
	printf(" %llx", (unsigned long long)c.value);
}

static void play_strict(unsigned round)
{
	play_confined(round, true);
}

static void play_filter(unsigned round)
{
	play_confined(round, false);
}

static const struct scene scenes[] = {
	{ "fork", play_fork, 0 },     { "worker", play_worker, 5 },
	{ "vfork", play_vfork, 0 },   { "spawn", play_spawn, 0 },
	{ "clone", play_clone, 0 },   { "strict", play_strict, 0 },
	{ "filter", play_filter, 0 }, { 0 },
};

int main(int argc, char **argv)
{
	return scene_main(argc, argv, scenes);
}
