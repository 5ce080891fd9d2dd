/*
 * scene - what the programs of the compatibility suite do alike.
 *
 * A scene is one habit of programs that a probe can break: it unwinds, it jumps
 * out of frames, it looks at its own return addresses, it leaves its stack.  A
 * program of scenes plays one of them for --calls rounds, --rate a second, and
 * prints what it saw of itself in each round; then, as its last line, how often
 * its watched functions were entered, by itself and in children that it made.  What it prints
 * depends on nothing else: not on addresses, time, or the order of threads.  So it must print
 * the same, and end with the same status, whether it is watched or not.
 *
 * The watched functions of the scene NAME are called w_NAME or w_NAME_...
 */
#ifndef SONDE_TEST_SCENE_H
#define SONDE_TEST_SCENE_H

#include "target/stage.h"

struct scene {
	const char *name;
	void (*play)(unsigned round);
	unsigned rounds; /* unless --calls says how many; 0 = 400 */
};

/* Something stays to be done with what a call gave: it is no tail call, and what
 * recurses is not made a loop. */
#define SCENE_STAYS(value) __asm__ volatile("" : "+r"(value))

/* Counts an entry of a watched function, in whatever thread. */
void scene_entered(void);
/* In a process that the scene made: it may end before anyone has heard of it. */
void scene_entered_in_child(void);

/* Plays the scene that the command line names, of those up to the first without a
 * name; the status for main. */
int scene_main(int argc, char **argv, const struct scene *scenes);

/* The last line: for a scene that ends its program itself, in its last round. */
void scene_close(void);

/* What this program knows an address as: its distance from scene_main(), "far" when
 * that is of another image (libraries may be loaded anywhere).  Valid until the
 * next but seven. */
const char *scene_place(const void *address);

#endif
