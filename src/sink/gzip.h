/*
 * gzip - bytes into a gzip member (RFC 1952), without a name and a time, so
 * that equal bytes give equal files.
 */
#ifndef SONDE_SINK_GZIP_H
#define SONDE_SINK_GZIP_H

#include "base/error.h"
#include "base/text.h"

/* Adds the compressed bytes to out; negative errno when zlib refuses. */
int gzip_add(struct text *out, const void *bytes, size_t size, struct error *err);

#endif
