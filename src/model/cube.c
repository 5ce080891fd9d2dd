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

void cube_add(struct cube *c, const struct cube_cell *sample)
{
	uint64_t key = (uint64_t)sample->node << 32 | sample->probe << 12 | sample->bucket;
	uint32_t at = table_find(&c->index, key);

	assert(sample->probe <= CUBE_MAX_PROBE && sample->bucket <= CUBE_BEFORE);
	if (at == TABLE_NONE) {
		at = c->cells.count;
		array_push(&c->cells, *sample);
		c->cells.at[at].samples = c->cells.at[at].weight = 0;
		table_set(&c->index, key, at);
	}
	c->cells.at[at].samples += sample->samples;
	c->cells.at[at].weight += sample->weight;
}
