#include "view/fold_name.h"

/* What another thread does, that has what is waited for, or ends the wait. */
struct other {
	struct table *frames; /* picture frame to that of such a one */
	const char *suffix;
};

/* "rebuild_cache [holder]": other than where the thread does so on its own account. */
static uint32_t frame_of_other(struct fold *f, const struct other *other, uint32_t frame)
{
	uint32_t at = table_find(other->frames, frame);
	struct picture_frame named;
	struct frame place;
	AUTO_FREE char *name = NULL;

	if (at != TABLE_NONE)
		return at;
	named = f->picture->frames.at[frame];
	place = f->places.at[frame];
	name = mem_format("%s%s", picture_text(f->picture, named.name), other->suffix);
	named.name = intern_text(&f->picture->text, name);
	named.kind = FRAME_HOLDER;
	named.outer = 0;
	at = f->picture->frames.count;
	array_push(&f->picture->frames, named);
	array_push(&f->places, place);
	table_set(other->frames, frame, at);
	return at;
}

/* Copies a stack of the picture. */
static uint32_t add_stack(struct fold *f, uint32_t at, const struct other *other,
			  uint32_t stack)
{
	const struct picture *p = f->picture;

	array_clear(&f->path);
	for (; stack; stack = p->nodes.at[stack].parent)
		array_push(&f->path, stack);
	for (uint32_t i = f->path.count; i-- > 0;) {
		struct picture_node n = p->nodes.at[f->path.at[i]];
		struct fold_level site = { .at_file = n.site_file, .at_line = n.site_line };

		at = fold_child(f, at, frame_of_other(f, other, n.frame), &site);
	}
	return at;
}

static bool is_held_by(const struct fold *f, uint32_t node, uint32_t tid)
{
	return table_find(&f->owners, (uint64_t)node << 32 | tid) != TABLE_NONE;
}

static uint32_t add_holders(struct fold *f, uint32_t at, const struct held *held)
{
	const struct other holder = { &f->holders, FRAME_OF_HOLDER };
	uint32_t stack = at;

	for (; held && is_held_by(f, stack, held->tid);
	     held = held_at(&f->store->holders, held->next)) {
		stack = fold_node(f, held->node);
		at = add_stack(f, at, &holder, stack);
	}
	return at;
}

/* A sleep that lasts as long as it was to is no news. */
static bool is_news(const struct fold *f, uint32_t node, enum wake_by by)
{
	const struct frame *place = &f->places.at[f->picture->nodes.at[node].frame];

	return by != WAKE_TIMER || wait_cause(place) != CAUSE_SLEEP;
}

/* "[woken by refresher]", "[timed out]" */
static uint32_t waker_frame(struct fold *f, uint32_t node, const struct held *held)
{
	struct picture_frame named = { .kind = FRAME_WAIT, .image = UINT32_MAX };
	const char *thread = intern_string(&f->store->text, held->name);
	AUTO_FREE char *name = held->by == WAKE_TIMER	 ? mem_text(FRAME_TIMED_OUT)
			       : held->by != WAKE_THREAD ? mem_text(FRAME_WOKEN "an interrupt]")
			       : *thread		 ? mem_format(FRAME_WOKEN "%s]", thread)
					 : mem_format(FRAME_WOKEN "thread %u]", held->tid);

	named.name = intern_text(&f->picture->text, name);
	return fold_named(f, &named, &f->places.at[f->picture->nodes.at[node].frame]);
}

static uint32_t add_waker(struct fold *f, uint32_t node, const struct held *held)
{
	const struct other waker = { &f->wakers, FRAME_OF_WAKER };
	uint32_t at = node;

	if (f->picture->frames.at[f->picture->nodes.at[node].frame].kind != FRAME_WAIT ||
	    !is_news(f, node, held->by))
		return node;
	at = fold_child(f, at, waker_frame(f, node, held), NULL);
	return held->node ? add_stack(f, at, &waker, fold_node(f, held->node)) : at;
}

uint32_t fold_held(struct fold *f, uint32_t node, uint32_t number)
{
	uint64_t key = (uint64_t)node << 32 | number;
	const struct held *held = held_at(&f->store->holders, number);
	uint32_t at;

	if (!held)
		return node;
	at = table_find(&f->held, key);
	if (at != TABLE_NONE)
		return at;
	at = held->by ? add_waker(f, node, held) : add_holders(f, node, held);
	table_set(&f->held, key, at);
	return at;
}
