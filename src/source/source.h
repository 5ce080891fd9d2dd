/*
 * source - where events come from.
 *
 * A live kernel, a file or another machine: each hands its events, checked, to
 * a function of this type, and who gets them cannot tell which it was.
 */
#ifndef SONDE_SOURCE_SOURCE_H
#define SONDE_SOURCE_SOURCE_H

#include "wire/event.h"

/* event_check holds for e, which is valid during the call only. */
typedef void (*source_event)(void *context, const struct event *e);

#endif
