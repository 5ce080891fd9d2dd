/*
 * permit - in which processes of a run the returns of calls may be hooked.
 *
 * Every process is judged by all code it maps before the first return in it is
 * hooked, and again whenever that code changes; until then, and where a hook could do
 * harm, calls that would need one are counted and let go (END_UNJUDGED).  A forked
 * child is out of its reach as long as it inherits the breakpoints of its parent's link.
 */
#ifndef SONDE_SESSION_PERMIT_H
#define SONDE_SESSION_PERMIT_H

#include "session/session.h"

/* A process has mapped something. */
void permit_note(struct session *s, uint32_t pid);
/* Judges the processes that were noted, and those the kernel half asks for. */
void permit_pending(struct session *s);

#endif
