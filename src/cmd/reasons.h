/*
 * reasons - why functions cannot be watched, and how many for each reason.
 */
#ifndef SONDE_CMD_REASONS_H
#define SONDE_CMD_REASONS_H

#include "base/array.h"

#include <jansson.h>
#include <stdint.h>

struct reason {
	const char *text; /* static */
	uint32_t count;
};

struct reason_list {
	ARRAY(struct reason);
};

/* One function more. */
void reasons_add(struct reason_list *l, const char *text);
/* The most frequent first. */
void reasons_sort(struct reason_list *l);
/* {reason: count}; the caller's. */
json_t *reasons_json(const struct reason_list *l);

#endif
