#include "model/sample.h"

#include "base/mem.h"

#include <assert.h>

void samples_init(struct samples *s, uint32_t limit)
{
	assert(limit);
	*s = (struct samples){ .limit = limit };
}

void samples_done(struct samples *s)
{
	free(s->ring);
	*s = (struct samples){ 0 };
}

bool samples_full(const struct samples *s)
{
	return s->count >= s->limit;
}

/* The memory grows with what is kept, up to the limit. */
static void samples_grow(struct samples *s)
{
	uint32_t room = s->room < 512 ? 1024 : s->room * 2;
	struct sample *ring;

	if (room > s->limit || room < s->room)
		room = s->limit;
	ring = mem_resize(NULL, room, sizeof(*ring));
	for (uint32_t i = 0; i < s->count; i++)
		ring[i] = *sample_at(s, i);
	free(s->ring);
	s->ring = ring;
	s->room = room;
	s->head = 0;
}

struct sample *sample_add(struct samples *s)
{
	struct sample *added;

	assert(!samples_full(s));
	if (s->count == s->room)
		samples_grow(s);
	added = sample_at(s, s->count++);
	*added = (struct sample){ 0 };
	return added;
}

void sample_drop(struct samples *s)
{
	assert(s->count);
	s->head = s->head + 1 == s->room ? 0 : s->head + 1;
	s->count--;
	s->dropped++;
}
