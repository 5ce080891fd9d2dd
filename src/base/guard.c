#include "base/guard.h"

#include "base/apart.h"
#include "base/helper.h"

#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

/* Tells it that the thread that waits for it has ended, or that it shall end: one that nobody
 * sends by chance. */
#define END SIGRTMAX

static struct {
	pthread_t thread;
	pid_t owner;
	_Atomic pid_t pid; /* 0: none */
	sem_t ready;
	bool runs;
} guard;

/* Returns when this process ends or its guard shall: what is done then is apart_do()'s. */
static void keep(void *context)
{
	bool apart = getpid() != guard.owner;
	sigset_t end;

	if (apart) {
		prctl(PR_SET_NAME, "sonde-guard");
		prctl(PR_SET_PDEATHSIG, END);
		atomic_store(&guard.pid, getpid());
	}
	sem_post(&guard.ready);
	if (!apart || getppid() != guard.owner)
		return;
	sigemptyset(&end);
	sigaddset(&end, END);
	sigwait(&end, &(int){ 0 });
}

/* A thread of its own waits for it: the two share what belongs to a thread (errno). */
static void *run(void *context)
{
	apart_do(keep, NULL);
	atomic_store(&guard.pid, 0);
	sem_post(&guard.ready); /* it may have been killed before it said so */
	return NULL;
}

void guard_begin(void)
{
	guard.owner = getpid();
	sem_init(&guard.ready, 0, 0);
	guard.runs = helper_start(&guard.thread, NULL, run, NULL) == 0;
	while (guard.runs && sem_wait(&guard.ready))
		; /* a signal */
}

void guard_end(void)
{
	pid_t pid = atomic_load(&guard.pid);

	if (!guard.runs)
		return;
	if (pid)
		kill(pid, END);
	pthread_join(guard.thread, NULL);
	sem_destroy(&guard.ready);
	guard.runs = false;
}
