/*
 * guard - closes all descriptors side by side when this process is killed.
 *
 * A probe stays until the kernel has closed the link that put it there, and it waits 10 to
 * 40 ms for each, longer on a busy machine.  The end of a process closes one after the other;
 * a process apart (apart.h) that was there before closes many at once.
 */
#ifndef SONDE_BASE_GUARD_H
#define SONDE_BASE_GUARD_H

/* One for this process, there when this returns; without, if none can be made, the kernel
 * closes them. */
void guard_begin(void);
/* Ends it, with all descriptors as they are. */
void guard_end(void);

#endif
