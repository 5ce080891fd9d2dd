#include "model/span.h"

#include "wire/span_end.h"

#include <assert.h>

void spans_init(struct spans *s, uint32_t limit)
{
	*s = (struct spans){ .limit = limit, .free_slot = SPAN_NONE };
	s->open = s->ended = (struct span_list){ SPAN_NONE, SPAN_NONE, 0 };
}

void spans_done(struct spans *s)
{
	array_done(&s->slots);
	table_done(&s->ids);
	*s = (struct spans){ 0 };
}

static void list_append(struct spans *s, struct span_list *list, uint32_t slot)
{
	s->slots.at[slot].older = list->newest;
	s->slots.at[slot].newer = SPAN_NONE;
	if (list->newest == SPAN_NONE)
		list->oldest = slot;
	else
		s->slots.at[list->newest].newer = slot;
	list->newest = slot;
	list->count++;
}

static void list_remove(struct spans *s, struct span_list *list, uint32_t slot)
{
	struct span *span = &s->slots.at[slot];

	if (span->older == SPAN_NONE)
		list->oldest = span->newer;
	else
		s->slots.at[span->older].newer = span->newer;
	if (span->newer == SPAN_NONE)
		list->newest = span->older;
	else
		s->slots.at[span->newer].older = span->older;
	list->count--;
}

struct span *span_find(const struct spans *s, span_id id)
{
	uint32_t slot = table_find(&s->ids, id);

	return slot == TABLE_NONE ? NULL : &s->slots.at[slot];
}

struct span *span_get(struct spans *s, span_id id)
{
	struct span *span = span_find(s, id);
	uint32_t slot = s->free_slot;

	if (span)
		return span;
	assert(id && !spans_full(s));
	if (slot == SPAN_NONE) {
		slot = s->slots.count;
		(void)array_add(&s->slots);
	} else {
		s->free_slot = s->slots.at[slot].newer;
	}
	s->slots.at[slot] = (struct span){ .id = id };
	table_set(&s->ids, id, slot);
	list_append(s, &s->open, slot);
	return &s->slots.at[slot];
}

void span_end(struct spans *s, struct span *span, nsec time, enum span_end reason)
{
	uint32_t slot = span - s->slots.at;

	if (!span->over) {
		list_remove(s, &s->open, slot);
		list_append(s, &s->ended, slot);
	}
	span->over = true;
	span->ended = time;
	span->reason = reason;
}

bool spans_full(const struct spans *s)
{
	return s->limit && s->ids.count >= s->limit;
}

struct span *spans_oldest(const struct spans *s)
{
	uint32_t slot = s->ended.count ? s->ended.oldest : s->open.oldest;

	return slot == SPAN_NONE ? NULL : &s->slots.at[slot];
}

void span_forget(struct spans *s, struct span *span)
{
	uint32_t slot = span - s->slots.at;

	list_remove(s, span->over ? &s->ended : &s->open, slot);
	if (span->over)
		s->forgotten++;
	else
		s->forgotten_open++;
	table_remove(&s->ids, span->id);
	*span = (struct span){ .newer = s->free_slot };
	s->free_slot = slot;
}

bool span_finished(const struct span *span)
{
	return span->over && span->began && span_end_words[span->reason].proof == SPAN_END_TRUE;
}

nsec span_age(const struct span *span, nsec now)
{
	nsec end = span->over ? span->ended : now;

	return span->began && end > span->began ? end - span->began : 0;
}
