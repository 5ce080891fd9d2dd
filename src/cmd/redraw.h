/*
 * redraw - what is shown of a run while it goes on, on standard output: on a terminal drawn
 * over what was there, else one piece after the other.
 */
#ifndef SONDE_CMD_REDRAW_H
#define SONDE_CMD_REDRAW_H

#include "base/outflow.h"

struct redraw {
	struct outflow out; /* a reader may stand still: what is measured goes on */
	bool terminal;
	unsigned lines; /* drawn last time, to be drawn over */
};

/* objects: for scripts, on a terminal too. */
void redraw_open(struct redraw *r, bool objects);
/* Columns of the terminal; 80 where they are not known. */
unsigned redraw_columns(void);
/* Has what was put last been taken?  Else the next one is not worth making. */
bool redraw_ready(struct redraw *r);
/* Text as the terminal can show it.  What will be drawn over is no more than the window has;
 * the last is whole. */
void redraw_put(struct redraw *r, const struct text *bytes, bool last);
/* Waits until the reader has taken all.  0, also if it has gone; else what write(2) says. */
int redraw_end(struct redraw *r);

#endif
