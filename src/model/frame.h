/*
 * frame - every code place ever seen, as a small number.
 *
 * A frame is physical: an image and an offset in it (the file offset; the
 * address for the kernel, for JIT code and for addresses outside every map).
 * What it is called is found later, see model/naming.h; so recordings of two
 * machines merge, and names can sharpen while debug info loads.
 *
 * Frame 0 is the unknown place (image 0, offset 0); it also stands for what
 * found the table full.
 */
#ifndef SONDE_MODEL_FRAME_H
#define SONDE_MODEL_FRAME_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t frame_id;

/* Images that stand for what the walk knows but no file holds.  Sources number
 * images from 1; ids from IMAGE_ID_END on are never a file's. */
#define IMAGE_ID_END 0xfffffff0u
#define IMAGE_ID_CALL 0xfffffffcu      /* a watched call; offset: the frame_id of its entry */
#define IMAGE_ID_WAIT 0xfffffffdu      /* here it left its CPU; offset: see wait_place() */
#define IMAGE_ID_PROBE 0xfffffffeu     /* the tick fell into the probe machinery */
#define IMAGE_ID_TRUNCATED 0xffffffffu /* the outer callers that did not fit in the record */

struct frame {
	uint64_t offset;
	uint32_t image;
};

/* What a thread waited for: enum sample_cause, and the number of a lock (model/lock.h), 0 =
 * not known. */
static inline uint64_t wait_place(uint32_t cause, uint32_t lock)
{
	return (uint64_t)lock << 8 | cause;
}

static inline uint32_t wait_cause(const struct frame *wait)
{
	return wait->offset & 0xff;
}

static inline uint32_t wait_lock(const struct frame *wait)
{
	return wait->offset >> 8;
}

struct frames {
	ARRAY(struct frame) list;
	uint32_t *slots;  /* ids; 0 = free (frame 0 is never looked up by hash) */
	uint32_t nr_slot; /* a power of two, or 0 */
	uint32_t limit;	  /* most frames that are kept, 0 = no bound */
	uint64_t refused; /* how often the table was full */
};

void frames_init(struct frames *f, uint32_t limit);
void frames_done(struct frames *f);
/* The id of a place; the same for the same place.  0 when the table is full. */
frame_id frame_add(struct frames *f, uint32_t image, uint64_t offset);

static inline struct frame frame_at(const struct frames *f, frame_id id)
{
	return f->list.at[id < f->list.count ? id : 0];
}

#endif
