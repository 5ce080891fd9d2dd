/*
 * pprof_read - the reading side of pprof, for tests only.
 */
#ifndef SONDE_SINK_PPROF_READ_H
#define SONDE_SINK_PPROF_READ_H

#include "base/text.h"
#include "sink/pprof.pb-c.h"

/* Unzips and unpacks; NULL when either fails.  Free with
 * pprof__profile__free_unpacked(m, NULL). */
Pprof__Profile *pprof_read(const struct text *gz);
/* The unzipped message; empty when it is no gzip. */
void pprof_unzip(struct text *ret, const struct text *gz);
/* Adds the profile as lines of text. */
void pprof_print(struct text *out, const struct text *gz);

#endif
