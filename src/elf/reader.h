/*
 * reader - a thread that reads the symbols of images, so that nobody else has to wait.
 *
 * Symbols of a large program take seconds (4 million: four), and a run must hear its signals
 * and keep its time meanwhile.  Images are read one after another, in the order in which they
 * were asked for.
 */
#ifndef SONDE_ELF_READER_H
#define SONDE_ELF_READER_H

#include "base/clock.h"
#include "elf/image.h"

struct reader;

struct reader *reader_new(void);
/* NULL is fine.  Does not wait: what is being read is read to its end and then forgotten. */
void reader_free(struct reader *r);

/* Are its symbols there?  If not, they are being read from now on at the latest; the image may
 * be closed meanwhile.  Where no thread can be made they are read by the caller. */
bool reader_has(struct reader *r, struct image *image);
/* Waits for them, so long at most (UINT64_MAX: without end): as reader_has(). */
bool reader_wait(struct reader *r, struct image *image, nsec time);

#endif
