/*
 * table - a hash table from a 64-bit key to a 32-bit value.
 *
 * Open addressing with linear probing, at most three quarters full.  The value
 * TABLE_NONE is reserved and means "not there".  Removal leaves no tombstones
 * (backward shift, Knuth 6.4 algorithm R).  Zero is valid and empty.
 */
#ifndef SONDE_BASE_TABLE_H
#define SONDE_BASE_TABLE_H

#include <stdint.h>

#define TABLE_NONE UINT32_MAX

struct table_slot {
	uint64_t key;
	uint32_t value; /* TABLE_NONE: free */
};

struct table {
	struct table_slot *slots;
	uint32_t count;
	uint32_t room; /* a power of two, or 0 */
};

void table_done(struct table *t);
void table_clear(struct table *t);
uint32_t table_find(const struct table *t, uint64_t key);
/* Sets or replaces. */
void table_set(struct table *t, uint64_t key, uint32_t value);
void table_remove(struct table *t, uint64_t key);

/* Mixes 64 bits (the finalizer of splitmix64, Steele et al. 2014). */
uint64_t hash_u64(uint64_t v);
uint64_t hash_bytes(const void *bytes, uint64_t size, uint64_t seed);

#endif
