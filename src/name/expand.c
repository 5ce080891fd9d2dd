#include "name/expand.h"

#include "elf/demangle.h"

#include <errno.h>

static text_id readable(struct namer *n, const struct inline_level *level)
{
	uint32_t id = table_find(&n->readable, (uintptr_t)level->raw);

	if (!*level->raw)
		return intern_text(&n->text, level->name);
	if (id != TABLE_NONE)
		return id;
	text_clear(&n->scratch);
	demangle(level->raw, DEMANGLE_NAME, &n->scratch);
	id = intern_text(&n->text, text_string(&n->scratch));
	table_set(&n->readable, (uintptr_t)level->raw, id);
	return id;
}

/* From the image's own file: index of the chain, CHAIN_NONE if there was no time. */
static uint32_t chain_ask(struct namer *n, struct origin *o, uint64_t offset)
{
	struct inline_level levels[INLINE_LEVELS];
	struct chain_level kept[INLINE_LEVELS];
	nsec before = origin_line_spent(o);
	int r = origin_expand(o, offset, line_budget(n, o), levels, INLINE_LEVELS);

	n->line_spent += origin_line_spent(o) - before;
	if (r == -EAGAIN) {
		n->lineless++;
		return CHAIN_NONE;
	}
	for (int i = 0; i < r; i++)
		kept[i] = (struct chain_level){
			.function = readable(n, &levels[i]),
			.file = intern_text(&n->text, levels[i].file),
			.at_file = intern_text(&n->text, levels[i].at_file),
			.line = levels[i].line,
			.at_line = levels[i].at_line,
		};
	return chains_add(
		&n->chains,
		&(struct chain){ .offset = offset, .image = o->image, .count = r > 0 ? r : 0 },
		kept);
}

static void level_put(const struct namer *n, const struct chain_level *l, struct frame_name *to)
{
	*to = (struct frame_name){
		.function = intern_string(&n->text, l->function),
		.file = intern_string(&n->text, l->file),
		.line = l->line,
		.at_file = intern_string(&n->text, l->at_file),
		.at_line = l->at_line,
	};
}

unsigned namer_expand(void *context, uint32_t image, uint64_t offset, struct frame_name *ret,
		      unsigned room)
{
	struct namer *n = context;
	struct origin *o = origin_of(n, image);
	uint32_t at = chains_find(&n->chains, image, offset);
	const struct chain_level *levels;
	struct frame_name own, *last;
	unsigned count;

	if (!o || o->kind != IMAGE_FILE || room < 2)
		return 0;
	if (at == CHAIN_NONE)
		at = chain_ask(n, o, offset);
	if (at == CHAIN_NONE || !n->chains.list.at[at].count)
		return 0;
	count = n->chains.list.at[at].count < room ? n->chains.list.at[at].count : room;
	levels = n->chains.levels.at + n->chains.list.at[at].first;
	for (unsigned i = 0; i < count; i++)
		level_put(n, &levels[i], &ret[i]);
	last = &ret[count - 1];
	level_put(n, &levels[n->chains.list.at[at].count - 1], last);
	/* the function is called the same wherever in it the offset is */
	if (namer_find(n, image, offset, &own)) {
		own.at_file = last->at_file;
		own.at_line = last->at_line;
		*last = own;
	}
	return count;
}
