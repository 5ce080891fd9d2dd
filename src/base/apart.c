#include "base/apart.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_SIZE (64 * 1024)

struct apart {
	void (*job)(void *);
	void *context;
	bool done;
};

/* In a session of its own: a signal to the group or from the terminal passes it by. */
static int run(void *context)
{
	struct apart *a = context;

	setsid();
	a->job(a->context);
	a->done = true;
	return 0;
}

/* CLONE_VFORK: the thread stands still until the other process has ended, so what belongs to
 * the thread (its stack, errno) is the other's meanwhile.  No signal at its end: nobody else
 * waits for it by chance. */
bool apart_do(void (*job)(void *), void *context)
{
	_Alignas(16) char stack[STACK_SIZE];
	struct apart a = { job, context, false };
	sigset_t all, before;
	int kept = errno, pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = clone(run, stack + sizeof(stack), CLONE_VM | CLONE_FILES | CLONE_VFORK, &a);
	if (pid < 0) {
		job(context);
		a.done = true;
	} else {
		while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	errno = kept;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return a.done;
}

struct call {
	long number, code;
	const long *args;
};

static void call(void *context)
{
	struct call *c = context;
	const long *a = c->args;

	c->code = syscall(c->number, a[0], a[1], a[2], a[3], a[4]);
	if (c->code < 0)
		c->code = -errno;
}

long apart_syscall(long number, const long args[5])
{
	struct call c = { number, -EINTR, args };

	apart_do(call, &c);
	return c.code;
}

void apart_close(int fd)
{
	apart_syscall(SYS_close, (const long[5]){ fd });
}
