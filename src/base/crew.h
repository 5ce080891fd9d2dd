/*
 * crew - threads that do jobs which wait, many at once.
 *
 * Threads are made as they are needed.  What can wait takes only a part of them, so that
 * somebody is always free for what cannot.
 */
#ifndef SONDE_BASE_CREW_H
#define SONDE_BASE_CREW_H

#include <stdint.h>

struct crew;

/* At most that many threads, and jobs that can wait on at most "patient" of them. */
struct crew *crew_new(uint32_t threads, uint32_t patient);
/* Begins at once if a thread is free; done by the caller where no thread could be made. */
void crew_do(struct crew *c, void (*job)(void *), void *context);
/* When nothing urgent is left. */
void crew_do_later(struct crew *c, void (*job)(void *), void *context);
/* Returns when every job is done, those too that they gave.  From one thread at a time;
 * then the crew is as new. */
void crew_finish(struct crew *c);
void crew_free(struct crew *c); /* NULL is fine; finishes first */

#endif
