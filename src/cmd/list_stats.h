/*
 * list_stats - how much of an image can be watched cheaply.
 */
#ifndef SONDE_CMD_LIST_STATS_H
#define SONDE_CMD_LIST_STATS_H

#include "probe/code.h"

#include <stdbool.h>

/* Writes to standard output, for each image of the code with functions
 * that fit the pattern (NULL: all), how many have cheap entries and exits, and why
 * the others cannot be watched.  As list_match(). */
int list_stats(struct code *code, const char *pattern, bool json, struct error *err);

#endif
