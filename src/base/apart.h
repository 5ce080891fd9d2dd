/*
 * apart - does something in a process of its own that shares memory and descriptors.
 *
 * For what the kernel leaves half done when it is killed amid: a process with a fatal signal
 * pending can no longer write to another one's memory, so a probe that is being put there or
 * taken away when its owner is killed stays for good.  The process apart goes on when this
 * one is killed, alone or with its whole group, and then closes all descriptors, as the last
 * that has them.
 *
 * It does not protect where all that share the memory are killed: by the out-of-memory
 * killer, or with a whole container.
 */
#ifndef SONDE_BASE_APART_H
#define SONDE_BASE_APART_H

#include <stdbool.h>

/* Runs job(context), with all signals blocked, and waits for it.  The job must not allocate
 * memory, take a lock, or use much stack (16 KiB): whoever holds the lock may have been killed.
 * What it has opened is open here, too.  Done by the caller where no process can be made.
 * False: the process apart was killed, and nobody knows how far the job came. */
bool apart_do(void (*job)(void *), void *context);

/* A system call with up to five arguments, done apart: what it returns, or -errno; -EINTR: the
 * process apart was killed amid. */
long apart_syscall(long number, const long args[5]);
/* As close(2). */
void apart_close(int fd);

#endif
