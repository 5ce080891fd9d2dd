#include "model/frame.h"

#include "base/mem.h"
#include "base/table.h"

void frames_init(struct frames *f, uint32_t limit)
{
	*f = (struct frames){ .limit = limit };
	(void)array_add(&f->list);
}

void frames_done(struct frames *f)
{
	array_done(&f->list);
	free(f->slots);
	*f = (struct frames){ 0 };
}

static uint32_t frame_slot(const struct frames *f, uint32_t image, uint64_t offset)
{
	uint32_t mask = f->nr_slot - 1, i = hash_u64(offset ^ (uint64_t)image << 44) & mask;

	for (; f->slots[i]; i = (i + 1) & mask) {
		const struct frame *at = &f->list.at[f->slots[i]];

		if (at->offset == offset && at->image == image)
			break;
	}
	return i;
}

/* At most half full, so that probes stay short. */
static void frames_grow(struct frames *f)
{
	f->nr_slot = f->nr_slot ? f->nr_slot * 2 : 256;
	free(f->slots);
	f->slots = mem_zeroed(f->nr_slot, sizeof(*f->slots));
	for (uint32_t id = 1; id < f->list.count; id++) {
		struct frame *at = &f->list.at[id];

		f->slots[frame_slot(f, at->image, at->offset)] = id;
	}
}

frame_id frame_add(struct frames *f, uint32_t image, uint64_t offset)
{
	uint32_t i;

	if (!image && !offset)
		return 0;
	if (f->list.count >= f->nr_slot / 2)
		frames_grow(f);
	i = frame_slot(f, image, offset);
	if (f->slots[i])
		return f->slots[i];
	if (f->limit && f->list.count >= f->limit) {
		f->refused++;
		return 0;
	}
	*(struct frame *)array_add(&f->list) = (struct frame){ offset, image };
	f->slots[i] = f->list.count - 1;
	return f->slots[i];
}
