/*
 * error - what went wrong, in words a person can act on.
 *
 * Functions that can fail return 0 or a negative errno value and leave the
 * sentence in a struct error.  The sentence is lower case, names its subject
 * in single quotes, says what happened first and then the way out.  Libraries
 * return it; commands print it, once.
 */
#ifndef SONDE_BASE_ERROR_H
#define SONDE_BASE_ERROR_H

struct error {
	char text[1024];
};

/* Writes the sentence (err may be NULL) and returns -code, so that
 * `return error_set(err, ENOENT, ...)` reads well.  code is positive. */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "format: " before the sentence that is already there. */
void error_prefix(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
