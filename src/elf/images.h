/*
 * images - the files of a run, each opened and read once, whoever asks for it.
 *
 * A file is known by device and inode, and by its size and times: one that was
 * changed in its place is another.  (A build-id will not do: not every file has
 * one, and two files with the same may differ in what was stripped.)  They can
 * be read until the end of the run; only some are open (filepool).  Not for several threads;
 * but what it has opened can be used by another (elf/image.h).
 */
#ifndef SONDE_ELF_IMAGES_H
#define SONDE_ELF_IMAGES_H

#include "elf/image.h"

struct images;
struct reader;

struct images *images_new(void);
/* NULL is fine; what somebody else has open stays open. */
void images_free(struct images *all);

/* As image_open(), to be closed the same way; the image that is there already keeps
 * its first name.  all NULL: shared with nobody. */
int images_open(struct images *all, const char *path, const char *name, struct image **ret,
		struct error *err);
/* Reads symbols of these in the background; NULL if all is. */
struct reader *images_reader(const struct images *all);
/* How many there are. */
uint32_t images_count(const struct images *all);

#endif
