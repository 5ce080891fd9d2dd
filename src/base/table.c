#include "base/table.h"

#include "base/mem.h"

#include <string.h>

uint64_t hash_u64(uint64_t v)
{
	v += 0x9e3779b97f4a7c15u;
	v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
	v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
	return v ^ (v >> 31);
}

uint64_t hash_bytes(const void *bytes, uint64_t size, uint64_t seed)
{
	const unsigned char *p = bytes;
	uint64_t h = hash_u64(seed ^ size), word;

	for (; size >= 8; size -= 8, p += 8) {
		memcpy(&word, p, 8);
		h = hash_u64(h ^ word);
	}
	word = 0;
	memcpy(&word, p, size);
	return hash_u64(h ^ word);
}

void table_done(struct table *t)
{
	free(t->slots);
	*t = (struct table){ 0 };
}

void table_clear(struct table *t)
{
	for (uint32_t i = 0; i < t->room; i++)
		t->slots[i].value = TABLE_NONE;
	t->count = 0;
}

/* The slot of key, or the free one where it would go.  room > count. */
static uint32_t table_slot(const struct table *t, uint64_t key)
{
	uint32_t i = hash_u64(key) & (t->room - 1);

	while (t->slots[i].value != TABLE_NONE && t->slots[i].key != key)
		i = (i + 1) & (t->room - 1);
	return i;
}

uint32_t table_find(const struct table *t, uint64_t key)
{
	return t->room ? t->slots[table_slot(t, key)].value : TABLE_NONE;
}

static void table_grow(struct table *t)
{
	struct table old = *t;

	t->room = old.room ? old.room * 2 : 16;
	t->slots = mem_alloc(t->room * sizeof(*t->slots));
	table_clear(t);
	for (uint32_t i = 0; i < old.room; i++) {
		if (old.slots[i].value == TABLE_NONE)
			continue;
		t->slots[table_slot(t, old.slots[i].key)] = old.slots[i];
		t->count++;
	}
	free(old.slots);
}

void table_set(struct table *t, uint64_t key, uint32_t value)
{
	uint32_t i;

	if (t->count + 1 > t->room / 4 * 3)
		table_grow(t);
	i = table_slot(t, key);
	if (t->slots[i].value == TABLE_NONE)
		t->count++;
	t->slots[i] = (struct table_slot){ key, value };
}

void table_remove(struct table *t, uint64_t key)
{
	uint32_t hole, i, home, mask = t->room - 1;

	if (!t->room)
		return;
	hole = table_slot(t, key);
	if (t->slots[hole].value == TABLE_NONE)
		return;
	t->count--;
	for (i = (hole + 1) & mask; t->slots[i].value != TABLE_NONE; i = (i + 1) & mask) {
		home = hash_u64(t->slots[i].key) & mask;
		if (((i - home) & mask) < ((i - hole) & mask))
			continue; /* its home lies behind the hole: it must stay */
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole].value = TABLE_NONE;
}
