/*
 * wake_kind - what ends a wait, from where in the kernel the sleeper is woken.
 */
#ifndef SONDE_NAME_WAKE_KIND_H
#define SONDE_NAME_WAKE_KIND_H

#include "model/naming.h"
#include "wire/event.h"

/* WAKE_THREAD made more exact; any other stays what it is.  event_check holds. */
enum wake_by wake_kind(const struct naming *naming, const struct event_wake *wake);

#endif
