/*
 * gap - stacks that do not reach their thread's start, by where they stopped.
 */
#ifndef SONDE_VIEW_GAP_H
#define SONDE_VIEW_GAP_H

#include "model/store.h"
#include "view/picture.h"

/* Counts a sample of the picture among the whole or the cut stacks. */
void gap_add(struct picture *p, const struct store *st, const struct sample *s);
/* Largest first; called once all are counted. */
void gap_sort(struct picture *p);

#endif
