/*
 * launch - starts a command as the target, held before its first instruction.
 */
#ifndef SONDE_SESSION_LAUNCH_H
#define SONDE_SESSION_LAUNCH_H

#include "base/error.h"

#include <stdint.h>

/* Starts argv[0] (looked up in PATH) and stops it right after exec: its file is
 * mapped, its libraries are not yet.  Until launch_go() it ends when we do.
 * -ENOENT, -EACCES: it cannot be started. */
int launch_open(char **argv, uint32_t *ret_pid, struct error *err);
/* Lets it load its libraries and run their constructors, and stops it again before
 * the first instruction of the program itself.  -ECHILD: it ended before that, which
 * the sentence says; it is no more. */
int launch_load(uint32_t pid, struct error *err);
/* Lets it run, free of the tracer. */
int launch_go(uint32_t pid, struct error *err);
/* Ends a command that was never let run. */
void launch_abandon(uint32_t pid);
/* From here on a signal that asks us to end is handed on to one that runs, unless it came from
 * the terminal, which told it as well; a second one ends us. */
void launch_hand_on(uint32_t pid);
/* Waits for the end of one that runs: wait(2)'s status. */
int launch_wait(uint32_t pid);

#endif
