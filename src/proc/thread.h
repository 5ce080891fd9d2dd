/*
 * thread - the threads of a process, as they are now.
 */
#ifndef SONDE_PROC_THREAD_H
#define SONDE_PROC_THREAD_H

#include "proc/process.h"

struct thread {
	uint32_t tid;
	char comm[COMM_SIZE]; /* hostile: may hold any byte */
};

struct thread_list {
	ARRAY(struct thread);
};

/* Adds the threads of a process; those that end meanwhile are left out.
 * -ESRCH when the process is gone. */
int thread_list_read(uint32_t pid, struct thread_list *ret, struct error *err);

#endif
