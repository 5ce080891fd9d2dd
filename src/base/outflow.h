/*
 * outflow - bytes on their way to a reader that may be slow, or stand still.
 *
 * A terminal that is held, a pager, a pipe nobody reads: what they do not take now waits
 * here, and who writes goes on.  A file takes all at once.
 */
#ifndef SONDE_BASE_OUTFLOW_H
#define SONDE_BASE_OUTFLOW_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OUTFLOW_MOST (64 << 20) /* bytes that may wait */

struct outflow {
	int fd;		     /* written to */
	int own;	     /* our own opening of the same, which does not block; -1: none */
	bool is_file;	     /* regular, and so never waited for */
	struct text waiting; /* from `at` on */
	size_t at;
	uint64_t bytes; /* that the reader has taken */
	int failed;	/* negative errno of the first failure: nothing is taken any more */
};

/* fd stays the caller's, in the mode it has: others may share it. */
void outflow_open(struct outflow *o, int fd);
/* What the reader takes now is written, the rest waits.  -EPIPE: the reader has gone;
 * -ENOBUFS: it has not read for so long that OUTFLOW_MOST would be exceeded, and what was put
 * last is dropped whole; otherwise what write(2) says. */
int outflow_put(struct outflow *o, const void *bytes, size_t size);
/* Writes more of what waits, if the reader takes any. */
int outflow_try(struct outflow *o);
/* Waits until the reader has taken all. */
int outflow_end(struct outflow *o);
size_t outflow_waiting(const struct outflow *o);
/* Frees; what waits is dropped. */
void outflow_done(struct outflow *o);

#endif
