/*
 * fold_name - what a physical frame is in the picture: its function, and the
 * functions that are inlined there.  Used by fold*.c only.
 */
#ifndef SONDE_VIEW_FOLD_NAME_H
#define SONDE_VIEW_FOLD_NAME_H

#include "view/fold.h"

/* The levels of a frame, the physical one first: index of that in fold.levels. */
uint32_t fold_frame(struct fold *f, frame_id id);
/* Who waits for a lock, and below it who has that: number of the picture's frames, at most 2;
 * 0: that is not known, or not asked for.  parent: of the picture, where it waits.  Of two the
 * thread is returned, too. */
unsigned fold_wait(struct fold *f, uint32_t parent, frame_id id, uint32_t frames[2],
		   uint32_t *ret_owner);
/* The picture's node of a frame below another, added when it is new.  site: NULL = where it is
 * called is not known. */
uint32_t fold_child(struct fold *f, uint32_t parent, uint32_t frame,
		    const struct fold_level *site);
/* The picture's frame that is called so, added when it is new. */
uint32_t fold_named(struct fold *f, const struct picture_frame *named,
		    const struct frame *place);
/* Another number when something else is known of a frame's name. */
uint64_t fold_print(const struct fold *f, frame_id id);

#endif
