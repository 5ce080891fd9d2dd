/*
 * array - a growing array of one type.
 *
 *	ARRAY(struct probe) probes = { 0 };
 *	struct probe *p = array_add(&probes);	// zeroed, valid until the next add
 *	for (uint32_t i = 0; i < probes.count; i++) ... probes.at[i] ...
 *	array_done(&probes);
 */
#ifndef SONDE_BASE_ARRAY_H
#define SONDE_BASE_ARRAY_H

#include "base/mem.h"

#include <stdint.h>
#include <string.h>

#define ARRAY(type)             \
	struct {                \
		type *at;       \
		uint32_t count; \
		uint32_t room;  \
	}

static inline void *array_grow(void *at, uint32_t *room, uint32_t count, size_t size)
{
	if (count < *room)
		return at;
	*room = *room ? *room + *room / 2 + 1 : 8;
	return mem_resize(at, *room, size);
}

/* Pointer to a new zeroed last element. */
#define array_add(a)                                                              \
	((a)->at = array_grow((a)->at, &(a)->room, (a)->count, sizeof(*(a)->at)), \
	 memset(&(a)->at[(a)->count], 0, sizeof(*(a)->at)), &(a)->at[(a)->count++])

#define array_push(a, value) (*(__typeof__((a)->at))array_add(a) = (value))

/* Room for so many elements in all, for one that is still empty and will be large. */
#define array_reserve(a, many) \
	((a)->room = (many), (a)->at = mem_resize((a)->at, (a)->room, sizeof(*(a)->at)))

#define array_clear(a) ((void)((a)->count = 0))

#define array_done(a) (free((a)->at), (a)->at = NULL, (a)->count = (a)->room = 0)

#define COUNT_OF(fixed) (sizeof(fixed) / sizeof((fixed)[0]))

#endif
