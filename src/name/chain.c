#include "name/chain.h"

void chains_done(struct chains *c)
{
	array_done(&c->list);
	array_done(&c->levels);
	table_done(&c->at);
}

/* Where the chain is in the table, or would be: *ret_key. */
static uint32_t look(const struct chains *c, uint32_t image, uint64_t offset, uint64_t *ret_key)
{
	uint64_t key = hash_u64(offset ^ (uint64_t)image << 44);
	uint32_t at;

	while ((at = table_find(&c->at, key)) != TABLE_NONE) {
		if (c->list.at[at].image == image && c->list.at[at].offset == offset)
			break;
		key++;
	}
	*ret_key = key;
	return at;
}

uint32_t chains_find(const struct chains *c, uint32_t image, uint64_t offset)
{
	uint64_t key;
	uint32_t at = look(c, image, offset, &key);

	return at == TABLE_NONE ? CHAIN_NONE : at;
}

uint32_t chains_add(struct chains *c, const struct chain *chain,
		    const struct chain_level *levels)
{
	uint64_t key;
	uint32_t at = look(c, chain->image, chain->offset, &key);

	if (c->list.count >= CHAINS_MAX || c->levels.count + chain->count > CHAIN_LEVELS_MAX) {
		c->forgotten++;
		return CHAIN_NONE;
	}
	if (at == TABLE_NONE) {
		at = c->list.count;
		(void)array_add(&c->list);
		table_set(&c->at, key, at);
	}
	c->list.at[at] = *chain;
	c->list.at[at].first = c->levels.count;
	for (unsigned i = 0; i < chain->count; i++)
		array_push(&c->levels, levels[i]);
	return at;
}

/* Levels arrive in order and at once; of what does not, nothing is kept. */
void chains_take(struct chains *c, struct intern *text, const struct event_inline *e)
{
	struct chain *a = &c->arrives;
	struct chain_level levels[INLINE_LEVELS];
	uint32_t kept = c->levels.count - a->count;

	if (e->level == 0) {
		c->levels.count = kept;
		*a = (struct chain){ .offset = e->offset, .image = e->image, .recorded = true };
	} else if (e->level != a->count || e->image != a->image || e->offset != a->offset) {
		c->levels.count = kept;
		*a = (struct chain){ 0 };
		c->forgotten++;
		return;
	}
	if (c->levels.count >= CHAIN_LEVELS_MAX) {
		c->forgotten++;
		return;
	}
	array_push(&c->levels, ((struct chain_level){
				       .function = intern_text(text, event_text(&e->head, 0)),
				       .file = intern_text(text, event_text(&e->head, 1)),
				       .at_file = intern_text(text, event_text(&e->head, 2)),
				       .line = e->line,
				       .at_line = e->at_line,
			       }));
	if (++a->count < e->levels)
		return;
	c->levels.count -= a->count;
	memcpy(levels, c->levels.at + c->levels.count, a->count * sizeof(levels[0]));
	chains_add(c, a, levels);
	*a = (struct chain){ 0 };
}

static void tell(const struct chains *c, const struct chain *chain, const struct intern *text,
		 chain_record each, void *context)
{
	AUTO_FREE struct event_room *room = NEW(struct event_room);

	for (uint16_t i = 0; i < chain->count; i++) {
		const struct chain_level *l = &c->levels.at[chain->first + i];
		struct event_inline e = {
			.offset = chain->offset,
			.image = chain->image,
			.level = i,
			.levels = chain->count,
			.line = l->line,
			.at_line = l->at_line,
		};

		each(context, event_make_inline(room, &e, intern_string(text, l->function),
						intern_string(text, l->file),
						intern_string(text, l->at_file)));
	}
}

void chains_each_new(struct chains *c, const struct intern *text, chain_record each,
		     void *context)
{
	for (; c->told < c->list.count; c->told++)
		if (!c->list.at[c->told].recorded)
			tell(c, &c->list.at[c->told], text, each, context);
}
