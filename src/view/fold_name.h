/*
 * fold_name - what a physical frame is in the picture: its function, and the
 * functions that are inlined there.  Used by fold.c only.
 */
#ifndef SONDE_VIEW_FOLD_NAME_H
#define SONDE_VIEW_FOLD_NAME_H

#include "view/fold.h"

/* The levels of a frame, the physical one first: index of that in fold.levels. */
uint32_t fold_frame(struct fold *f, frame_id id);
/* Another number when something else is known of a frame's name. */
uint64_t fold_print(const struct fold *f, frame_id id);

#endif
