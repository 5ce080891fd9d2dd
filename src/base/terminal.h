/*
 * terminal - what the one at a file descriptor is like.
 */
#ifndef SONDE_BASE_TERMINAL_H
#define SONDE_BASE_TERMINAL_H

#include "base/text.h"

/* It is one, and knows more than to print (TERM is set, and not "dumb"). */
bool terminal_has_codes(int fd);
/* As above, and its user did not say NO_COLOR. */
bool terminal_has_colour(int fd);
/* Its size; 0 when it is not known, or is no terminal. COLUMNS and LINES (POSIX.1, 8.3) go
 * before what the kernel says. */
unsigned terminal_columns(int fd);
unsigned terminal_lines(int fd);
/* COLUMNS, whatever is at the descriptor; 0 when it is not set, or no number. */
unsigned terminal_columns_wanted(void);
/* False when there is a locale (LC_ALL, LC_CTYPE, LANG: POSIX.1, 8.2) that is not one of UTF-8.
 * Without any it is true, as in containers, where none is set and the terminal takes it. */
bool terminal_takes_utf8(void);

/* Adds s in ASCII: signs, bars and lines of the reports by what is like them, '?' for the
 * rest. */
void terminal_add_ascii(struct text *to, const char *s);
/* s as the locale takes it: s itself, or what it is in ASCII, which is put into `ascii`. */
const char *terminal_text(const char *s, struct text *ascii);

#endif
