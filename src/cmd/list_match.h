/*
 * list_match - the functions of which list tells.
 */
#ifndef SONDE_CMD_LIST_MATCH_H
#define SONDE_CMD_LIST_MATCH_H

#include "probe/match.h"

/* Adds the functions that a pattern stands for, NULL: all; ret must be done with
 * also on errors, which are those of place_parse() and match_find(). */
int list_match(struct code *code, const char *pattern, struct match_list *ret,
	       struct error *err);

#endif
