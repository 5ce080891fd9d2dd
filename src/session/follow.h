/*
 * follow - the target as it lives on while it is watched: its processes fork,
 * become other programs, load code.
 *
 * The kernel half sees all that by itself; what follows here is what needs
 * files: names, unwind tables.
 */
#ifndef SONDE_SESSION_FOLLOW_H
#define SONDE_SESSION_FOLLOW_H

#include "session/session.h"

/* Functions for the source and for describe; context is the struct session. */
void follow_event(void *context, const struct event *e);
void follow_described(void *context, const struct event *e);
void follow_image(void *context, const struct event_image *image, const char *open_path);

/* Hears of new mappings from here on. */
void follow_maps(struct session *s);
/* Looks for code that is new, before samples in it are joined. */
void follow_new_code(struct session *s);
/* Where new mappings cannot be heard of: looks for them, once a tick. */
void follow_unheard(struct session *s);
/* Learns of the processes that were forked since the last call. */
void follow_born(struct session *s);
/* The command has just begun: it is still loading its libraries. */
void follow_command(struct session *s);

#endif
