/*
 * columns - text in lines of a terminal.
 */
#ifndef SONDE_BASE_COLUMNS_H
#define SONDE_BASE_COLUMNS_H

#include "base/text.h"

/* Columns s takes (one a code point, none an SGR sequence; s is well-formed). */
unsigned columns_of(const char *s);
/* Offset in bytes of its n-th code point; of its end when there are fewer. */
size_t columns_offset(const char *s, unsigned n);

/* Adds words with a newline at the end, in lines of at most `columns`; the second and those
 * behind it begin with `indent` spaces.  A number stays with the word behind it, what is quoted
 * with itself and the option before it, and what is between words is as it was.  A word that is
 * longer than a line has one of its own. */
void columns_wrap(struct text *t, const char *words, unsigned columns, unsigned indent);

/* Adds text of many lines, each wrapped and what is behind its first 4 further in than that. */
void columns_wrap_lines(struct text *t, const char *text, unsigned columns);

/* Adds text of many lines, each cut at `columns`, and of more than `lines` only the first,
 * the last of which says how many there are not. */
void columns_clip(struct text *t, const char *text, unsigned columns, unsigned lines);

#endif
