/*
 * end_signals - what asks a program to end: SIGINT, SIGTERM, SIGHUP.
 */
#ifndef SONDE_SESSION_END_SIGNALS_H
#define SONDE_SESSION_END_SIGNALS_H

#include <signal.h>

/* All of them do this.  A SIGHUP that is ignored stays so: nohup(1). */
void end_signals_set(const struct sigaction *action);

#endif
