/*
 * library - libraries that a target loads while it runs.
 */
#ifndef SONDE_TEST_LIBRARY_H
#define SONDE_TEST_LIBRARY_H

/* Loads the library of this path from the folder of the running program.  Without it
 * the program ends with status 4. */
void *library_open(const char *path);

#endif
