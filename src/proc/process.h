/*
 * process - one running process, as /proc shows it.
 */
#ifndef SONDE_PROC_PROCESS_H
#define SONDE_PROC_PROCESS_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMM_SIZE 16 /* TASK_COMM_LEN, with its NUL */

struct process {
	uint32_t pid;
	uint32_t parent;
	uint32_t uid;	  /* who owns it */
	uint64_t started; /* clock ticks since boot: with pid, it names a process for good */
	char comm[COMM_SIZE]; /* hostile: may hold any byte */
	char state;	      /* as in /proc/PID/stat: R S D Z T ..., of its main thread */
	bool kernel;	      /* a kernel thread */
	bool ended;	      /* a zombie, or going */
	bool headless;	      /* its main thread has ended (pthread_exit), others run */
};

struct process_list {
	ARRAY(struct process);
};

/* Parses the text of /proc/PID/stat; uid is left alone.  -EINVAL if it is not one. */
int process_parse(const char *stat, struct process *ret);
/* -ESRCH when there is none.  tid may be any thread; what comes back is the
 * process it belongs to. */
int process_read(uint32_t tid, struct process *ret, struct error *err);
/* By what number /proc shows what the process maps and sees: its own, or that of one of its
 * other threads once the main one has ended. */
uint32_t process_face(uint32_t pid);
/* Is p still the same process, not a later one with its number? */
bool process_is_alive(const struct process *p);
/* 0, or -ENOTSUP where the numbers that are seen here are not the kernel's own: in a
 * container.  The kernel would be asked about another process. */
int process_numbers_check(struct error *err);
/* All processes, without kernel threads, zombies and sonde itself. */
int process_list_read(struct process_list *ret, struct error *err);
/* Base name of its executable, "" where it cannot be read.  Returns buf. */
char *process_exe_name(uint32_t pid, char *buf, size_t size);

#endif
