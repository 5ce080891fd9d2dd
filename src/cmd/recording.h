/*
 * recording - a recording that is to be asked: report, diff, open.
 */
#ifndef SONDE_CMD_RECORDING_H
#define SONDE_CMD_RECORDING_H

#include "session/ask.h"

/* Puts all of it into *ret; feed_done() is the caller's, on an error too.  Damage is said.
 * Errors as of file_replay(). */
int recording_load(const char *path, struct feed *ret, struct error *err);

/* Asks it, as ask_picture(). */
int recording_ask(const struct ask *ask, struct feed *feed, struct picture **ret,
		  struct error *err);

#endif
