/*
 * files - how many files may be open at once: one a process that is watched, some an image.
 */
#ifndef SONDE_SESSION_FILES_H
#define SONDE_SESSION_FILES_H

#include "base/error.h"

#define FILES_LEAST 256 /* with fewer, nothing can be watched */

/* As many as may be.  -EMFILE: fewer than FILES_LEAST may, which the sentence says. */
int files_allow_many(struct error *err);
/* What was allowed before: for a command that is started.  Safe behind fork(2). */
void files_allow_as_before(void);

#endif
