#include "view/fold_name.h"
#include "view/hold.h"

/* "[waits: mutex cache_mu]", "[waits: end of thread loader]" */
static text_id wait_name(const struct fold *f, const struct hold *h, const struct lock *lock,
			 const struct store_thread *owner)
{
	struct intern *texts = &f->picture->text;
	text_id variable = hold_variable(h, f->naming, lock, texts);
	AUTO_FREE char *name = NULL;

	if (h->kind == HOLD_THREAD)
		name = owner && *owner->name
			       ? mem_format(FRAME_WAITS "end of thread %s]", owner->name)
			       : mem_text(FRAME_WAITS "end of a thread]");
	else if (variable)
		name = mem_format(FRAME_WAITS "%s %s]", hold_words[h->kind],
				  intern_string(texts, variable));
	else if (h->kind != HOLD_FUTEX)
		name = mem_format(FRAME_WAITS "%s]", hold_words[h->kind]);
	return name ? intern_text(texts, name) : 0;
}

static text_id owner_name(const struct fold *f, const struct store_thread *owner)
{
	AUTO_FREE char *name = *owner->name ? mem_format(FRAME_HELD "%s]", owner->name)
					    : mem_format(FRAME_HELD "thread %u]", owner->tid);

	return intern_text(&f->picture->text, name);
}

static uint32_t wait_frame(struct fold *f, text_id name, const struct frame *place)
{
	struct picture_frame named = { .name = name, .kind = FRAME_WAIT, .image = UINT32_MAX };

	return fold_named(f, &named, place);
}

unsigned fold_wait(struct fold *f, uint32_t parent, frame_id id, uint32_t frames[2],
		   uint32_t *ret_owner)
{
	const struct frame frame = frame_at(&f->store->frames, id);
	const struct lock *lock = NULL;
	const struct store_thread *owner;
	struct hold h;
	text_id name;

	if (frame.image == IMAGE_ID_WAIT && !f->query->no_locks)
		lock = lock_at(&f->store->locks, wait_lock(&frame));
	if (!lock)
		return 0;
	h = hold_of(f->picture, parent, &lock->futex);
	owner = h.owner ? store_thread_numbered(f->store, lock->pid, h.owner) : NULL;
	name = wait_name(f, &h, lock, owner);
	if (!name)
		return 0;
	frames[0] = wait_frame(f, name, &frame);
	if (!owner || h.kind == HOLD_THREAD)
		return 1;
	*ret_owner = owner->tid;
	frames[1] = wait_frame(f, owner_name(f, owner), &frame);
	return 2;
}
