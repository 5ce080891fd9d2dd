/*
 * tables - the unwind rows of all images, and each process' maps, as the kernel
 * half walks by them (wire/textmap.h).
 *
 * They are gathered from the stream's own records before the programs are
 * loaded (the maps are then made large enough), and kept up to date from then
 * on.  What finds no room is walked by frame pointers, and counted.
 */
#ifndef SONDE_SOURCE_TABLES_H
#define SONDE_SOURCE_TABLES_H

#include "base/error.h"
#include "elf/images.h"
#include "wire/event.h"

#include <stdint.h>

struct tables;

/* images as of images_open(); the caller's. */
struct tables *tables_new(struct images *images);
void tables_free(struct tables *t); /* NULL is fine */

/* An image of the stream: builds its rows.  open_path leads to its file now;
 * NULL: the vdso, or none. */
void tables_image(struct tables *t, const struct event_image *image, const char *open_path);
/* Takes EVENT_MAP, EVENT_FORK, EVENT_EXEC and EVENT_EXIT; ignores the rest. */
void tables_event(struct tables *t, const struct event *e);

/* Entries that the kernel's maps should have: what is there, and room for
 * libraries and processes that come later. */
struct tables_need {
	uint32_t chunks, excs, spaces;
};
struct tables_need tables_need(const struct tables *t);

/* Descriptors of the kernel's maps, made with that many entries. */
struct tables_maps {
	int rows, excs, spaces, space_of;
	struct tables_need size;
};
/* Fills the maps; from here on tables_event keeps them up to date when
 * tables_publish is called. */
int tables_load(struct tables *t, const struct tables_maps *maps, struct error *err);
/* Shows the kernel every process whose maps have changed. */
void tables_publish(struct tables *t);

/* Images (with code) for which there was no room. */
uint64_t tables_left_out(const struct tables *t);

#endif
