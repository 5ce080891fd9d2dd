#include "base/apart.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE (64 * 1024)

/* What closes side by side, the stack of each, and the descriptors that are looked at; those
 * above are closed by the end of the last process.  Of 14 links of probes the last was gone
 * after 66 ms by one, 10 ms by 4, 12 ms by 8, and 32 ms by 16 of them. */
#define CLOSERS 4
#define CLOSER_STACK 4096
#define DESCRIPTORS_MOST 65536

/* How far the process apart is.  GONE is what the kernel leaves at its end (clone(2),
 * CLONE_CHILD_CLEARTID). */
enum stage { GONE, RUNNING, DONE, SEEN };

struct apart {
	void (*job)(void *);
	void *context;
	pid_t owner;
	_Atomic uint32_t stage;
};

/* Sets it, and tells who waits. */
static void set_stage(struct apart *a, enum stage stage)
{
	atomic_store(&a->stage, stage);
	syscall(SYS_futex, &a->stage, FUTEX_WAKE, INT_MAX, NULL);
}

/* Until it is another one, or the time, if not 0, is over.  The kernel wakes a waiter of
 * another process at the end of this one, so it is no private futex. */
static enum stage stage_after(struct apart *a, enum stage stage, const struct timespec *most)
{
	if (atomic_load(&a->stage) == stage)
		syscall(SYS_futex, &a->stage, FUTEX_WAIT, stage, most);
	return atomic_load(&a->stage);
}

/* The next one that nobody has closed yet, again and again. */
static int close_some(void *next)
{
	for (int fd; (fd = atomic_fetch_add((atomic_int *)next, 1)) < DESCRIPTORS_MOST;)
		close(fd);
	return 0;
}

/* The kernel waits 10 to 40 ms for the end of all handlers each time a link of probes is
 * closed, and an end closes one after the other: here they are closed side by side.  More
 * than one process apart may outlive their owner; one of them does this. */
static void close_all(void)
{
	static _Alignas(16) char stacks[CLOSERS][CLOSER_STACK];
	static atomic_int next;
	static atomic_flag begun = ATOMIC_FLAG_INIT;

	if (atomic_flag_test_and_set(&begun))
		return;
	for (int i = 0; i < CLOSERS; i++)
		clone(close_some, stacks[i] + CLOSER_STACK, CLONE_VM | CLONE_FILES, &next);
}

/* In a session of its own: a signal to the group or from the terminal passes it by.  It ends
 * when its owner has seen that it is done: one that is being killed does not, for all that it
 * looks alive still. */
static int run(void *context)
{
	const struct timespec look = { .tv_nsec = 1000000 };
	struct apart *a = context;

	setsid();
	a->job(a->context);
	set_stage(a, DONE);
	while (stage_after(a, DONE, &look) == DONE) {
		if (getppid() != a->owner) {
			close_all();
			break;
		}
	}
	return 0;
}

/* The thread waits meanwhile, so what belongs to it (errno) is the other's.  No signal at its
 * end: nobody else waits for it by chance. */
bool apart_do(void (*job)(void *), void *context)
{
	_Alignas(16) char stack[STACK_SIZE];
	struct apart a = { job, context, getpid(), RUNNING };
	enum stage stage = RUNNING;
	sigset_t all, before;
	int kept = errno, pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = clone(run, stack + sizeof(stack), CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID,
		    &a, NULL, NULL, &a.stage);
	if (pid < 0) {
		job(context);
		stage = DONE;
	} else {
		while (stage == RUNNING)
			stage = stage_after(&a, RUNNING, NULL);
		if (stage == DONE)
			set_stage(&a, SEEN);
		while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	errno = kept;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return stage == DONE;
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
