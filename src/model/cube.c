#include "model/cube.h"

#include <assert.h>

void cube_init(struct cube *c, uint32_t limit)
{
	*c = (struct cube){ .limit = limit };
}

void cube_done(struct cube *c)
{
	array_done(&c->cells);
	table_done(&c->index);
	*c = (struct cube){ 0 };
}

bool cube_has_room(const struct cube *c, uint32_t n)
{
	return !c->limit || c->cells.count + (uint64_t)n <= c->limit;
}

static uint64_t key_of(const struct cube_cell *cell)
{
	return (uint64_t)cell->node << 32 | cell->probe << 12 | cell->bucket;
}

void cube_forget(struct cube *c, uint32_t probe)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->cells.count; i++)
		if (c->cells.at[i].probe != probe)
			c->cells.at[kept++] = c->cells.at[i];
	if (kept == c->cells.count)
		return;
	c->cells.count = kept;
	table_clear(&c->index);
	for (uint32_t i = 0; i < kept; i++)
		table_set(&c->index, key_of(&c->cells.at[i]), i);
}

bool cube_arm(struct cube *c, uint32_t probe)
{
	uint32_t count = c->cells.count, nodes = 0;

	for (uint32_t i = 0; i < count; i++)
		nodes += !c->cells.at[i].probe;
	if (probe > CUBE_MAX_PROBE || !cube_has_room(c, nodes))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct cube_cell cell = c->cells.at[i];

		if (cell.probe)
			continue;
		cell.probe = probe;
		cell.bucket = CUBE_BEFORE;
		cube_add(c, &cell);
	}
	return true;
}

void cube_add(struct cube *c, const struct cube_cell *samples)
{
	uint64_t key = key_of(samples);
	uint32_t at = table_find(&c->index, key);

	assert(samples->probe <= CUBE_MAX_PROBE && samples->bucket <= CUBE_BEFORE);
	if (at == TABLE_NONE) {
		at = c->cells.count;
		array_push(&c->cells, *samples);
		c->cells.at[at].samples = c->cells.at[at].weight = 0;
		table_set(&c->index, key, at);
	}
	c->cells.at[at].samples += samples->samples;
	c->cells.at[at].weight += samples->weight;
}
