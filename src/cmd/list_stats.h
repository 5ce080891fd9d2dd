/*
 * list_stats - how much of an image can be watched cheaply.
 */
#ifndef SONDE_CMD_LIST_STATS_H
#define SONDE_CMD_LIST_STATS_H

#include "cmd/listing.h"

/* Writes to standard output, for each image of the listing's code with functions
 * that fit the pattern (NULL: all), how many have cheap entries and exits, and why
 * the others cannot be watched.  As listing_find(). */
int list_stats(struct listing *l, const char *pattern, bool json, struct error *err);

#endif
