/*
 * fit - names into columns of a terminal.
 */
#ifndef SONDE_SINK_FIT_H
#define SONDE_SINK_FIT_H

#include "base/text.h"

/* Columns s takes (one a code point, none an SGR sequence; s is well-formed). */
unsigned fit_columns(const char *s);
/* Columns that the name takes in full, made safe. */
unsigned fit_natural(const char *name);

/* Adds the name, made safe, in at most `columns` (>= 4): parameters go first,
 * then template arguments become "<…>", then the middle becomes "…". */
void fit_name(struct text *t, const char *name, unsigned columns);

/* Spaces until the text from offset `from` on is `columns` wide. */
void fit_pad(struct text *t, size_t from, unsigned columns);

/* Adds words with a newline at the end, in lines of at most `columns`; the second and those
 * behind it begin with `indent` spaces.  A number stays with the word behind it, and what is
 * between words is as it was.  A word that is longer than a line has one of its own. */
void fit_wrap(struct text *t, const char *words, unsigned columns, unsigned indent);

/* Adds text of many lines, each wrapped and what is behind its first 4 further in than that. */
void fit_wrap_lines(struct text *t, const char *text, unsigned columns);

/* Adds text of many lines, each cut at `columns`, and of more than `lines` only the first,
 * the last of which says how many there are not. */
void fit_clip(struct text *t, const char *text, unsigned columns, unsigned lines);

/* Widths for a column of names and one of places, in front of what else a line has; 0 for
 * places when there are none.  Both begin as what their longest takes. */
void fit_share(unsigned columns, unsigned *name, unsigned *place);

/* SGR sequences, only when colour is on. */
enum fit_style { FIT_PLAIN, FIT_BOLD, FIT_DIM, FIT_MORE, FIT_LESS };
void fit_style(struct text *t, bool colour, enum fit_style style);

#endif
