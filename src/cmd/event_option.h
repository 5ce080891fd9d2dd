/*
 * event_option - what -e says: of which moments samples are taken, or looked at.
 */
#ifndef SONDE_CMD_EVENT_OPTION_H
#define SONDE_CMD_EVENT_OPTION_H

#include "base/error.h"
#include "base/option.h"

/* Bits of wire/sample_cause.h, 0 if nothing was said.  kinds: one kind of waiting (lock,
 * sleep) may be named, too.  -EINVAL with the words there are. */
int event_causes(const struct option_texts *events, bool kinds, uint64_t *ret,
		 struct error *err);

#endif
