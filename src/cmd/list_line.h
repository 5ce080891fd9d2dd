/*
 * list_line - the lines of a source file that have code.
 */
#ifndef SONDE_CMD_LIST_LINE_H
#define SONDE_CMD_LIST_LINE_H

#include "session/listing.h"

/* Is it a source file rather than a function: "main.c", "src/row.cc"? */
bool list_is_source(const char *pattern);

/* Writes the lines to standard output.  -ENOENT: no image has code of that file,
 * or none has lines. */
int list_lines(struct listing *l, const char *file, bool json, struct error *err);

#endif
