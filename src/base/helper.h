/*
 * helper - a thread that takes no signals.
 *
 * A signal that ends the program is for its first thread, which knows when that does no harm
 * (apart.h): one that a helper took would kill all of them at any moment.
 */
#ifndef SONDE_BASE_HELPER_H
#define SONDE_BASE_HELPER_H

#include <pthread.h>

/* As pthread_create(3). */
int helper_start(pthread_t *ret, const pthread_attr_t *attr, void *(*run)(void *),
		 void *context);
/* What the calling thread has to do when it wakes up goes before others', at that niceness;
 * from Linux 6.12 on its slice is short, too (100 us), so that it need not wait for the end of
 * theirs. Without the right to it nothing changes. */
void helper_hurry(int nice);

#endif
