/*
 * wait_kind - what a blocked thread waits for, from where in the kernel it gave its CPU away.
 *
 * The functions of the kernel between the system call (or the fault) and its scheduler say so;
 * where they have no names, the number of the system call does, less exactly.
 */
#ifndef SONDE_NAME_WAIT_KIND_H
#define SONDE_NAME_WAIT_KIND_H

#include "model/naming.h"
#include "wire/event.h"

/* The cause of a wait that was CAUSE_WAIT; any other stays what it is.  event_check holds. */
enum sample_cause wait_kind(const struct naming *naming, const struct event_wait *wait);

#endif
