/*
 * fit - names into columns of a terminal.
 */
#ifndef SONDE_SINK_FIT_H
#define SONDE_SINK_FIT_H

#include "base/text.h"

/* Columns that the name takes in full, made safe.  Of "fn_64da0~near", a function without a
 * name, only "fn_64da0" is shown. */
unsigned fit_natural(const char *name);

/* Adds the name, made safe, in at most `columns` (>= 4): parameters go first,
 * then template arguments become "<…>", then the middle becomes "…". */
void fit_name(struct text *t, const char *name, unsigned columns);

/* Spaces until the text from offset `from` on is `columns` wide. */
void fit_pad(struct text *t, size_t from, unsigned columns);

/* Widths for a column of names and one of places, in front of what else a line has; 0 for
 * places when there are none.  Both begin as what their longest takes. */
void fit_share(unsigned columns, unsigned *name, unsigned *place);

/* SGR sequences, only when colour is on. */
enum fit_style { FIT_PLAIN, FIT_BOLD, FIT_DIM, FIT_MORE, FIT_LESS };
void fit_style(struct text *t, bool colour, enum fit_style style);

#endif
