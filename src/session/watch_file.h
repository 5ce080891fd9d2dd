/*
 * watch_file - the sites of probes and of landmarks, by file: what one link attaches.
 */
#ifndef SONDE_SESSION_WATCH_FILE_H
#define SONDE_SESSION_WATCH_FILE_H

#include "session/watch.h"

/* Has one of the probe's functions, from that index on, such an end? */
bool watch_has_exit(const struct probe *p, uint32_t from, enum probe_exit exit);
/* Adds the sites of the probe's functions, from that index on, to files that no source has
 * yet.  -errno of opening one, -E2BIG; none of them is added then. */
int watch_group(struct watch *w, const struct probe *p, uint32_t from, struct error *err);
/* Adds the landmarks that are needed, in files that were not searched for them. */
int watch_landmarks(struct watch *w, struct code *code, struct error *err);
void watch_file_done(struct watch_file *f);

#endif
